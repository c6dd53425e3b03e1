func.func @single(%x: tensor<45x1107xf32>, %w: tensor<1107x75xf32> {attn.packed}) -> tensor<45x75xf32> {
  %0 = tensor.empty() : tensor<45x75xf32>
  %1 = attn.linear ins(%x, %w : tensor<45x1107xf32>, tensor<1107x75xf32>) outs(%0 : tensor<45x75xf32>) -> tensor<45x75xf32>
  return %1 : tensor<45x75xf32>
}
func.func @turned(%x: tensor<45x1107xf32>, %w: tensor<75x1107xf32> {attn.packed}) -> tensor<45x75xf32> {
  %0 = tensor.empty() : tensor<45x75xf32>
  %1 = attn.linear weight(out_in) ins(%x, %w : tensor<45x1107xf32>, tensor<75x1107xf32>) outs(%0 : tensor<45x75xf32>) -> tensor<45x75xf32>
  return %1 : tensor<45x75xf32>
}
func.func @narrow(%x: tensor<16x1107xbf16>, %w: tensor<1107x75xbf16> {attn.packed}) -> tensor<16x75xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<16x75xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<16x75xf32>) -> tensor<16x75xf32>
  %2 = linalg.matmul ins(%x, %w : tensor<16x1107xbf16>, tensor<1107x75xbf16>) outs(%1 : tensor<16x75xf32>) -> tensor<16x75xf32>
  return %2 : tensor<16x75xf32>
}
func.func @half(%x: tensor<45x70xf16>, %w: tensor<50x70xf16> {attn.packed}) -> tensor<45x50xf32> {
  %0 = tensor.empty() : tensor<45x50xf32>
  %1 = attn.linear weight(out_in) ins(%x, %w : tensor<45x70xf16>, tensor<50x70xf16>) outs(%0 : tensor<45x50xf32>) -> tensor<45x50xf32>
  return %1 : tensor<45x50xf32>
}
func.func @parts(%x: tensor<64x70xf32>, %w: tensor<70x50xf32> {attn.packed}) -> tensor<64x50xf32> {
  %0 = tensor.empty() : tensor<64x50xf32>
  %1 = attn.linear ins(%x, %w : tensor<64x70xf32>, tensor<70x50xf32>) outs(%0 : tensor<64x50xf32>) {attn.products = #attn.products<bf16x3>} -> tensor<64x50xf32>
  return %1 : tensor<64x50xf32>
}
func.func @six(%x: tensor<64x70xf32>, %w: tensor<70x50xf32> {attn.packed}) -> tensor<64x50xf32> {
  %0 = tensor.empty() : tensor<64x50xf32>
  %1 = attn.linear ins(%x, %w : tensor<64x70xf32>, tensor<70x50xf32>) outs(%0 : tensor<64x50xf32>) {attn.products = #attn.products<bf16x6>} -> tensor<64x50xf32>
  return %1 : tensor<64x50xf32>
}
