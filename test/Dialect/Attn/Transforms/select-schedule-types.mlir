// RUN: attn-opt %s --split-input-file --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule --verify-diagnostics | FileCheck %s --check-prefixes=CHECK,V4
// RUN: attn-opt %s --split-input-file --attn-set-target=target=cpu:x86-64-v3 --attn-select-schedule --verify-diagnostics | FileCheck %s --check-prefixes=CHECK,V3
// RUN: attn-opt %s --split-input-file --attn-set-target=target=cpu:x86-64-v4-bf16 --attn-select-schedule | FileCheck %s --check-prefixes=CHECK,PAIRS
// RUN: attn-opt %s --split-input-file --attn-set-target=target=cpu:x86-64-v4-amx --attn-select-schedule | FileCheck %s --check-prefixes=CHECK,TILES
// RUN: attn-opt %s --split-input-file --attn-set-target=target=cpu:x86-64-v4-amx --attn-select-schedule 2>&1 | FileCheck %s --check-prefix=UNIT
// RUN: attn-opt %s --split-input-file --attn-set-target=target=cpu:x86-64-v4-amx-fp16 --attn-select-schedule | FileCheck %s --check-prefixes=CHECK,HALVES

// Narrow keys and values are converted once for several groups of rows.
// CHECK-LABEL: @half
func.func @half(%q: tensor<2x960x64xf16>) -> tensor<2x960x64xf16> {
  // V4: schedule(#attn.schedule<rows = 96, keys = 64, lanes = 16, mr = 8, nr = 3, operands = f32>)
  // PAIRS: schedule(#attn.schedule<rows = 96, keys = 64, lanes = 16, mr = 8, nr = 3, operands = f32>)
  // V3: schedule(#attn.schedule<rows = 96, keys = 64, lanes = 8, mr = 4, nr = 3, operands = f32>)
  // TILES: schedule(#attn.schedule<rows = 256, keys = 128, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, parts = 2>)
  // HALVES: schedule(#attn.schedule<rows = 256, keys = 128, lanes = 16, mr = 32, nr = 2, instruction = f16_tiles, sumRounded = true>)
  // expected-remark @+3 {{[attn-r201] fast path: #attn.schedule}}
  // expected-remark @+2 {{[attn-r207] products of f16 are made of f32: target cpu:x86-64-v}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<2x960x64xf16>, tensor<2x960x64xf16>, tensor<2x960x64xf16>) outs(%q : tensor<2x960x64xf16>) -> tensor<2x960x64xf16>
  return %0 : tensor<2x960x64xf16>
}

// -----

// Where the target has products of bf16, they are taken in pairs, as they lie.
// With no more rows than one group has, a second one would only be padding.
// CHECK-LABEL: @few_rows
func.func @few_rows(%q: tensor<2x20x64xbf16>) -> tensor<2x20x64xbf16> {
  // V4: schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3, operands = f32>)
  // V3: schedule(#attn.schedule<rows = 24, keys = 64, lanes = 8, mr = 4, nr = 3, operands = f32>)
  // PAIRS: schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3, instruction = bf16_pairs, sumRounded = true>)
  // TILES: schedule(#attn.schedule<rows = 32, keys = 128, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, sumRounded = true>)
  // expected-remark @+3 {{[attn-r201] fast path: #attn.schedule}}
  // expected-remark @+2 {{[attn-r207] products of bf16 are made of f32: target cpu:x86-64-v}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<2x20x64xbf16>, tensor<2x20x64xbf16>, tensor<2x20x64xbf16>) outs(%q : tensor<2x20x64xbf16>) -> tensor<2x20x64xbf16>
  return %0 : tensor<2x20x64xbf16>
}

// -----

// lse is as exact as f32, so that its sum is taken from weights that were not
// rounded.
// CHECK-LABEL: @exact_sum
func.func @exact_sum(%q: tensor<2x960x64xbf16>, %l: tensor<2x960xf32>) -> tensor<2x960xf32> {
  // PAIRS: schedule(#attn.schedule<rows = 96, keys = 64, lanes = 16, mr = 8, nr = 3, instruction = bf16_pairs>)
  // TILES: schedule(#attn.schedule<rows = 256, keys = 128, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles>)
  // expected-remark @+3 {{[attn-r201] fast path: #attn.schedule}}
  // expected-remark @+2 {{[attn-r207] products of bf16 are made of f32}}
  // expected-remark @+1 {{[attn-r301]}}
  %0:2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<2x960x64xbf16>, tensor<2x960x64xbf16>, tensor<2x960x64xbf16>) outs(%q, %l : tensor<2x960x64xbf16>, tensor<2x960xf32>) -> tensor<2x960x64xbf16>, tensor<2x960xf32>
  return %0#1 : tensor<2x960xf32>
}

// -----

// Few rows take pairs as well: eight rows share what is made of the values, and
// a vector of values is two of them. A tile unit takes them with half a tile empty.
// CHECK-LABEL: @decode
func.func @decode(%q: tensor<1x8x1x128xbf16>, %k: tensor<1x1x4096x128xbf16>) -> tensor<1x8x1x128xbf16> {
  // V4: schedule(#attn.schedule<rows = 8, keys = 32, lanes = 16, mr = 4, nr = 4, splitKeys = 512, items = 64>)
  // PAIRS: schedule(#attn.schedule<rows = 8, keys = 32, lanes = 16, mr = 8, nr = 2, splitKeys = 512, items = 64, instruction = bf16_pairs, sumRounded = true>)
  // TILES: schedule(#attn.schedule<rows = 8, keys = 32, lanes = 16, mr = 16, nr = 3, splitKeys = 512, items = 64, instruction = bf16_tiles, sumRounded = true>)
  // expected-remark @+3 {{[attn-r202] fast path: decode, #attn.schedule}}
  // expected-remark @+2 {{[attn-r207] products of bf16 are made of f32: target cpu:x86-64-v}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %k, %k : tensor<1x8x1x128xbf16>, tensor<1x1x4096x128xbf16>, tensor<1x1x4096x128xbf16>) outs(%q : tensor<1x8x1x128xbf16>) -> tensor<1x8x1x128xbf16>
  return %0 : tensor<1x8x1x128xbf16>
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

// -----

// Short heads do not fill the tiles of a tile unit. A narrow band takes as many keys at once there: each group of rows
// leaves out what it does not see.
// CHECK-LABEL: @short_heads_and_bands
func.func @short_heads_and_bands(%q: tensor<2x960x8xbf16>, %k: tensor<2x960x64xbf16>) -> (tensor<2x960x8xbf16>, tensor<2x960x64xbf16>) {
  // TILES: nr = 3, instruction = bf16_pairs, sumRounded = true>)
  // UNIT: [attn-r248] products of bf16 are made in pairs, not on the tile unit: heads do not fill the tiles
  // TILES: schedule(#attn.schedule<rows = 256, keys = 128, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, sumRounded = true>)
  // expected-remark @+3 {{[attn-r201] fast path: #attn.schedule}}
  // expected-remark @+2 {{[attn-r207] products of bf16 are made of f32}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%q, %q, %q : tensor<2x960x8xbf16>, tensor<2x960x8xbf16>, tensor<2x960x8xbf16>) outs(%q : tensor<2x960x8xbf16>) -> tensor<2x960x8xbf16>
  // expected-remark @+3 {{[attn-r201] fast path: #attn.schedule}}
  // expected-remark @+2 {{[attn-r207] products of bf16 are made of f32}}
  // expected-remark @+1 {{[attn-r301]}}
  %1 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.window<left = 199, right = 0>] align(top_left) ins(%k, %k, %k : tensor<2x960x64xbf16>, tensor<2x960x64xbf16>, tensor<2x960x64xbf16>) outs(%k : tensor<2x960x64xbf16>) -> tensor<2x960x64xbf16>
  return %0, %1 : tensor<2x960x8xbf16>, tensor<2x960x64xbf16>
}

// -----

// One row stays with pairs, and more than a tile has are two tiles.
// CHECK-LABEL: @groups
func.func @groups(%one: tensor<2x1x64xbf16>, %many: tensor<10x4x64xbf16>, %k: tensor<2x960x64xbf16>) -> (tensor<2x1x64xbf16>, tensor<10x4x64xbf16>) {
  // TILES: schedule(#attn.schedule<rows = 1, keys = 64, lanes = 16, mr = 1, nr = 4, splitKeys = 512, items = 64, instruction = bf16_pairs, sumRounded = true>)
  // UNIT: [attn-r248] products of bf16 are made in pairs, not on the tile unit: rows are few
  // TILES: schedule(#attn.schedule<rows = 20, keys = 64, lanes = 16, mr = 32, nr = 2, splitKeys = 512, items = 64, instruction = bf16_tiles, sumRounded = true>)
  // expected-remark @+3 {{[attn-r202]}}
  // expected-remark @+2 {{[attn-r207] products of bf16 are made of f32: target cpu:x86-64-v}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%one, %k, %k : tensor<2x1x64xbf16>, tensor<2x960x64xbf16>, tensor<2x960x64xbf16>) outs(%one : tensor<2x1x64xbf16>) -> tensor<2x1x64xbf16>
  // expected-remark @+3 {{[attn-r202]}}
  // expected-remark @+2 {{[attn-r207] products of bf16 are made of f32: target cpu:x86-64-v}}
  // expected-remark @+1 {{[attn-r301]}}
  %1 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%many, %k, %k : tensor<10x4x64xbf16>, tensor<2x960x64xbf16>, tensor<2x960x64xbf16>) outs(%many : tensor<10x4x64xbf16>) -> tensor<10x4x64xbf16>
  return %0, %1 : tensor<2x1x64xbf16>, tensor<10x4x64xbf16>
}

// -----

// Split keys have no parts, which f16 is made of where tiles are bf16's.
// CHECK-LABEL: @groups_of_half
func.func @groups_of_half(%many: tensor<10x4x64xf16>, %k: tensor<2x960x64xf16>) -> tensor<10x4x64xf16> {
  // UNIT: [attn-r207] products of f16 are made of f32: parts are for keys in one range
  // HALVES: splitKeys = 512, items = 64, instruction = f16_tiles
  // expected-remark @+3 {{[attn-r202]}}
  // expected-remark @+2 {{[attn-r207] products of f16 are made of f32: target cpu:x86-64-v}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%many, %k, %k : tensor<10x4x64xf16>, tensor<2x960x64xf16>, tensor<2x960x64xf16>) outs(%many : tensor<10x4x64xf16>) -> tensor<10x4x64xf16>
  return %0 : tensor<10x4x64xf16>
}

// -----

// Numbers that may be sums of parts of bf16 are multiplied by a tile unit; elsewhere they are what they are.
// CHECK-LABEL: @parts
func.func @parts(%q: tensor<2x96x64xf32>, %h: tensor<2x96x64xf16>) -> (tensor<2x96x64xf32>, tensor<2x96x64xf16>) {
  // TILES: schedule(#attn.schedule<rows = 96, keys = 128, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, parts = 3>)
  // TILES: schedule(#attn.schedule<rows = 96, keys = 128, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, parts = 2>)
  // PAIRS: products(bf16x6) schedule(#attn.schedule<rows = {{[0-9]+}}, keys = 64, lanes = 16, mr = 8, nr = 3>)
  // V4: products(bf16x6) schedule(#attn.schedule<rows = {{[0-9]+}}, keys = 64, lanes = 16, mr = 8, nr = 3>)
  // HALVES: instruction = bf16_tiles, parts = 3>)
  // f16 has tiles of its own there.
  // HALVES: products(bf16x3) schedule(#attn.schedule<rows = 96, keys = 128, lanes = 16, mr = 32, nr = 2, instruction = f16_tiles, sumRounded = true>)
  // expected-remark @+3 {{[attn-r201] fast path: #attn.schedule}}
  // expected-remark @+2 {{[attn-r247] products in parts of bf16 are not made: the target has no tiles of bf16}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) products(bf16x6) ins(%q, %q, %q : tensor<2x96x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>) outs(%q : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
  // expected-remark @+4 {{[attn-r201] fast path: #attn.schedule}}
  // expected-remark @+3 {{[attn-r207] products of f16 are made of f32}}
  // expected-remark @+2 {{[attn-r247] products in parts of bf16 are not made: the target has no tiles of bf16}}
  // expected-remark @+1 {{[attn-r301]}}
  %1 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) products(bf16x3) ins(%h, %h, %h : tensor<2x96x64xf16>, tensor<2x96x64xf16>, tensor<2x96x64xf16>) outs(%h : tensor<2x96x64xf16>) -> tensor<2x96x64xf16>
  return %0, %1 : tensor<2x96x64xf32>, tensor<2x96x64xf16>
}

// -----

// Heads and rows of a decoding step that fill no tile stay with vectors.
// CHECK-LABEL: @decoded_halves
func.func @decoded_halves(%one: tensor<2x1x64xf16>, %many: tensor<10x4x64xf16>, %k: tensor<2x960x64xf16>) -> (tensor<2x1x64xf16>, tensor<10x4x64xf16>) {
  // HALVES: schedule(#attn.schedule<rows = 1, keys = 64, lanes = 16, mr = 1, nr = 4, splitKeys = 512, items = 64>)
  // HALVES: schedule(#attn.schedule<rows = 20, keys = 64, lanes = 16, mr = 32, nr = 2, splitKeys = 512, items = 64, instruction = f16_tiles, sumRounded = true>)
  // expected-remark @+3 {{[attn-r202]}}
  // expected-remark @+2 {{[attn-r207] products of f16 are made of f32: target cpu:x86-64-v}}
  // expected-remark @+1 {{[attn-r301]}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%one, %k, %k : tensor<2x1x64xf16>, tensor<2x960x64xf16>, tensor<2x960x64xf16>) outs(%one : tensor<2x1x64xf16>) -> tensor<2x1x64xf16>
  // expected-remark @+3 {{[attn-r202]}}
  // expected-remark @+2 {{[attn-r207] products of f16 are made of f32: target cpu:x86-64-v}}
  // expected-remark @+1 {{[attn-r301]}}
  %1 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%many, %k, %k : tensor<10x4x64xf16>, tensor<2x960x64xf16>, tensor<2x960x64xf16>) outs(%many : tensor<10x4x64xf16>) -> tensor<10x4x64xf16>
  return %0, %1 : tensor<2x1x64xf16>, tensor<10x4x64xf16>
}
