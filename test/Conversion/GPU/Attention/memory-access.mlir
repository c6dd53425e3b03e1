// Tiles of memory as their hardware wants them: full tiles are loaded and stored
// by whole sectors, and matrices of shared memory are read without conflicts of
// banks, whatever the size of heads.
// RUN: attn-run %s --target=nvptx:sm_80 --simulate=1 --profile --check | FileCheck %s
// CHECK: no findings
// CHECK-COUNT-6: kernel 'sizes__kernel{{[0-9]+}}': 1 launch, {{.*}} global sectors 1.00 of the least, shared wavefronts 1.00 of the least
// CHECK-COUNT-6: against f64 reference: match
func.func @sizes(%x0: tensor<2x128x16xf16>, %x1: tensor<2x128x40xbf16>, %x2: tensor<2x128x64xf16>, %x3: tensor<2x128x80xbf16>, %x4: tensor<2x128x128xf16>, %x5: tensor<2x128x256xbf16>) -> (tensor<2x128x16xf16>, tensor<2x128x40xbf16>, tensor<2x128x64xf16>, tensor<2x128x80xbf16>, tensor<2x128x128xf16>, tensor<2x128x256xbf16>) {
  %e0 = tensor.empty() : tensor<2x128x16xf16>
  %r0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
    ins(%x0, %x0, %x0 : tensor<2x128x16xf16>, tensor<2x128x16xf16>, tensor<2x128x16xf16>) outs(%e0 : tensor<2x128x16xf16>) -> tensor<2x128x16xf16>
  %e1 = tensor.empty() : tensor<2x128x40xbf16>
  %r1 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
    ins(%x1, %x1, %x1 : tensor<2x128x40xbf16>, tensor<2x128x40xbf16>, tensor<2x128x40xbf16>) outs(%e1 : tensor<2x128x40xbf16>) -> tensor<2x128x40xbf16>
  %e2 = tensor.empty() : tensor<2x128x64xf16>
  %r2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
    ins(%x2, %x2, %x2 : tensor<2x128x64xf16>, tensor<2x128x64xf16>, tensor<2x128x64xf16>) outs(%e2 : tensor<2x128x64xf16>) -> tensor<2x128x64xf16>
  %e3 = tensor.empty() : tensor<2x128x80xbf16>
  %r3 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
    ins(%x3, %x3, %x3 : tensor<2x128x80xbf16>, tensor<2x128x80xbf16>, tensor<2x128x80xbf16>) outs(%e3 : tensor<2x128x80xbf16>) -> tensor<2x128x80xbf16>
  %e4 = tensor.empty() : tensor<2x128x128xf16>
  %r4 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4>)
    ins(%x4, %x4, %x4 : tensor<2x128x128xf16>, tensor<2x128x128xf16>, tensor<2x128x128xf16>) outs(%e4 : tensor<2x128x128xf16>) -> tensor<2x128x128xf16>
  %e5 = tensor.empty() : tensor<2x128x256xbf16>
  %r5 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 64, keys = 32, warps = 4>)
    ins(%x5, %x5, %x5 : tensor<2x128x256xbf16>, tensor<2x128x256xbf16>, tensor<2x128x256xbf16>) outs(%e5 : tensor<2x128x256xbf16>) -> tensor<2x128x256xbf16>
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<2x128x16xf16>, tensor<2x128x40xbf16>, tensor<2x128x64xf16>, tensor<2x128x80xbf16>, tensor<2x128x128xf16>, tensor<2x128x256xbf16>
}
