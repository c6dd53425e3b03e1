// Warps of two fragments of rows: 32, or what is left of them.
// RUN: attn-run %s --target=nvptx:sm_80 --simulate=1 --profile --check | FileCheck %s
// CHECK: no findings
// CHECK-COUNT-4: kernel 'main__kernel{{[0-9]+}}': 1 launch, {{.*}} shared wavefronts 1.00 of the least
// CHECK-COUNT-6: against f64 reference: match
func.func @main(%x0: tensor<2x128x64xf16>, %k0: tensor<2x192x64xf16>, %x1: tensor<2x100x16xbf16>, %x2: tensor<70x20xf16>)
    -> (tensor<2x128x64xf16>, tensor<2x100x16xbf16>, tensor<2x100xf32>, tensor<2x100x16xbf16>, tensor<70x20xf16>, tensor<70xf32>) {
  %e0 = tensor.empty() : tensor<2x128x64xf16>
  %r0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 128, keys = 64, warps = 4>)
    ins(%x0, %k0, %k0 : tensor<2x128x64xf16>, tensor<2x192x64xf16>, tensor<2x192x64xf16>) outs(%e0 : tensor<2x128x64xf16>) -> tensor<2x128x64xf16>
  // Factors of rows that change their signs.
  %e1 = tensor.empty() : tensor<2x100x16xbf16>
  %l1 = tensor.empty() : tensor<2x100xf32>
  %r1:2 = attn.attention scale(#attn.constant<-0.3>) softmax(#attn.softmax1)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 2>)
    ins(%x1, %x1, %x1 : tensor<2x100x16xbf16>, tensor<2x100x16xbf16>, tensor<2x100x16xbf16>) outs(%e1, %l1 : tensor<2x100x16xbf16>, tensor<2x100xf32>) -> tensor<2x100x16xbf16>, tensor<2x100xf32>
  %r2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 2>)
    ins(%x1, %x1, %x1 : tensor<2x100x16xbf16>, tensor<2x100x16xbf16>, tensor<2x100x16xbf16>) outs(%e1 : tensor<2x100x16xbf16>) -> tensor<2x100x16xbf16>
  // Rows that are not aligned.
  %e3 = tensor.empty() : tensor<70x20xf16>
  %l3 = tensor.empty() : tensor<70xf32>
  %r3:2 = attn.attention scale(#attn.log_length<base = 8.0, n = position>) softmax(#attn.softmax) align(top_left)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 2>)
    ins(%x2, %x2, %x2 : tensor<70x20xf16>, tensor<70x20xf16>, tensor<70x20xf16>) outs(%e3, %l3 : tensor<70x20xf16>, tensor<70xf32>) -> tensor<70x20xf16>, tensor<70xf32>
  return %r0, %r1#0, %r1#1, %r2, %r3#0, %r3#1 : tensor<2x128x64xf16>, tensor<2x100x16xbf16>, tensor<2x100xf32>, tensor<2x100x16xbf16>, tensor<70x20xf16>, tensor<70xf32>
}
