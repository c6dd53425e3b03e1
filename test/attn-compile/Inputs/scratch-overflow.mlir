// The weights stand in scratch memory.
func.func @overflow(%x: tensor<?x?x?xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %a = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %c = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %e = tensor.empty(%a, %b, %c) : tensor<?x?x?xf32>
  %p = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%x : tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %i = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%i : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<?x?x?xf32>) outs(%z : tensor<f32>) dimensions = [0, 1, 2]
  return %s : tensor<f32>
}
