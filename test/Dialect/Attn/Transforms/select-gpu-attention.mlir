// RUN: attn-opt %s --split-input-file --attn-set-target=target=nvptx:sm_80 --attn-select-schedule --verify-diagnostics | FileCheck %s
// RUN: attn-opt %s --split-input-file --attn-set-target=target=nvptx:sm_86 --attn-select-schedule 2>/dev/null | FileCheck %s --check-prefix=SM86

// Eight warps of one fragment of rows share tiles of keys.
// CHECK-LABEL: @plain
func.func @plain(%q: tensor<2x?x128xf16>) -> tensor<2x?x128xf16> {
  // CHECK: schedule(#attn.gpu_attention<rows = 128, keys = 64, warps = 8>)
  // SM86: schedule(#attn.gpu_attention<rows = 128, keys = 64, warps = 8>)
  // expected-remark @+1 {{[attn-r201] fast path: #attn.gpu_attention}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<2x?x128xf16>, tensor<2x?x128xf16>, tensor<2x?x128xf16>) outs(%q : tensor<2x?x128xf16>) -> tensor<2x?x128xf16>
  return %0 : tensor<2x?x128xf16>
}

// -----

// Long heads leave fewer registers for scores, and less shared memory for rows.
// CHECK-LABEL: @long_heads
func.func @long_heads(%q: tensor<2x?x256xbf16>) -> tensor<2x?x256xbf16> {
  // CHECK: schedule(#attn.gpu_attention<rows = 128, keys = 32, warps = 8>)
  // SM86: schedule(#attn.gpu_attention<rows = 64, keys = 32, warps = 4>)
  // expected-remark @+1 {{[attn-r201] fast path: #attn.gpu_attention}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<2x?x256xbf16>, tensor<2x?x256xbf16>, tensor<2x?x256xbf16>) outs(%q : tensor<2x?x256xbf16>) -> tensor<2x?x256xbf16>
  return %0 : tensor<2x?x256xbf16>
}

// -----

// Few rows, here those of the four heads of each of two key heads: keys are
// split until each multiprocessor has as many blocks as it can hold.
// CHECK-LABEL: @few_rows
func.func @few_rows(%q: tensor<8x2x64xf16>, %k: tensor<2x?x64xf16>) -> tensor<8x2x64xf16> {
  // CHECK: schedule(#attn.gpu_attention<rows = 16, keys = 64, warps = 1, blocks = 7, splitKeys = 256, items = 756>)
  // SM86: schedule(#attn.gpu_attention<rows = 16, keys = 64, warps = 1, blocks = 4, splitKeys = 256, items = 336>)
  // expected-remark @+1 {{[attn-r202] fast path: decode, #attn.gpu_attention}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %k, %k : tensor<8x2x64xf16>, tensor<2x?x64xf16>, tensor<2x?x64xf16>) outs(%q : tensor<8x2x64xf16>) -> tensor<8x2x64xf16>
  return %0 : tensor<8x2x64xf16>
}

// -----

// Few keys are not split, and few rows take few warps.
// CHECK-LABEL: @few_keys
func.func @few_keys(%q: tensor<8x2x64xf16>, %k: tensor<2x256x64xf16>) -> tensor<8x2x64xf16> {
  // CHECK: schedule(#attn.gpu_attention<rows = 16, keys = 64, warps = 1, blocks = 7>)
  // expected-remark @+2 {{[attn-r201] fast path: #attn.gpu_attention}}
  // expected-remark @+1 {{[attn-r205] 8 blocks of 1 warps}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %k, %k : tensor<8x2x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) outs(%q : tensor<8x2x64xf16>) -> tensor<8x2x64xf16>
  return %0 : tensor<8x2x64xf16>
}

// -----

// Nor are those of so many heads that all multiprocessors have work.
// CHECK-LABEL: @many_heads
func.func @many_heads(%q: tensor<800x4x64xf16>, %k: tensor<800x?x64xf16>) -> tensor<800x4x64xf16> {
  // CHECK: schedule(#attn.gpu_attention<rows = 16, keys = 64, warps = 1, blocks = 7>)
  // expected-remark @+2 {{[attn-r201] fast path: #attn.gpu_attention}}
  // expected-remark @+1 {{[attn-r205] 800 blocks of 1 warps}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %k, %k : tensor<800x4x64xf16>, tensor<800x?x64xf16>, tensor<800x?x64xf16>) outs(%q : tensor<800x4x64xf16>) -> tensor<800x4x64xf16>
  return %0 : tensor<800x4x64xf16>
}

// -----

// CHECK-LABEL: @too_long
func.func @too_long(%q: tensor<2x16x272xf16>) -> tensor<2x16x272xf16> {
  // CHECK-NOT: schedule
  // expected-remark @+1 {{[attn-r218] portable path: no attention kernel for nvptx:sm_80 takes heads of more than 256}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<2x16x272xf16>, tensor<2x16x272xf16>, tensor<2x16x272xf16>) outs(%q : tensor<2x16x272xf16>) -> tensor<2x16x272xf16>
  return %0 : tensor<2x16x272xf16>
}

// -----

// Where heads are few, smaller blocks leave fewer multiprocessors without work;
// with more heads larger ones read less.
// CHECK-LABEL: @few_blocks
func.func @few_blocks(%q: tensor<8x512x64xf16>) -> tensor<8x512x64xf16> {
  // CHECK: schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4, blocks = 3>)
  // expected-remark @+2 {{[attn-r201] fast path: #attn.gpu_attention}}
  // expected-remark @+1 {{[attn-r205] 64 blocks of 4 warps, about 164 registers a thread and 33024 bytes of shared memory: 3 side by side on each of 108 multiprocessors, 59 % busy}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<8x512x64xf16>, tensor<8x512x64xf16>, tensor<8x512x64xf16>) outs(%q : tensor<8x512x64xf16>) -> tensor<8x512x64xf16>
  return %0 : tensor<8x512x64xf16>
}

// Then a warp has two fragments of rows, and reads keys and values once for both.
// CHECK-LABEL: @many_blocks
func.func @many_blocks(%q: tensor<128x512x64xf16>) -> tensor<128x512x64xf16> {
  // CHECK: schedule(#attn.gpu_attention<rows = 128, keys = 64, warps = 4, blocks = 2>)
  // expected-remark @+2 {{[attn-r201] fast path: #attn.gpu_attention}}
  // expected-remark @+1 {{[attn-r205] 512 blocks of 4 warps, about 244 registers a thread}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<128x512x64xf16>, tensor<128x512x64xf16>, tensor<128x512x64xf16>) outs(%q : tensor<128x512x64xf16>) -> tensor<128x512x64xf16>
  return %0 : tensor<128x512x64xf16>
}

// -----

// What a mask takes is not known: one fragment, and all registers that there are.
// CHECK-LABEL: @masked
func.func @masked(%q: tensor<128x512x64xf16>) -> tensor<128x512x64xf16> {
  // CHECK: schedule(#attn.gpu_attention<rows = 128, keys = 64, warps = 8>)
  // expected-remark @+2 {{[attn-r201] fast path: #attn.gpu_attention}}
  // expected-remark @+1 {{[attn-r205] 512 blocks of 8 warps, about 255 registers a thread}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal] ins(%q, %q, %q : tensor<128x512x64xf16>, tensor<128x512x64xf16>, tensor<128x512x64xf16>) outs(%q : tensor<128x512x64xf16>) -> tensor<128x512x64xf16>
  return %0 : tensor<128x512x64xf16>
}
