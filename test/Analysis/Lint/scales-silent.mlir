// The twins of scales.mlir: what looks alike and is right.
// RUN: attn-opt %s --attn-lint -o /dev/null 2>&1 | count 0

// The factor is in the scale, or in the weights.
func.func @once(%q: tensor<4x128x64xf32>, %k: tensor<4x128x64xf32>, %v: tensor<4x128x64xf32>) -> tensor<4x128x64xf32> {
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %k, %v : tensor<4x128x64xf32>, tensor<4x128x64xf32>, tensor<4x128x64xf32>) outs(%q : tensor<4x128x64xf32>) -> tensor<4x128x64xf32>
  return %r : tensor<4x128x64xf32>
}
func.func @scaled_query(%q: tensor<4x128x64xf32>, %k: tensor<4x128x64xf32>, %v: tensor<4x128x64xf32>) -> tensor<4x128x64xf32> {
  %eighth = arith.constant dense<0.125> : tensor<4x128x64xf32>
  %s = arith.mulf %q, %eighth : tensor<4x128x64xf32>
  %r = attn.attention scale(#attn.none) softmax(#attn.softmax) ins(%s, %k, %v : tensor<4x128x64xf32>, tensor<4x128x64xf32>, tensor<4x128x64xf32>) outs(%q : tensor<4x128x64xf32>) -> tensor<4x128x64xf32>
  return %r : tensor<4x128x64xf32>
}

// Weights of deviation 0.02 are small whatever the scale is: no policy is to blame.
func.func @small_weights(%x: tensor<48x768xf32>, %v: tensor<48x64xf32>, %wq: tensor<768x64xf32> {attn.moments = array<f64: 0.0, 4.0e-4>}, %wk: tensor<768x64xf32> {attn.moments = array<f64: 0.0, 4.0e-4>}) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %q = attn.linear ins(%x, %wq : tensor<48x768xf32>, tensor<768x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %k = attn.linear ins(%x, %wk : tensor<48x768xf32>, tensor<768x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %k, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o : tensor<48x64xf32>
}

// Temperatures of cosines from the texts' 25 to 35, and the solved one of 50 000 keys.
func.func @cosine(%q: tensor<48x64xf32>, %k: tensor<48x64xf32>, %v: tensor<48x64xf32>) -> tensor<48x64xf32> {
  %o = attn.attention scale(#attn.constant<30.0>) similarity(#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>) softmax(#attn.softmax) ins(%q, %k, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>) outs(%q : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o : tensor<48x64xf32>
}
func.func @solved(%q: tensor<16x128xf32>, %k: tensor<50000x128xf32>) -> tensor<16x128xf32> {
  %o = attn.attention scale(#attn.gradient_max<scores = cosine, n = keys>) similarity(#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>) softmax(#attn.softmax) ins(%q, %k, %k : tensor<16x128xf32>, tensor<50000x128xf32>, tensor<50000x128xf32>) outs(%q : tensor<16x128xf32>) -> tensor<16x128xf32>
  return %o : tensor<16x128xf32>
}

// 2.5 / sqrt(d), as a number: the scale of the largest gradient at 7000 keys.
func.func @blind(%q: tensor<512x64xf32>, %k: tensor<512x64xf32>, %v: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %o = attn.attention scale(#attn.constant<0.3125>) softmax(#attn.softmax) ins(%q, %k, %v : tensor<512x64xf32>, tensor<512x64xf32>, tensor<512x64xf32>) outs(%q : tensor<512x64xf32>) -> tensor<512x64xf32>
  return %o : tensor<512x64xf32>
}
func.func @log_512(%q: tensor<512x64xf32>, %k: tensor<512x64xf32>, %v: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %o = attn.attention scale(#attn.log_length<base = 512.0, n = keys>) softmax(#attn.softmax) ins(%q, %k, %v : tensor<512x64xf32>, tensor<512x64xf32>, tensor<512x64xf32>) outs(%q : tensor<512x64xf32>) -> tensor<512x64xf32>
  return %o : tensor<512x64xf32>
}
