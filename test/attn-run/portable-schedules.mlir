// Ops that have a schedule already take the portable path, too, where it is asked for.

// REQUIRES: avx2
// RUN: attn-run %s --target=cpu:x86-64-v3 --check | FileCheck %s
// RUN: attn-run %s --portable --check | FileCheck %s
// RUN: attn-run %s --portable --target=cpu:x86-64 --check | FileCheck %s
// CHECK-COUNT-2: match

func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> (tensor<8x32xf32>, tensor<f32>) {
  %e = tensor.empty() : tensor<8x32xf32>
  %0 = attn.linear schedule(#attn.contraction_schedule<rows = 8, depth = 16, panels = 1, lanes = 8, mr = 4, nr = 2>)
      ins(%x, %w : tensor<8x16xf32>, tensor<16x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %1 = attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(1)
      schedule(#attn.softmax_schedule<rows = 1, lanes = 8, unroll = 4, stream = 4096, whole = 4096, segment = 256>)
      ins(%0 : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %2 = attn.rope schedule(#attn.position_schedule<rows = 4, lanes = 8, stream = 1048576>)
      ins(%1 : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %s = tensor.empty() : tensor<f32>
  %3 = attn.statistics kurtosis schedule(#attn.statistics_schedule<chunks = 1, lines = 2, columns = 64, lanes = 4, unroll = 2>)
      ins(%2 : tensor<8x32xf32>) outs(%s : tensor<f32>) -> tensor<f32>
  return %2, %3 : tensor<8x32xf32>, tensor<f32>
}
