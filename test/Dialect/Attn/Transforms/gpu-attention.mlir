// RUN: attn-opt %s --attn-tile --attn-decompose=keep-tiles --one-shot-bufferize=bufferize-function-boundaries | FileCheck %s

// An attention that is scheduled for a GPU stays whole, and becomes itself on
// memrefs.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: scf
// CHECK: attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
// CHECK-SAME: schedule(#attn.gpu_attention<rows = 128, keys = 64, warps = 8>)
// CHECK-SAME: memref<4x?x64xf16
// CHECK-NOT: attn.online_attention
func.func @stays(%q: tensor<4x?x64xf16>, %o: tensor<4x?x64xf16>) -> tensor<4x?x64xf16> {
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      schedule(#attn.gpu_attention<rows = 128, keys = 64, warps = 8>)
      ins(%q, %q, %q : tensor<4x?x64xf16>, tensor<4x?x64xf16>, tensor<4x?x64xf16>)
      outs(%o : tensor<4x?x64xf16>) -> tensor<4x?x64xf16>
  return %0 : tensor<4x?x64xf16>
}
