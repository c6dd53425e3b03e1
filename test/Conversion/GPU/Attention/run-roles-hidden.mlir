// Values that are not finite, where some rows of a tile do not see them, or none does: products with weights of 0 leave
// no trace of them. In each block of the causal op the last row of a tile alone sees one.
// RUN: mkdir -p %t
// RUN: %python %S/Inputs/hidden_values.py %t/in.npz
// RUN: attn-run %s --entry=all --target=nvptx:sm_90a --simulate=3 --inputs=%t/in.npz --check | FileCheck %s
// CHECK: no findings
// CHECK-COUNT-2: against f64 reference: match

func.func private @causal(%q: tensor<1x1x150x64xbf16>, %k: tensor<1x1x150x64xbf16>, %v: tensor<1x1x150x64xbf16>) -> tensor<1x1x150x64xbf16> {
  %o = tensor.empty() : tensor<1x1x150x64xbf16>
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
    schedule(#attn.gpu_attention<rows = 128, keys = 32, warps = 8, stages = 2>)
    ins(%q, %k, %v : tensor<1x1x150x64xbf16>, tensor<1x1x150x64xbf16>, tensor<1x1x150x64xbf16>)
    outs(%o : tensor<1x1x150x64xbf16>) -> tensor<1x1x150x64xbf16>
  return %r : tensor<1x1x150x64xbf16>
}

func.func private @lengths(%q: tensor<2x1x70x64xbf16>, %k: tensor<2x1x150x64xbf16>, %v: tensor<2x1x150x64xbf16>, %p: tensor<2xi32>) -> tensor<2x1x70x64xbf16> {
  %o = tensor.empty() : tensor<2x1x70x64xbf16>
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.kv_lengths]
    schedule(#attn.gpu_attention<rows = 128, keys = 48, warps = 8, stages = 2>)
    ins(%q, %k, %v : tensor<2x1x70x64xbf16>, tensor<2x1x150x64xbf16>, tensor<2x1x150x64xbf16>) params(%p : tensor<2xi32>)
    outs(%o : tensor<2x1x70x64xbf16>) -> tensor<2x1x70x64xbf16>
  return %r : tensor<2x1x70x64xbf16>
}

func.func @all(%x0: tensor<1x1x150x64xbf16>, %x1: tensor<1x1x150x64xbf16>, %x2: tensor<1x1x150x64xbf16>, %x3: tensor<2x1x70x64xbf16>, %x4: tensor<2x1x150x64xbf16>, %x5: tensor<2x1x150x64xbf16>, %x6: tensor<2xi32>) -> (tensor<1x1x150x64xbf16>, tensor<2x1x70x64xbf16>) {
  %y0 = func.call @causal(%x0, %x1, %x2) : (tensor<1x1x150x64xbf16>, tensor<1x1x150x64xbf16>, tensor<1x1x150x64xbf16>) -> tensor<1x1x150x64xbf16>
  %y1 = func.call @lengths(%x3, %x4, %x5, %x6) : (tensor<2x1x70x64xbf16>, tensor<2x1x150x64xbf16>, tensor<2x1x150x64xbf16>, tensor<2xi32>) -> tensor<2x1x70x64xbf16>
  return %y0, %y1 : tensor<1x1x150x64xbf16>, tensor<2x1x70x64xbf16>
}
