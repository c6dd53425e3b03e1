// RUN: attn-opt %s --split-input-file --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule --verify-diagnostics | FileCheck %s --check-prefixes=CHECK,V4
// RUN: attn-opt %s --split-input-file --attn-set-target=target=cpu:x86-64-v3 --attn-select-schedule --verify-diagnostics | FileCheck %s --check-prefixes=CHECK,V3

// Narrow keys and values are converted once for several groups of rows.
// CHECK-LABEL: @half
func.func @half(%q: tensor<2x960x64xf16>) -> tensor<2x960x64xf16> {
  // V4: schedule(#attn.schedule<rows = 96, keys = 64, lanes = 16, mr = 8, nr = 3, operands = f32>)
  // V3: schedule(#attn.schedule<rows = 96, keys = 64, lanes = 8, mr = 4, nr = 3, operands = f32>)
  // expected-remark @+2 {{[attn-r201] fast path: #attn.schedule}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<2x960x64xf16>, tensor<2x960x64xf16>, tensor<2x960x64xf16>) outs(%q : tensor<2x960x64xf16>) -> tensor<2x960x64xf16>
  return %0 : tensor<2x960x64xf16>
}

// -----

// With no more rows than one group has, a second one would only be padding.
// CHECK-LABEL: @few_rows
func.func @few_rows(%q: tensor<2x20x64xbf16>) -> tensor<2x20x64xbf16> {
  // V4: schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3, operands = f32>)
  // V3: schedule(#attn.schedule<rows = 24, keys = 64, lanes = 8, mr = 4, nr = 3, operands = f32>)
  // expected-remark @+2 {{[attn-r201] fast path: #attn.schedule}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<2x20x64xbf16>, tensor<2x20x64xbf16>, tensor<2x20x64xbf16>) outs(%q : tensor<2x20x64xbf16>) -> tensor<2x20x64xbf16>
  return %0 : tensor<2x20x64xbf16>
}

// -----

// f64 has half the lanes, and nothing to convert; but its blocks are large, so
// that several groups share them as well.
// CHECK-LABEL: @double
func.func @double(%q: tensor<2x960x64xf64>) -> tensor<2x960x64xf64> {
  // V4: schedule(#attn.schedule<rows = 48, keys = 64, lanes = 8, mr = 8, nr = 3>)
  // V3: schedule(#attn.schedule<rows = 48, keys = 64, lanes = 4, mr = 4, nr = 3>)
  // expected-remark @+2 {{[attn-r201] fast path: #attn.schedule}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<2x960x64xf64>, tensor<2x960x64xf64>, tensor<2x960x64xf64>) outs(%q : tensor<2x960x64xf64>) -> tensor<2x960x64xf64>
  return %0 : tensor<2x960x64xf64>
}

// -----

// Types that no vector instruction widens stay on the portable path.
// CHECK-LABEL: @byte
func.func @byte(%q: tensor<2x96x64xf8E4M3FN>) -> tensor<2x96x64xf8E4M3FN> {
  // CHECK-NOT: schedule(
  // expected-remark @+2 {{[attn-r212] portable path: element type is not f16, bf16, f32 or f64}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<2x96x64xf8E4M3FN>, tensor<2x96x64xf8E4M3FN>, tensor<2x96x64xf8E4M3FN>) outs(%q : tensor<2x96x64xf8E4M3FN>) -> tensor<2x96x64xf8E4M3FN>
  return %0 : tensor<2x96x64xf8E4M3FN>
}
