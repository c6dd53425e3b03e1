// Weights of three element types.
func.func @weights(%seed: i64) -> (tensor<33x40xf32>, tensor<70xbf16>, tensor<50xf16>) {
  %a = tensor.empty() : tensor<33x40xf32>
  %b = tensor.empty() : tensor<70xbf16>
  %c = tensor.empty() : tensor<50xf16>
  %x = attn.init uniform variance(constant) value(2.500000e-01) mean(1.000000e+00) seed(%seed : i64)
      outs(%a : tensor<33x40xf32>) -> tensor<33x40xf32>
  %y = attn.init uniform variance(constant) value(0.3) seed(%seed : i64)
      outs(%b : tensor<70xbf16>) -> tensor<70xbf16>
  %z = attn.init uniform variance(constant) value(3.0) seed(%seed : i64)
      outs(%c : tensor<50xf16>) -> tensor<50xf16>
  return %x, %y, %z : tensor<33x40xf32>, tensor<70xbf16>, tensor<50xf16>
}
