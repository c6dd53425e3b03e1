// RUN: attn-opt %s --split-input-file --attn-set-target=target=nvptx:sm_90a --attn-select-schedule 2>/dev/null | FileCheck %s
// RUN: attn-opt %s --split-input-file --attn-set-target=target=nvptx:sm_90a --attn-select-schedule 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: attn-opt %s --split-input-file --attn-set-target=target=nvptx:sm_80 --attn-select-schedule 2>/dev/null | FileCheck %s --check-prefix=OTHER
// RUN: attn-opt %s --split-input-file --attn-set-target=target=nvptx:sm_90 --attn-select-schedule 2>/dev/null | FileCheck %s --check-prefix=OTHER
// OTHER-NOT: stages

// Keys of a tile are as many as registers and shared memory take.
// REMARK: [attn-r208] wgmma where query, key and value begin at multiples of 16 bytes
// CHECK-LABEL: func.func @full
// CHECK: schedule(#attn.gpu_attention<rows = 128, keys = 176, warps = 8, stages = 2, items = 132>)
func.func @full(%q: tensor<8x2048x128xbf16>, %o: tensor<8x2048x128xbf16>) -> tensor<8x2048x128xbf16> {
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %q, %q : tensor<8x2048x128xbf16>, tensor<8x2048x128xbf16>, tensor<8x2048x128xbf16>) outs(%o : tensor<8x2048x128xbf16>) -> tensor<8x2048x128xbf16>
  return %0 : tensor<8x2048x128xbf16>
}

// -----

// CHECK-LABEL: func.func @causal
// CHECK: schedule(#attn.gpu_attention<rows = 128, keys = 128, warps = 8, stages = 2, items = 132>)
func.func @causal(%q: tensor<8x2048x128xf16>, %o: tensor<8x2048x128xf16>) -> tensor<8x2048x128xf16> {
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
      ins(%q, %q, %q : tensor<8x2048x128xf16>, tensor<8x2048x128xf16>, tensor<8x2048x128xf16>) outs(%o : tensor<8x2048x128xf16>) -> tensor<8x2048x128xf16>
  return %0 : tensor<8x2048x128xf16>
}

// -----

// Short heads leave registers for a third group.
// CHECK-LABEL: func.func @short
// CHECK: schedule(#attn.gpu_attention<rows = 192, keys = 128, warps = 12, stages = 2, items = 132>)
func.func @short(%q: tensor<8x2048x64xf16>, %o: tensor<8x2048x64xf16>) -> tensor<8x2048x64xf16> {
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %q, %q : tensor<8x2048x64xf16>, tensor<8x2048x64xf16>, tensor<8x2048x64xf16>) outs(%o : tensor<8x2048x64xf16>) -> tensor<8x2048x64xf16>
  return %0 : tensor<8x2048x64xf16>
}

// -----

// CHECK-LABEL: func.func @long
// CHECK: schedule(#attn.gpu_attention<rows = 128, keys = 80, warps = 8, stages = 2, items = 132>)
func.func @long(%q: tensor<8x2048x256xf16>, %o: tensor<8x2048x256xf16>) -> tensor<8x2048x256xf16> {
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %q, %q : tensor<8x2048x256xf16>, tensor<8x2048x256xf16>, tensor<8x2048x256xf16>) outs(%o : tensor<8x2048x256xf16>) -> tensor<8x2048x256xf16>
  return %0 : tensor<8x2048x256xf16>
}

// -----

// Warps that measure keys take registers from those that multiply; what is no product times a factor takes some, too,
// and masks do of three groups.
// CHECK-LABEL: func.func @cosine
// CHECK: schedule(#attn.gpu_attention<rows = 128, keys = 160, warps = 8, stages = 2, items = 132>)
func.func @cosine(%q: tensor<8x2048x128xbf16>, %o: tensor<8x2048x128xbf16>) -> tensor<8x2048x128xbf16> {
  %0 = attn.attention scale(#attn.inv_sqrt_dim) similarity(#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>) softmax(#attn.softmax)
      ins(%q, %q, %q : tensor<8x2048x128xbf16>, tensor<8x2048x128xbf16>, tensor<8x2048x128xbf16>) outs(%o : tensor<8x2048x128xbf16>) -> tensor<8x2048x128xbf16>
  return %0 : tensor<8x2048x128xbf16>
}

// -----

// CHECK-LABEL: func.func @softcap
// CHECK: schedule(#attn.gpu_attention<rows = 128, keys = 160, warps = 8, stages = 2, items = 132>)
func.func @softcap(%q: tensor<8x2048x128xbf16>, %o: tensor<8x2048x128xbf16>) -> tensor<8x2048x128xbf16> {
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) softcap(30.0)
      ins(%q, %q, %q : tensor<8x2048x128xbf16>, tensor<8x2048x128xbf16>, tensor<8x2048x128xbf16>) outs(%o : tensor<8x2048x128xbf16>) -> tensor<8x2048x128xbf16>
  return %0 : tensor<8x2048x128xbf16>
}

// -----

// CHECK-LABEL: func.func @short_causal
// CHECK: schedule(#attn.gpu_attention<rows = 192, keys = 112, warps = 12, stages = 2, items = 132>)
func.func @short_causal(%q: tensor<8x2048x64xf16>, %o: tensor<8x2048x64xf16>) -> tensor<8x2048x64xf16> {
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
      ins(%q, %q, %q : tensor<8x2048x64xf16>, tensor<8x2048x64xf16>, tensor<8x2048x64xf16>) outs(%o : tensor<8x2048x64xf16>) -> tensor<8x2048x64xf16>
  return %0 : tensor<8x2048x64xf16>
}

// -----

// REMARK: [attn-r219] wgmma is not used: heads are not multiples of 16 from 64 on
// CHECK-LABEL: func.func @small_heads
// CHECK-NOT: stages
func.func @small_heads(%q: tensor<8x2048x32xbf16>, %o: tensor<8x2048x32xbf16>) -> tensor<8x2048x32xbf16> {
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %q, %q : tensor<8x2048x32xbf16>, tensor<8x2048x32xbf16>, tensor<8x2048x32xbf16>) outs(%o : tensor<8x2048x32xbf16>) -> tensor<8x2048x32xbf16>
  return %0 : tensor<8x2048x32xbf16>
}

// -----

// REMARK: [attn-r219] wgmma is not used: elements are not of 16 bits
// CHECK-LABEL: func.func @wide
// CHECK-NOT: stages
func.func @wide(%q: tensor<8x2048x64xf32>, %o: tensor<8x2048x64xf32>) -> tensor<8x2048x64xf32> {
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %q, %q : tensor<8x2048x64xf32>, tensor<8x2048x64xf32>, tensor<8x2048x64xf32>) outs(%o : tensor<8x2048x64xf32>) -> tensor<8x2048x64xf32>
  return %0 : tensor<8x2048x64xf32>
}
