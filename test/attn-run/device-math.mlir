// Functions that a GPU has no instruction for, of numbers and of vectors, of all
// types: on the device they go by way of f64.

// RUN: attn-run %s --entry=angles --check --target=nvptx:sm_80 --simulate=0 | FileCheck %s
// RUN: attn-run %s --entry=powers --check --target=nvptx:sm_80 --simulate=0 | FileCheck %s
// RUN: attn-run %s --entry=narrow --check --target=nvptx:sm_80 --simulate=0 | FileCheck %s
// RUN: attn-run %s --entry=wide --check --target=nvptx:sm_80 --simulate=0 | FileCheck %s

// CHECK: out0 against f64 reference: match
// CHECK-NOT: MISMATCH

#id = affine_map<(i, j) -> (i, j)>

func.func @angles(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = math.sin %a : f32
    %c = math.cos %a : f32
    %t = math.tan %s : f32
    %p = arith.mulf %c, %t : f32
    linalg.yield %p : f32
  } -> tensor<5x7xf32>
  return %y : tensor<5x7xf32>
}

func.func @powers(%x: tensor<5x7xf32>, %w: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : tensor<5x7xf32>, tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %h = math.cosh %a : f32
    %s = math.sinh %b : f32
    %p = math.powf %h, %b : f32
    %l = math.log10 %h : f32
    %q = arith.addf %p, %l : f32
    %r = arith.addf %q, %s : f32
    linalg.yield %r : f32
  } -> tensor<5x7xf32>
  return %y : tensor<5x7xf32>
}

func.func @narrow(%x: tensor<64x8xf16>) -> tensor<64x8xf16> {
  %e = tensor.empty() : tensor<64x8xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x8xf16>) outs(%e : tensor<64x8xf16>) {
  ^bb0(%a: f16, %out: f16):
    %s = math.sin %a : f16
    linalg.yield %s : f16
  } -> tensor<64x8xf16>
  return %y : tensor<64x8xf16>
}

func.func @wide(%x: tensor<5x7xf64>) -> tensor<5x7xf64> {
  %e = tensor.empty() : tensor<5x7xf64>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x7xf64>) outs(%e : tensor<5x7xf64>) {
  ^bb0(%a: f64, %out: f64):
    %s = math.cosh %a : f64
    linalg.yield %s : f64
  } -> tensor<5x7xf64>
  return %y : tensor<5x7xf64>
}
