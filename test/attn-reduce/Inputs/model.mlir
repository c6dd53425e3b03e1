// An attention with much around it: what a test is about is the window of one op.
func.func @other(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = attn.activation gelu %x : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
func.func @model(%x: tensor<1x16x64x32xf16>, %kv: tensor<1x4x96x32xf16>, %bias: tensor<16x64x96xf16>, %sink: tensor<16xf32>, %g: tensor<32xf16>)
    -> (tensor<1x16x64x32xf16>, tensor<1x16x64x32xf16>) {
  %init = tensor.empty() : tensor<1x16x64x32xf16>
  %n = attn.norm rms axes [3] eps(1.0e-5) ins(%x : tensor<1x16x64x32xf16>) gamma(%g : tensor<32xf16>) outs(%init : tensor<1x16x64x32xf16>) -> tensor<1x16x64x32xf16>
  %a = attn.attention scale(#attn.log_length<base = 512.0, n = position>) bias [#attn.dense_bias] softmax(#attn.sink)
    align(bottom_right) masks [#attn.causal, #attn.window<left = 7, right = 0>]
    ins(%n, %kv, %kv : tensor<1x16x64x32xf16>, tensor<1x4x96x32xf16>, tensor<1x4x96x32xf16>)
    params(%bias, %sink : tensor<16x64x96xf16>, tensor<16xf32>)
    outs(%init : tensor<1x16x64x32xf16>) -> tensor<1x16x64x32xf16>
  %s = arith.addf %a, %n : tensor<1x16x64x32xf16>
  %act = attn.activation silu %s : tensor<1x16x64x32xf16>
  return %act, %n : tensor<1x16x64x32xf16>, tensor<1x16x64x32xf16>
}
