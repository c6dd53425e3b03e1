// A softmax between two products without 1/sqrt(d): the fault of
// docs/Analyses.md that no attention op has.
func.func @weigh(%q: tensor<4x48x64xf32>, %k: tensor<4x64x48xf32>, %v: tensor<4x48x64xf32>) -> tensor<4x48x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x48x48xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x48x64xf32>, tensor<4x64x48xf32>) outs(%s0 : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %p = attn.softmax scale(#attn.none) softmax(#attn.softmax)
    ins(%s : tensor<4x48x48xf32>) outs(%e : tensor<4x48x48xf32>) -> tensor<4x48x48xf32>
  %f = tensor.empty() : tensor<4x48x64xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%f : tensor<4x48x64xf32>) -> tensor<4x48x64xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x48x48xf32>, tensor<4x48x64xf32>) outs(%o0 : tensor<4x48x64xf32>) -> tensor<4x48x64xf32>
  return %o : tensor<4x48x64xf32>
}
