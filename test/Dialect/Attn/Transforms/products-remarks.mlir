// The remark of a route says by what its products are made, and what is made of their operands first.

// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefixes=WIDE
// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4-bf16 --attn-select-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefixes=PAIRS
// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4-amx --attn-select-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefixes=TILES

// WIDE: {{r201.*}}>, products by fused multiply-adds of f32; keys and values read where they lie{{$}}
// PAIRS: {{r201.*}}>, products by fused multiply-adds of f32; keys and values read where they lie{{$}}
// TILES: {{r201.*}}>, products by fused multiply-adds of f32; keys and values read where they lie{{$}}
func.func @full(%q: tensor<2x96x64xf32>, %k: tensor<2x96x64xf32>) -> tensor<2x96x64xf32> {
  %e = tensor.empty() : tensor<2x96x64xf32>
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x96x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>) outs(%e : tensor<2x96x64xf32>) -> tensor<2x96x64xf32>
  return %0 : tensor<2x96x64xf32>
}

// WIDE: {{r201.*}}>, products by fused multiply-adds of f32; keys and values widened, once for up to 96 query rows{{$}}
// PAIRS: {{r201.*}}>, products by pairs of bf16; values packed, keys where their terms lie apart, once for up to 96 query rows{{$}}
// TILES: {{r201.*}}>, products by tiles of bf16; values packed, keys where they do not fill tiles, once for up to 96 query rows{{$}}
func.func @narrow(%q: tensor<2x96x64xbf16>, %k: tensor<2x96x64xbf16>) -> tensor<2x96x64xbf16> {
  %e = tensor.empty() : tensor<2x96x64xbf16>
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x96x64xbf16>, tensor<2x96x64xbf16>, tensor<2x96x64xbf16>) outs(%e : tensor<2x96x64xbf16>) -> tensor<2x96x64xbf16>
  return %0 : tensor<2x96x64xbf16>
}

// WIDE: {{r201.*}}>, products by fused multiply-adds of f32; keys and values widened, once for up to 96 query rows{{$}}
// PAIRS: {{r201.*}}>, products by fused multiply-adds of f32; keys and values widened, once for up to 96 query rows{{$}}
// TILES: {{r201.*}}>, products by tiles of bf16, 2 parts a number; keys and values packed, once for up to 96 query rows{{$}}
func.func @parts(%q: tensor<2x96x64xf16>, %k: tensor<2x96x64xf16>) -> tensor<2x96x64xf16> {
  %e = tensor.empty() : tensor<2x96x64xf16>
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x96x64xf16>, tensor<2x96x64xf16>, tensor<2x96x64xf16>) outs(%e : tensor<2x96x64xf16>) -> tensor<2x96x64xf16>
  return %0 : tensor<2x96x64xf16>
}

// WIDE: {{r241.*}}>, products by fused multiply-adds of f32; right operand in panels that up to {{[0-9]+}} rows share{{$}}
// WIDE: {{r241.*}}>, products by fused multiply-adds of f32; right operand read where it lies{{$}}
func.func @layers(%x: tensor<200x64xf32>, %y: tensor<1x512xf32>, %w: tensor<64x128xf32>, %u: tensor<128x512xf32>) -> (tensor<200x128xf32>, tensor<1x128xf32>) {
  %e = tensor.empty() : tensor<200x128xf32>
  %0 = attn.linear ins(%x, %w : tensor<200x64xf32>, tensor<64x128xf32>) outs(%e : tensor<200x128xf32>) -> tensor<200x128xf32>
  %f = tensor.empty() : tensor<1x128xf32>
  %1 = attn.linear weight(out_in) ins(%y, %u : tensor<1x512xf32>, tensor<128x512xf32>) outs(%f : tensor<1x128xf32>) -> tensor<1x128xf32>
  return %0, %1 : tensor<200x128xf32>, tensor<1x128xf32>
}
