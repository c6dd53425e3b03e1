// What is the same in each attention that is spelled out around a mask: scores of
// 40 rows and 56 keys, and the softmax with its sum of values.

#qd = affine_map<(h, m, n, d) -> (h, m, d)>
#kd = affine_map<(h, m, n, d) -> (h, n, d)>
#mn = affine_map<(h, m, n, d) -> (h, m, n)>
#id = affine_map<(h, m, n) -> (h, m, n)>
#row = affine_map<(h, m, n) -> (h, m)>

func.func private @scores(%q: tensor<2x40x8xf32>, %k: tensor<2x56x8xf32>) -> tensor<2x40x56xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x40x56xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x40x56xf32>) -> tensor<2x40x56xf32>
  %s = linalg.generic {indexing_maps = [#qd, #kd, #mn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x40x8xf32>, tensor<2x56x8xf32>) outs(%init : tensor<2x40x56xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %c, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x40x56xf32>
  return %s : tensor<2x40x56xf32>
}

func.func private @attend(%s: tensor<2x40x56xf32>, %v: tensor<2x56x8xf32>) -> tensor<2x40x8xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %rows = tensor.empty() : tensor<2x40xf32>
  %lows = linalg.fill ins(%low : f32) outs(%rows : tensor<2x40xf32>) -> tensor<2x40xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<2x40x56xf32>) outs(%lows : tensor<2x40xf32>) {
  ^bb0(%a: f32, %c: f32):
    %t = arith.maximumf %a, %c : f32
    linalg.yield %t : f32
  } -> tensor<2x40xf32>
  %empty = tensor.empty() : tensor<2x40x56xf32>
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %max : tensor<2x40x56xf32>, tensor<2x40xf32>) outs(%empty : tensor<2x40x56xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %x = arith.subf %a, %m : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x40x56xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<2x40xf32>) -> tensor<2x40xf32>
  %z = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<2x40x56xf32>) outs(%zeros : tensor<2x40xf32>) {
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    linalg.yield %t : f32
  } -> tensor<2x40xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %z : tensor<2x40x56xf32>, tensor<2x40xf32>) outs(%empty : tensor<2x40x56xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %y = arith.divf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<2x40x56xf32>
  %o = tensor.empty() : tensor<2x40x8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%o : tensor<2x40x8xf32>) -> tensor<2x40x8xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<2x40x56xf32>, tensor<2x56x8xf32>) outs(%none : tensor<2x40x8xf32>) -> tensor<2x40x8xf32>
  return %r : tensor<2x40x8xf32>
}
