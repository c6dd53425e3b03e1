// Programs for an emulator: an attention called main, sizes that come from the
// program, a cache, narrow elements, and one that refuses.
func.func @main(%q: tensor<2x50x64xf32>, %k: tensor<2x131x64xf32>, %v: tensor<2x131x40xf32>) -> tensor<2x50x40xf32> {
  %init = tensor.empty() : tensor<2x50x40xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1) align(bottom_right) masks [#attn.causal]
      ins(%q, %k, %v : tensor<2x50x64xf32>, tensor<2x131x64xf32>, tensor<2x131x40xf32>)
      outs(%init : tensor<2x50x40xf32>) -> tensor<2x50x40xf32>
  return %o : tensor<2x50x40xf32>
}

func.func @rows(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %init = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%x : tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @update(%cache: tensor<4x8xf32> {attn.inout = 1 : index}, %row: tensor<1x8xf32>) -> (tensor<1x8xf32>, tensor<4x8xf32>) {
  %next = tensor.insert_slice %row into %cache[2, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
  %sum = arith.addf %row, %row : tensor<1x8xf32>
  return %sum, %next : tensor<1x8xf32>, tensor<4x8xf32>
}

func.func @narrow(%h: tensor<37xf16>, %b: tensor<37xbf16>) -> (tensor<37xf16>, tensor<37xbf16>) {
  %0 = math.exp %h : tensor<37xf16>
  %1 = arith.mulf %b, %b : tensor<37xbf16>
  return %0, %1 : tensor<37xf16>, tensor<37xbf16>
}

func.func @refuses(%x: tensor<4xf32>) -> tensor<4xf32> {
  %false = arith.constant false
  cf.assert %false, "too many"
  return %x : tensor<4xf32>
}
