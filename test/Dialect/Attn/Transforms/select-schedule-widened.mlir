// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule 2>/dev/null | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v3 --attn-select-schedule 2>/dev/null | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4-bf16 --attn-select-schedule 2>/dev/null | FileCheck %s --check-prefix=PAIRS

// Up to 24 rows, a weight that is widened is read where it lies, constants as well: no panels are made of them ahead. Where
// columns are contiguous that pays up to 16 rows, with the registers of AVX2 there alone and up to 8. Pairs are copied.
// CHECK-LABEL: @rows_24
// WIDE: attn.linear schedule({{.*}}direct = true>)
// AVX2-NOT: direct
// PAIRS-LABEL: @rows_24
// PAIRS: attn.linear schedule({{.*}}instruction = bf16_pairs>)
func.func @rows_24(%x: tensor<24x512xbf16>, %w: tensor<512x1024xbf16>, %o: tensor<24x1024xbf16>) -> tensor<24x1024xbf16> {
  %y = attn.linear ins(%x, %w : tensor<24x512xbf16>, tensor<512x1024xbf16>) outs(%o : tensor<24x1024xbf16>) -> tensor<24x1024xbf16>
  return %y : tensor<24x1024xbf16>
}

// CHECK-LABEL: @rows_25
// CHECK-NOT: direct
func.func @rows_25(%x: tensor<25x512xbf16>, %w: tensor<512x1024xbf16>, %o: tensor<25x1024xbf16>) -> tensor<25x1024xbf16> {
  %y = attn.linear ins(%x, %w : tensor<25x512xbf16>, tensor<512x1024xbf16>) outs(%o : tensor<25x1024xbf16>) -> tensor<25x1024xbf16>
  return %y : tensor<25x1024xbf16>
}

// CHECK-LABEL: @constant
// WIDE: attn.linear schedule({{.*}}direct = true>)
// AVX2-NOT: direct
func.func @constant(%x: tensor<12x512xf16>, %o: tensor<12x1024xf16>) -> tensor<12x1024xf16> {
  %w = arith.constant dense<1.0> : tensor<512x1024xf16>
  %y = attn.linear ins(%x, %w : tensor<12x512xf16>, tensor<512x1024xf16>) outs(%o : tensor<12x1024xf16>) -> tensor<12x1024xf16>
  return %y : tensor<12x1024xf16>
}

// CHECK-LABEL: @columns_8
// CHECK: attn.linear {{.*}}direct = true>)
func.func @columns_8(%x: tensor<8x512xbf16>, %w: tensor<1024x512xbf16>, %o: tensor<8x1024xbf16>) -> tensor<8x1024xbf16> {
  %y = attn.linear weight(out_in) ins(%x, %w : tensor<8x512xbf16>, tensor<1024x512xbf16>) outs(%o : tensor<8x1024xbf16>) -> tensor<8x1024xbf16>
  return %y : tensor<8x1024xbf16>
}

// CHECK-LABEL: @columns_16
// AVX2-NOT: direct
// WIDE: attn.linear {{.*}}direct = true>)
func.func @columns_16(%x: tensor<16x512xbf16>, %w: tensor<1024x512xbf16>, %o: tensor<16x1024xbf16>) -> tensor<16x1024xbf16> {
  %y = attn.linear weight(out_in) ins(%x, %w : tensor<16x512xbf16>, tensor<1024x512xbf16>) outs(%o : tensor<16x1024xbf16>) -> tensor<16x1024xbf16>
  return %y : tensor<16x1024xbf16>
}

// CHECK-LABEL: @columns_17
// CHECK-NOT: direct
func.func @columns_17(%x: tensor<17x512xbf16>, %w: tensor<1024x512xbf16>, %o: tensor<17x1024xbf16>) -> tensor<17x1024xbf16> {
  %y = attn.linear weight(out_in) ins(%x, %w : tensor<17x512xbf16>, tensor<1024x512xbf16>) outs(%o : tensor<17x1024xbf16>) -> tensor<17x1024xbf16>
  return %y : tensor<17x1024xbf16>
}

// One row asks for the next columns where its vectors are lines of the cache: steps are short.
// CHECK-LABEL: @one_row
// WIDE: attn.linear {{.*}}rows = 1, depth = 8, {{.*}}direct = true>)
// AVX2: attn.linear {{.*}}rows = 1, depth = 16, {{.*}}direct = true>)
func.func @one_row(%x: tensor<1x512xf32>, %w: tensor<512x1024xf32>, %o: tensor<1x1024xf32>) -> tensor<1x1024xf32> {
  %y = attn.linear ins(%x, %w : tensor<1x512xf32>, tensor<512x1024xf32>) outs(%o : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  return %y : tensor<1x1024xf32>
}
