// Powers of a constant base: of 2, which LLVM would make a function of the C
// library of, of others and of those without a logarithm.

// RUN: attn-run %s --check | FileCheck %s
// RUN: attn-run %s --portable --check | FileCheck %s
// CHECK-COUNT-5: match

#id = affine_map<(i) -> (i)>
func.func @f(%x: tensor<99xf32>, %h: tensor<99xf16>) -> (tensor<99xf32>, tensor<99xf32>, tensor<99xf32>, tensor<99xf32>, tensor<99xf16>) {
  %two = arith.constant 2.0 : f32
  %tenth = arith.constant 0.1 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %three = arith.constant 3.0 : f16
  %e = tensor.empty() : tensor<99xf32>
  %y:4 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<99xf32>) outs(%e, %e, %e, %e : tensor<99xf32>, tensor<99xf32>, tensor<99xf32>, tensor<99xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32):
    %0 = math.powf %two, %a : f32
    %1 = math.powf %tenth, %a : f32
    %2 = math.powf %one, %a : f32
    %3 = math.powf %zero, %a : f32
    linalg.yield %0, %1, %2, %3 : f32, f32, f32, f32
  } -> (tensor<99xf32>, tensor<99xf32>, tensor<99xf32>, tensor<99xf32>)
  %f = tensor.empty() : tensor<99xf16>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%h : tensor<99xf16>) outs(%f : tensor<99xf16>) {
  ^bb0(%a: f16, %o: f16):
    %0 = math.powf %three, %a : f16
    linalg.yield %0 : f16
  } -> tensor<99xf16>
  return %y#0, %y#1, %y#2, %y#3, %z : tensor<99xf32>, tensor<99xf32>, tensor<99xf32>, tensor<99xf32>, tensor<99xf16>
}
