// A multi-head attention has the policy and the head dimension of the attention
// in it: its curves are those of the expanded module, under its own name.

// RUN: attn-opt %s -o /dev/null --attn-analyze-entropy="from=64 to=256 text=%t.txt"
// RUN: attn-opt %s -o /dev/null --attn-expand-blocks --attn-analyze-entropy="from=64 to=256 text=%t.parts.txt"
// RUN: FileCheck %s < %t.txt
// RUN: sed s/attn.multi_head_attention/attn.attention/ %t.txt | diff - %t.parts.txt
// RUN: attn-opt %s -o /dev/null --attn-analyze-entropy="from=64 to=64 policies=inv_dim json=-" | FileCheck %s --check-prefix=JSON
// JSON: "op": "attn.multi_head_attention"

// CHECK: attn.multi_head_attention in @dot at {{.*}}composite.mlir:[[@LINE+5]]:{{[0-9]+}}, d = 32, dot product
// CHECK-NEXT: #attn.none (its own)
// CHECK: #attn.inv_sqrt_dim
// CHECK: attn.multi_head_attention in @cosine {{.*}} d = 16, cosine
func.func @dot(%x: tensor<?x64xf32>, %wq: tensor<64x64xf32>, %wk: tensor<64x32xf32>) -> tensor<?x64xf32> {
  %y = attn.multi_head_attention heads(2) kv_heads(1) scale(#attn.none) softmax(#attn.softmax)
      ins(%x : tensor<?x64xf32>) query(%wq : tensor<64x64xf32>) key(%wk : tensor<64x32xf32>)
      value(%wk : tensor<64x32xf32>) output(%wq : tensor<64x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
func.func @cosine(%x: tensor<?x64xf32>, %wq: tensor<64x64xf32>) -> tensor<?x64xf32> {
  %y = attn.multi_head_attention heads(4) scale(#attn.constant<20.0>) similarity(#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>) softmax(#attn.softmax)
      ins(%x : tensor<?x64xf32>) query(%wq : tensor<64x64xf32>) key(%wq : tensor<64x64xf32>)
      value(%wq : tensor<64x64xf32>) output(%wq : tensor<64x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
