// The twin of not-followed.mlir: behind a norm the scores are known, and as they should be.
// RUN: attn-opt %s --attn-lint -o /dev/null 2>&1 | count 0

func.func @normed(%a: tensor<48x64x4xf32>, %wq: tensor<64x64xf32>, %k: tensor<48x64xf32>, %v: tensor<48x64xf32>) -> tensor<48x64xf32> {
  %e = tensor.empty() : tensor<48x64xf32>
  %x = linalg.reduce { arith.mulf } ins(%a : tensor<48x64x4xf32>) outs(%e : tensor<48x64xf32>) dimensions = [2]
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %q = attn.linear ins(%n, %wq : tensor<48x64xf32>, tensor<64x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %k, %v : tensor<48x64xf32>, tensor<48x64xf32>, tensor<48x64xf32>) outs(%e : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %o : tensor<48x64xf32>
}
