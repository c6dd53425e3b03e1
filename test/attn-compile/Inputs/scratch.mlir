// Scratch of dynamic size: for the kernel, and in the bodies of parallel loops.
func.func @chain(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%rows, %rows) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %empty_transposed = tensor.empty(%columns, %rows) : tensor<?x?xf32>
  %transposed = linalg.transpose ins(%x : tensor<?x?xf32>) outs(%empty_transposed : tensor<?x?xf32>) permutation = [1, 0]
  %gram = linalg.matmul ins(%x, %transposed : tensor<?x?xf32>, tensor<?x?xf32>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  %square = linalg.matmul ins(%gram, %gram : tensor<?x?xf32>, tensor<?x?xf32>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  %cube = linalg.matmul ins(%square, %gram : tensor<?x?xf32>, tensor<?x?xf32>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  %empty_sums = tensor.empty(%rows) : tensor<?xf32>
  %zero_sums = linalg.fill ins(%zero : f32) outs(%empty_sums : tensor<?xf32>) -> tensor<?xf32>
  %sums = linalg.reduce ins(%square : tensor<?x?xf32>) outs(%zero_sums : tensor<?xf32>) dimensions = [1]
      (%a: f32, %b: f32) {
        %sum = arith.addf %a, %b : f32
        linalg.yield %sum : f32
      }
  return %cube, %sums : tensor<?x?xf32>, tensor<?xf32>
}

func.func @prefill(%q: tensor<1x2x?x16xf32>, %k: tensor<1x1x?x16xf32>, %v: tensor<1x1x?x16xf32>) -> tensor<1x2x?x16xf32> {
  %c2 = arith.constant 2 : index
  %rows = tensor.dim %q, %c2 : tensor<1x2x?x16xf32>
  %init = tensor.empty(%rows) : tensor<1x2x?x16xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      align(bottom_right) masks [#attn.causal]
      ins(%q, %k, %v : tensor<1x2x?x16xf32>, tensor<1x1x?x16xf32>, tensor<1x1x?x16xf32>)
      outs(%init : tensor<1x2x?x16xf32>) -> tensor<1x2x?x16xf32>
  return %o : tensor<1x2x?x16xf32>
}
