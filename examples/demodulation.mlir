// Weight demodulation (StyleGAN2): a style multiplies the inputs of a layer, and each output is divided by the length of
// what its weights have become, so that it keeps the second moment of the inputs. The norm is one of weights: an l2
// norm over the inputs, for each sample and output.
//   attn-run examples/demodulation.mlir --check
func.func @demodulated(%x: tensor<2x50x64xf32>, %style: tensor<2x64xf32>, %w: tensor<96x64xf32>) -> tensor<2x50x96xf32> {
  %we = tensor.empty() : tensor<2x96x64xf32>
  %modulated = linalg.generic {indexing_maps = [affine_map<(n, o, i) -> (o, i)>, affine_map<(n, o, i) -> (n, i)>, affine_map<(n, o, i) -> (n, o, i)>],
                               iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w, %style : tensor<96x64xf32>, tensor<2x64xf32>) outs(%we : tensor<2x96x64xf32>) {
  ^bb0(%a: f32, %s: f32, %unused: f32):
    %r = arith.mulf %a, %s : f32
    linalg.yield %r : f32
  } -> tensor<2x96x64xf32>
  %normed = attn.norm l2 axes [2] eps(1.0e-08) ins(%modulated : tensor<2x96x64xf32>) outs(%we : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
  %zero = arith.constant 0.0 : f32
  %ye = tensor.empty() : tensor<2x50x96xf32>
  %z = linalg.fill ins(%zero : f32) outs(%ye : tensor<2x50x96xf32>) -> tensor<2x50x96xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, r, o, i) -> (n, r, i)>, affine_map<(n, r, o, i) -> (n, o, i)>, affine_map<(n, r, o, i) -> (n, r, o)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %normed : tensor<2x50x64xf32>, tensor<2x96x64xf32>) outs(%z : tensor<2x50x96xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %next = arith.addf %acc, %p : f32
    linalg.yield %next : f32
  } -> tensor<2x50x96xf32>
  return %y : tensor<2x50x96xf32>
}
