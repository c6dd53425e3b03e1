// attn-fuse-epilogue puts the sums of residual streams into the epilogues of
// their branches, with the biases, functions and factors before them. A model
// has the same faults, of the same numbers, before and after; the texts differ
// in the name of the op that adds only.

// RUN: attn-opt %s --attn-lint -o /dev/null 2> %t.before
// RUN: attn-opt %s --attn-fuse-epilogue -o %t.mlir
// RUN: FileCheck %s --check-prefix=FUSED < %t.mlir
// RUN: attn-opt %t.mlir --attn-lint -o /dev/null 2> %t.after
// RUN: grep -oE "\[attn-w.*|note: .*" %t.before | sed -E "s/(linalg|arith)\.[a-z]+: /sum: /" > %t.texts
// RUN: grep -oE "\[attn-w.*|note: .*" %t.after | sed -E "s/(linalg|arith)\.[a-z]+: /sum: /" | diff %t.texts -
// RUN: FileCheck %s < %t.texts
// RUN: FileCheck %s --check-prefix=PLACE < %t.after

// After the pass the warning points at the sum in the epilogue, and what mends
// it goes behind the layer.
// RUN: attn-opt %t.mlir --attn-lint=fix -o %t.mended.mlir 2> /dev/null
// RUN: FileCheck %s --check-prefix=MENDED < %t.mended.mlir

// FUSED-LABEL: @pre
// FUSED-NOT: linalg.generic
// FUSED-NOT: {{arith.addf.*tensor}}
// FUSED-LABEL: @post

// CHECK: [attn-w102] sum: the stream of 2 Pre Norm blocks ends without a norm; its predicted second moment is 3, that of its input 1
// CHECK-NEXT: note: mend it by attn.norm rms behind it
// CHECK-NEXT: [attn-w102] sum: the stream of 2 Pre Norm blocks
// CHECK-NEXT: note: mend it by attn.norm rms behind it
// CHECK-NEXT: [attn-w103] {{.*}}: tanh turns a second moment of 1 into 0.3943
// CHECK-NEXT: note:
// CHECK-NEXT: [attn-w104] sum: after 6 Post Norm blocks the input of the stream weighs 0.125
// CHECK-NEXT: note: not mended by pre for post
// CHECK-NOT: attn-w

// PLACE: {{.*}}.mlir:[[#]]:[[#]]: warning: [attn-w102] arith.addf
// PLACE-NEXT: arith.addf %{{.*}} : f32

#same = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// Two blocks in one function.
// MENDED-LABEL: @pre
// MENDED: attn.norm
// MENDED: attn.linear
// MENDED: attn.norm
// MENDED: %[[SUM:.*]] = attn.linear
// MENDED: %[[LAST:.*]] = attn.norm rms axes [1] eps(1.000000e-06) ins(%[[SUM]] :
// MENDED-NEXT: return %[[LAST]]
func.func @pre(%x: tensor<16x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %f = attn.linear ins(%n, %w1 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %a = arith.addf %x, %f : tensor<16x64xf32>
  %m = attn.norm rms axes [1] eps(1.0e-06) ins(%a : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %g = attn.linear ins(%m, %w2 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %b = linalg.add ins(%g, %a : tensor<16x64xf32>, tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %b : tensor<16x64xf32>
}

// A bias before each sum, one body for both, of bf16 and any number of rows.
func.func @biased(%x: tensor<?x64xbf16>, %w1: tensor<64x64xbf16>, %w2: tensor<64x64xbf16>, %bias: tensor<64xbf16> {attn.moments = array<f64: 0.0, 0.0>}) -> tensor<?x64xbf16> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%rows) : tensor<?x64xbf16>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<?x64xbf16>) outs(%e : tensor<?x64xbf16>) -> tensor<?x64xbf16>
  %f = attn.linear ins(%n, %w1, %bias : tensor<?x64xbf16>, tensor<64x64xbf16>, tensor<64xbf16>) outs(%e : tensor<?x64xbf16>) -> tensor<?x64xbf16>
  %a = arith.addf %x, %f : tensor<?x64xbf16>
  %m = attn.norm rms axes [1] eps(1.0e-06) ins(%a : tensor<?x64xbf16>) outs(%e : tensor<?x64xbf16>) -> tensor<?x64xbf16>
  %g = attn.linear ins(%m, %w2 : tensor<?x64xbf16>, tensor<64x64xbf16>) outs(%e : tensor<?x64xbf16>) -> tensor<?x64xbf16>
  %h = linalg.generic {indexing_maps = [#same, #row, #same], iterator_types = ["parallel", "parallel"]}
    ins(%g, %bias : tensor<?x64xbf16>, tensor<64xbf16>) outs(%e : tensor<?x64xbf16>) {
  ^bb0(%p: bf16, %q: bf16, %out: bf16):
    %s = arith.addf %p, %q : bf16
    linalg.yield %s : bf16
  } -> tensor<?x64xbf16>
  %b = arith.addf %h, %a : tensor<?x64xbf16>
  return %b : tensor<?x64xbf16>
}

// A function between two layers, spelled out, before a ReZero sum that has none
// of these faults.
func.func @rezero(%x: tensor<16x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>, %alpha: f32) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %f = attn.linear ins(%x, %w1 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %t = math.tanh %f : tensor<16x64xf32>
  %g = attn.linear ins(%t, %w2 : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %s = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
    ins(%x, %g : tensor<16x64xf32>, tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %b, %alpha : f32
    %q = arith.addf %a, %p : f32
    linalg.yield %q : f32
  } -> tensor<16x64xf32>
  return %s : tensor<16x64xf32>
}

// Post Norm blocks in a loop.
func.func @post(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %e = tensor.empty() : tensor<16x64xf32>
  %r = scf.for %i = %c0 to %c6 step %c1 iter_args(%h = %x) -> tensor<16x64xf32> {
    %f = attn.linear ins(%h, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    %s = arith.addf %h, %f : tensor<16x64xf32>
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%s : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    scf.yield %n : tensor<16x64xf32>
  }
  return %r : tensor<16x64xf32>
}
