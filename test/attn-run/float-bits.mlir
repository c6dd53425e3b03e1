// RUN: attn-run %s --check | FileCheck %s
// CHECK: match

#id = affine_map<(i) -> (i)>

// Numbers as integers and back: the lowest bit of each flips.
func.func @bits(%x: tensor<16xf32>) -> tensor<16xf32> {
  %one = arith.constant 1 : i32
  %e = tensor.empty() : tensor<16xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = arith.bitcast %a : f32 to i32
    %c = arith.xori %b, %one : i32
    %d = arith.bitcast %c : i32 to f32
    linalg.yield %d : f32
  } -> tensor<16xf32>
  return %y : tensor<16xf32>
}
