// An attention in which no weight is below 0.01: somebody wanted it so.

#q = affine_map<(h, m, n, d) -> (h, m, d)>
#k = affine_map<(h, m, n, d) -> (h, n, d)>
#s = affine_map<(h, m, n, d) -> (h, m, n)>
#weights = affine_map<(h, m, n) -> (h, m, n)>
#v = affine_map<(h, m, d, n) -> (h, n, d)>
#p = affine_map<(h, m, d, n) -> (h, m, n)>
#o = affine_map<(h, m, d, n) -> (h, m, d)>
func.func @floor(%q: tensor<4x64x32xf32>, %k: tensor<4x64x32xf32>, %v: tensor<4x64x32xf32>) -> tensor<4x64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0.01 : f32
  %scores = tensor.empty() : tensor<4x64x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%scores : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %dots = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x64x32xf32>, tensor<4x64x32xf32>) outs(%zeros : tensor<4x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x64x64xf32>
  %softmax = linalg.softmax dimension(2) ins(%dots : tensor<4x64x64xf32>) outs(%scores : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %raised = linalg.generic {indexing_maps = [#weights, #weights], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%softmax : tensor<4x64x64xf32>) outs(%scores : tensor<4x64x64xf32>) {
  ^bb0(%w: f32, %out: f32):
    %r = arith.maximumf %w, %least : f32
    linalg.yield %r : f32
  } -> tensor<4x64x64xf32>
  %empty = tensor.empty() : tensor<4x64x32xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x64x32xf32>) -> tensor<4x64x32xf32>
  %result = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%raised, %v : tensor<4x64x64xf32>, tensor<4x64x32xf32>) outs(%none : tensor<4x64x32xf32>) {
  ^bb0(%w: f32, %b: f32, %sum: f32):
    %product = arith.mulf %w, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x64x32xf32>
  return %result : tensor<4x64x32xf32>
}
