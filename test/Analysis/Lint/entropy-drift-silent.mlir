// The twins of entropy-drift.mlir: policies that grow with the number of keys,
// and one that nobody knows before it is trained.
// RUN: attn-opt %s --attn-lint="entropy-from=64 entropy-to=16384" -o /dev/null 2>&1 | count 0
// RUN: attn-opt %s --attn-lint="fix entropy-to=16384" | attn-opt -o %t.after
// RUN: attn-opt %s | diff - %t.after
func.func @growing(%q: tensor<2x48x64xf32>, %k: tensor<2x?x64xf32>, %v: tensor<2x?x64xf32>, %scale: tensor<2xf32>) -> tensor<2x48x64xf32> {
  %e = tensor.empty() : tensor<2x48x64xf32>
  %a = attn.attention scale(#attn.log_length<base = 512.0, n = keys>) softmax(#attn.softmax)
    ins(%q, %k, %v : tensor<2x48x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>) outs(%e : tensor<2x48x64xf32>) -> tensor<2x48x64xf32>
  %b = attn.attention scale(#attn.gradient_max<scores = normal, n = keys>) softmax(#attn.softmax)
    ins(%q, %k, %v : tensor<2x48x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>) outs(%e : tensor<2x48x64xf32>) -> tensor<2x48x64xf32>
  %c = attn.attention scale(#attn.learned) softmax(#attn.softmax)
    ins(%q, %k, %v : tensor<2x48x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>) params(%scale : tensor<2xf32>) outs(%e : tensor<2x48x64xf32>) -> tensor<2x48x64xf32>
  %d = attn.attention scale(#attn.gradient_max_fit<scores = cosine, n = keys>) similarity(#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>) softmax(#attn.softmax)
    ins(%q, %k, %v : tensor<2x48x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>) outs(%e : tensor<2x48x64xf32>) -> tensor<2x48x64xf32>
  %ab = arith.addf %a, %b : tensor<2x48x64xf32>
  %cd = arith.addf %c, %d : tensor<2x48x64xf32>
  %s = arith.addf %ab, %cd : tensor<2x48x64xf32>
  return %s : tensor<2x48x64xf32>
}
