func.func @gelu(%x: tensor<16384xf32>) -> tensor<16384xf32> {
  %y = attn.activation gelu %x : tensor<16384xf32>
  return %y : tensor<16384xf32>
}
