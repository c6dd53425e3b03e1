// The kernel with roles in the simulator, against f64, with the same bits and without a finding however copies and warps
// are ordered: heads of several sizes, keys of heads that share them, tails of rows and keys, masks, with one edge and
// with two bounds over more than 28 keys of a lane, probes, cosines, softcaps, blocks in waves of three heads and of one,
// both types.
// RUN: attn-run %s --entry=all --target=nvptx:sm_90a --simulate=3 --check | FileCheck %s
// CHECK: no findings
// CHECK-COUNT-14: against f64 reference: match
// In these two no access to shared memory meets another one in a bank.
// RUN: attn-run %s --entry=all --target=nvptx:sm_90a --simulate=0 --profile | FileCheck %s --check-prefix=PROFILE
// PROFILE: kernel 'all__kernel0': {{.*}}shared wavefronts 1.00 of the least
// PROFILE: kernel 'all__kernel4': {{.*}}shared wavefronts 1.00 of the least

func.func private @plain(%q: tensor<1x2x100x64xbf16>, %k: tensor<1x1x200x64xbf16>, %v: tensor<1x1x200x64xbf16>) -> (tensor<1x2x100x64xbf16>) {
  %o0 = tensor.empty() : tensor<1x2x100x64xbf16>
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 128, keys = 64, warps = 8, stages = 2>)
    ins(%q, %k, %v : tensor<1x2x100x64xbf16>, tensor<1x1x200x64xbf16>, tensor<1x1x200x64xbf16>)
    outs(%o0 : tensor<1x2x100x64xbf16>) -> tensor<1x2x100x64xbf16>
  return %r : tensor<1x2x100x64xbf16>
}

func.func private @negative(%q: tensor<1x1x130x128xf16>, %k: tensor<1x1x300x128xf16>, %v: tensor<1x1x300x128xf16>) -> (tensor<1x1x130x128xf16>) {
  %o0 = tensor.empty() : tensor<1x1x130x128xf16>
  %r = attn.attention scale(#attn.constant<-0.1>) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 128, keys = 48, warps = 8, stages = 2>)
    ins(%q, %k, %v : tensor<1x1x130x128xf16>, tensor<1x1x300x128xf16>, tensor<1x1x300x128xf16>)
    outs(%o0 : tensor<1x1x130x128xf16>) -> tensor<1x1x130x128xf16>
  return %r : tensor<1x1x130x128xf16>
}

func.func private @three_groups(%q: tensor<1x1x200x64xbf16>, %k: tensor<1x1x260x64xbf16>, %v: tensor<1x1x260x64xbf16>) -> (tensor<1x1x200x64xbf16>) {
  %o0 = tensor.empty() : tensor<1x1x200x64xbf16>
  %r = attn.attention scale(#attn.log_length<base = 512.0, n = keys>) softmax(#attn.softmax1)
    schedule(#attn.gpu_attention<rows = 192, keys = 64, warps = 12, stages = 2>)
    ins(%q, %k, %v : tensor<1x1x200x64xbf16>, tensor<1x1x260x64xbf16>, tensor<1x1x260x64xbf16>)
    outs(%o0 : tensor<1x1x200x64xbf16>) -> tensor<1x1x200x64xbf16>
  return %r : tensor<1x1x200x64xbf16>
}

func.func private @causal(%q: tensor<1x2x150x64xbf16>, %k: tensor<1x2x150x64xbf16>, %v: tensor<1x2x150x96xbf16>) -> (tensor<1x2x150x96xbf16>, tensor<1x2x150xf32>, tensor<1x2x150xf32>, tensor<1x2x150xf32>) {
  %o0 = tensor.empty() : tensor<1x2x150x96xbf16>
  %o1 = tensor.empty() : tensor<1x2x150xf32>
  %o2 = tensor.empty() : tensor<1x2x150xf32>
  %o3 = tensor.empty() : tensor<1x2x150xf32>
  %r:4 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal] probes [#attn.probe<max_logit>, #attn.probe<entropy>]
    schedule(#attn.gpu_attention<rows = 128, keys = 32, warps = 8, stages = 2>)
    ins(%q, %k, %v : tensor<1x2x150x64xbf16>, tensor<1x2x150x64xbf16>, tensor<1x2x150x96xbf16>)
    outs(%o0, %o1, %o2, %o3 : tensor<1x2x150x96xbf16>, tensor<1x2x150xf32>, tensor<1x2x150xf32>, tensor<1x2x150xf32>) -> tensor<1x2x150x96xbf16>, tensor<1x2x150xf32>, tensor<1x2x150xf32>, tensor<1x2x150xf32>
  return %r#0, %r#1, %r#2, %r#3 : tensor<1x2x150x96xbf16>, tensor<1x2x150xf32>, tensor<1x2x150xf32>, tensor<1x2x150xf32>
}

func.func private @lengths(%q: tensor<2x1x70x96xf16>, %k: tensor<2x1x170x96xf16>, %v: tensor<2x1x170x64xf16>, %p0: tensor<2xi32>) -> (tensor<2x1x70x64xf16>) {
  %o0 = tensor.empty() : tensor<2x1x70x64xf16>
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.kv_lengths]
    schedule(#attn.gpu_attention<rows = 128, keys = 80, warps = 8, stages = 2>)
    ins(%q, %k, %v : tensor<2x1x70x96xf16>, tensor<2x1x170x96xf16>, tensor<2x1x170x64xf16>) params(%p0 : tensor<2xi32>)
    outs(%o0 : tensor<2x1x70x64xf16>) -> tensor<2x1x70x64xf16>
  return %r : tensor<2x1x70x64xf16>
}

func.func private @window(%q: tensor<1x1x140x192xbf16>, %k: tensor<1x1x330x192xbf16>, %v: tensor<1x1x330x80xbf16>) -> (tensor<1x1x140x80xbf16>) {
  %o0 = tensor.empty() : tensor<1x1x140x80xbf16>
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) bias [#attn.alibi] masks [#attn.window<left = 40, right = 9>]
    schedule(#attn.gpu_attention<rows = 128, keys = 48, warps = 8, stages = 2>)
    ins(%q, %k, %v : tensor<1x1x140x192xbf16>, tensor<1x1x330x192xbf16>, tensor<1x1x330x80xbf16>)
    outs(%o0 : tensor<1x1x140x80xbf16>) -> tensor<1x1x140x80xbf16>
  return %r : tensor<1x1x140x80xbf16>
}

func.func private @long_heads(%q: tensor<1x1x66x256xbf16>, %k: tensor<1x1x90x256xbf16>, %v: tensor<1x1x90x256xbf16>) -> (tensor<1x1x66x256xbf16>) {
  %o0 = tensor.empty() : tensor<1x1x66x256xbf16>
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
    schedule(#attn.gpu_attention<rows = 128, keys = 32, warps = 8, stages = 2>)
    ins(%q, %k, %v : tensor<1x1x66x256xbf16>, tensor<1x1x90x256xbf16>, tensor<1x1x90x256xbf16>)
    outs(%o0 : tensor<1x1x66x256xbf16>) -> tensor<1x1x66x256xbf16>
  return %r : tensor<1x1x66x256xbf16>
}

func.func private @cosine(%q: tensor<1x4x150x80xbf16>, %k: tensor<1x2x330x80xbf16>, %v: tensor<1x2x330x64xbf16>) -> (tensor<1x4x150x64xbf16>) {
  %o0 = tensor.empty() : tensor<1x4x150x64xbf16>
  %r = attn.attention scale(#attn.constant<-9.0>) similarity(#attn.cosine<eps = 1.0e-6, mode = max_norm>) softmax(#attn.softmax) align(top_left) masks [#attn.window<left = 60, right = 20>]
    schedule(#attn.gpu_attention<rows = 128, keys = 48, warps = 8, stages = 2, items = 6>)
    ins(%q, %k, %v : tensor<1x4x150x80xbf16>, tensor<1x2x330x80xbf16>, tensor<1x2x330x64xbf16>)
    outs(%o0 : tensor<1x4x150x64xbf16>) -> tensor<1x4x150x64xbf16>
  return %r : tensor<1x4x150x64xbf16>
}

func.func private @softcap(%q: tensor<1x1x130x128xf16>, %k: tensor<1x1x200x128xf16>, %v: tensor<1x1x200x128xf16>) -> (tensor<1x1x130x128xf16>) {
  %o0 = tensor.empty() : tensor<1x1x130x128xf16>
  %r = attn.attention scale(#attn.constant<0.2>) similarity(#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>) softmax(#attn.softmax1) softcap(0.3)
    schedule(#attn.gpu_attention<rows = 128, keys = 64, warps = 8, stages = 2>)
    ins(%q, %k, %v : tensor<1x1x130x128xf16>, tensor<1x1x200x128xf16>, tensor<1x1x200x128xf16>)
    outs(%o0 : tensor<1x1x130x128xf16>) -> tensor<1x1x130x128xf16>
  return %r : tensor<1x1x130x128xf16>
}

func.func private @one_edge(%q: tensor<2x1x140x64xbf16>, %k: tensor<2x1x290x64xbf16>, %v: tensor<2x1x290x64xbf16>, %p0: tensor<2xi32>) -> (tensor<2x1x140x64xbf16>) {
  %o0 = tensor.empty() : tensor<2x1x140x64xbf16>
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.window<left = -1, right = 127>, #attn.kv_lengths]
    schedule(#attn.gpu_attention<rows = 128, keys = 128, warps = 8, stages = 2>)
    ins(%q, %k, %v : tensor<2x1x140x64xbf16>, tensor<2x1x290x64xbf16>, tensor<2x1x290x64xbf16>) params(%p0 : tensor<2xi32>)
    outs(%o0 : tensor<2x1x140x64xbf16>) -> tensor<2x1x140x64xbf16>
  return %r : tensor<2x1x140x64xbf16>
}

func.func private @wide_window(%q: tensor<1x1x140x64xf16>, %k: tensor<1x1x290x64xf16>, %v: tensor<1x1x290x64xf16>) -> (tensor<1x1x140x64xf16>) {
  %o0 = tensor.empty() : tensor<1x1x140x64xf16>
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) masks [#attn.window<left = 70, right = 40>]
    schedule(#attn.gpu_attention<rows = 128, keys = 128, warps = 8, stages = 2>)
    ins(%q, %k, %v : tensor<1x1x140x64xf16>, tensor<1x1x290x64xf16>, tensor<1x1x290x64xf16>)
    outs(%o0 : tensor<1x1x140x64xf16>) -> tensor<1x1x140x64xf16>
  return %r : tensor<1x1x140x64xf16>
}

func.func @all(%x0: tensor<1x2x100x64xbf16>, %x1: tensor<1x1x200x64xbf16>, %x2: tensor<1x1x200x64xbf16>, %x3: tensor<1x1x130x128xf16>, %x4: tensor<1x1x300x128xf16>, %x5: tensor<1x1x300x128xf16>, %x6: tensor<1x1x200x64xbf16>, %x7: tensor<1x1x260x64xbf16>, %x8: tensor<1x1x260x64xbf16>, %x9: tensor<1x2x150x64xbf16>, %x10: tensor<1x2x150x64xbf16>, %x11: tensor<1x2x150x96xbf16>, %x12: tensor<2x1x70x96xf16>, %x13: tensor<2x1x170x96xf16>, %x14: tensor<2x1x170x64xf16>, %x15: tensor<2xi32>, %x16: tensor<1x1x140x192xbf16>, %x17: tensor<1x1x330x192xbf16>, %x18: tensor<1x1x330x80xbf16>, %x19: tensor<1x1x66x256xbf16>, %x20: tensor<1x1x90x256xbf16>, %x21: tensor<1x1x90x256xbf16>, %x22: tensor<1x4x150x80xbf16>, %x23: tensor<1x2x330x80xbf16>, %x24: tensor<1x2x330x64xbf16>, %x25: tensor<1x1x130x128xf16>, %x26: tensor<1x1x200x128xf16>, %x27: tensor<1x1x200x128xf16>, %x28: tensor<2x1x140x64xbf16>, %x29: tensor<2x1x290x64xbf16>, %x30: tensor<2x1x290x64xbf16>, %x31: tensor<2xi32>, %x32: tensor<1x1x140x64xf16>, %x33: tensor<1x1x290x64xf16>, %x34: tensor<1x1x290x64xf16>)
    -> (tensor<1x2x100x64xbf16>, tensor<1x1x130x128xf16>, tensor<1x1x200x64xbf16>, tensor<1x2x150x96xbf16>, tensor<1x2x150xf32>, tensor<1x2x150xf32>, tensor<1x2x150xf32>, tensor<2x1x70x64xf16>, tensor<1x1x140x80xbf16>, tensor<1x1x66x256xbf16>, tensor<1x4x150x64xbf16>, tensor<1x1x130x128xf16>, tensor<2x1x140x64xbf16>, tensor<1x1x140x64xf16>) {
  %y0 = func.call @plain(%x0, %x1, %x2) : (tensor<1x2x100x64xbf16>, tensor<1x1x200x64xbf16>, tensor<1x1x200x64xbf16>) -> (tensor<1x2x100x64xbf16>)
  %y1 = func.call @negative(%x3, %x4, %x5) : (tensor<1x1x130x128xf16>, tensor<1x1x300x128xf16>, tensor<1x1x300x128xf16>) -> (tensor<1x1x130x128xf16>)
  %y2 = func.call @three_groups(%x6, %x7, %x8) : (tensor<1x1x200x64xbf16>, tensor<1x1x260x64xbf16>, tensor<1x1x260x64xbf16>) -> (tensor<1x1x200x64xbf16>)
  %y3:4 = func.call @causal(%x9, %x10, %x11) : (tensor<1x2x150x64xbf16>, tensor<1x2x150x64xbf16>, tensor<1x2x150x96xbf16>) -> (tensor<1x2x150x96xbf16>, tensor<1x2x150xf32>, tensor<1x2x150xf32>, tensor<1x2x150xf32>)
  %y4 = func.call @lengths(%x12, %x13, %x14, %x15) : (tensor<2x1x70x96xf16>, tensor<2x1x170x96xf16>, tensor<2x1x170x64xf16>, tensor<2xi32>) -> (tensor<2x1x70x64xf16>)
  %y5 = func.call @window(%x16, %x17, %x18) : (tensor<1x1x140x192xbf16>, tensor<1x1x330x192xbf16>, tensor<1x1x330x80xbf16>) -> (tensor<1x1x140x80xbf16>)
  %y6 = func.call @long_heads(%x19, %x20, %x21) : (tensor<1x1x66x256xbf16>, tensor<1x1x90x256xbf16>, tensor<1x1x90x256xbf16>) -> (tensor<1x1x66x256xbf16>)
  %y7 = func.call @cosine(%x22, %x23, %x24) : (tensor<1x4x150x80xbf16>, tensor<1x2x330x80xbf16>, tensor<1x2x330x64xbf16>) -> (tensor<1x4x150x64xbf16>)
  %y8 = func.call @softcap(%x25, %x26, %x27) : (tensor<1x1x130x128xf16>, tensor<1x1x200x128xf16>, tensor<1x1x200x128xf16>) -> (tensor<1x1x130x128xf16>)
  %y9 = func.call @one_edge(%x28, %x29, %x30, %x31) : (tensor<2x1x140x64xbf16>, tensor<2x1x290x64xbf16>, tensor<2x1x290x64xbf16>, tensor<2xi32>) -> (tensor<2x1x140x64xbf16>)
  %y10 = func.call @wide_window(%x32, %x33, %x34) : (tensor<1x1x140x64xf16>, tensor<1x1x290x64xf16>, tensor<1x1x290x64xf16>) -> (tensor<1x1x140x64xf16>)
  return %y0, %y1, %y2, %y3#0, %y3#1, %y3#2, %y3#3, %y4, %y5, %y6, %y7, %y8, %y9, %y10 : tensor<1x2x100x64xbf16>, tensor<1x1x130x128xf16>, tensor<1x1x200x64xbf16>, tensor<1x2x150x96xbf16>, tensor<1x2x150xf32>, tensor<1x2x150xf32>, tensor<1x2x150xf32>, tensor<2x1x70x64xf16>, tensor<1x1x140x80xbf16>, tensor<1x1x66x256xbf16>, tensor<1x4x150x64xbf16>, tensor<1x1x130x128xf16>, tensor<2x1x140x64xbf16>, tensor<1x1x140x64xf16>
}
