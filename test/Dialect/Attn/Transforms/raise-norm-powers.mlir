// RUN: attn-opt %s --attn-raise-pipeline 2>/dev/null | FileCheck %s
// RUN: attn-opt %s --inline --symbol-dce --attn-raise-norm -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: attn-run %s --entry=gemma --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=root --check | FileCheck %s --check-prefix=MATCH
// MATCH: f64 reference: match

// Squares as PyTorch's x.pow(2) writes them.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i, 0)>
#col = affine_map<(i, j) -> (j)>

// x.float() x.float().pow(2).mean(-1).rsqrt() (1 + w), rounded to bf16.
// CHECK-LABEL: @gemma
// CHECK: %[[G:.*]] = linalg.generic
// CHECK: tensor.extract %arg1
// CHECK: attn.norm rms axes [1] eps(1.000000e-06) ins(%arg0 : tensor<4x16xbf16>) gamma(%[[G]] : tensor<16xf32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @gemma(%x: tensor<4x16xbf16>, %w: tensor<16xbf16>) -> tensor<4x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<4x1xf32>
  %e2 = tensor.empty() : tensor<4x16xf32>
  %eb = tensor.empty() : tensor<4x16xbf16>
  %f = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x16xbf16>) outs(%e2 : tensor<4x16xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %t = arith.extf %a : bf16 to f32
    linalg.yield %t : f32
  } -> tensor<4x16xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f : tensor<4x16xf32>) outs(%e2 : tensor<4x16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %two = arith.constant 2 : i64
    %t = math.fpowi %a, %two : f32, i64
    linalg.yield %t : f32
  } -> tensor<4x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x1xf32>) -> tensor<4x1xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%q : tensor<4x16xf32>) outs(%z : tensor<4x1xf32>) {
  ^bb0(%a: f32, %out: f32):
    %t = arith.addf %a, %out : f32
    linalg.yield %t : f32
  } -> tensor<4x1xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f, %s, %w : tensor<4x16xf32>, tensor<4x1xf32>, tensor<16xbf16>) outs(%eb : tensor<4x16xbf16>) {
  ^bb0(%a: f32, %b: f32, %c: bf16, %out: bf16):
    %count = arith.constant 16.0 : f32
    %eps = arith.constant 1.0e-6 : f32
    %one = arith.constant 1.0 : f32
    %m = arith.divf %b, %count : f32
    %v = arith.addf %m, %eps : f32
    %r = math.rsqrt %v : f32
    %n = arith.mulf %a, %r : f32
    %wide = arith.extf %c : bf16 to f32
    %g = arith.addf %wide, %one : f32
    %t = arith.mulf %n, %g : f32
    %y = arith.truncf %t : f32 to bf16
    linalg.yield %y : bf16
  } -> tensor<4x16xbf16>
  return %y : tensor<4x16xbf16>
}

// x (mean x^2 + eps)^(-1/2).
// CHECK-LABEL: @root
// CHECK: attn.norm rms axes [1] eps(1.000000e-05) ins(%arg0 : tensor<4x16xf32>) outs
// CHECK-NOT: linalg.
// CHECK: return
func.func @root(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %two = arith.constant 2 : i32
  %half = arith.constant -0.5 : f32
  %y = call @scaled(%x, %two, %half) : (tensor<4x16xf32>, i32, f32) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// Cubes have no mean square.
// CHECK-LABEL: @cubes
// CHECK-NOT: attn.norm
// CHECK: return
// REMARK: [attn-r112] not raised to attn.norm: what is under the root is not the mean square
func.func @cubes(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %three = arith.constant 3 : i32
  %half = arith.constant -0.5 : f32
  %y = call @scaled(%x, %three, %half) : (tensor<4x16xf32>, i32, f32) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

func.func private @scaled(%x: tensor<4x16xf32>, %power: i32, %root: f32) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<4x1xf32>
  %e2 = tensor.empty() : tensor<4x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x1xf32>) -> tensor<4x1xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x16xf32>) outs(%z : tensor<4x1xf32>) {
  ^bb0(%a: f32, %out: f32):
    %p = math.fpowi %a, %power : f32, i32
    %t = arith.addf %p, %out : f32
    linalg.yield %t : f32
  } -> tensor<4x1xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<4x16xf32>, tensor<4x1xf32>) outs(%e2 : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %share = arith.constant 0.0625 : f32
    %eps = arith.constant 1.0e-5 : f32
    %m = arith.mulf %b, %share : f32
    %v = arith.addf %m, %eps : f32
    %r = math.powf %v, %root : f32
    %t = arith.mulf %a, %r : f32
    linalg.yield %t : f32
  } -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
