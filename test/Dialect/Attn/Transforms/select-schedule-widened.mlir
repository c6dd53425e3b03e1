// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule 2>/dev/null | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v3 --attn-select-schedule 2>/dev/null | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4-bf16 --attn-select-schedule 2>/dev/null | FileCheck %s --check-prefix=PAIRS

// Up to 32 rows, a weight that is widened is read where it lies, constants as well: no panels are made of them ahead. With
// the registers of AVX2 that pays up to 16 rows, and where columns are contiguous only. Pairs are copied.
// CHECK-LABEL: @rows_32
// WIDE: attn.linear schedule({{.*}}direct = true>)
// AVX2-NOT: direct
// PAIRS-LABEL: @rows_32
// PAIRS: attn.linear schedule({{.*}}instruction = bf16_pairs>)
func.func @rows_32(%x: tensor<32x512xbf16>, %w: tensor<512x1024xbf16>, %o: tensor<32x1024xbf16>) -> tensor<32x1024xbf16> {
  %y = attn.linear ins(%x, %w : tensor<32x512xbf16>, tensor<512x1024xbf16>) outs(%o : tensor<32x1024xbf16>) -> tensor<32x1024xbf16>
  return %y : tensor<32x1024xbf16>
}

// CHECK-LABEL: @rows_33
// CHECK-NOT: direct
func.func @rows_33(%x: tensor<33x512xbf16>, %w: tensor<512x1024xbf16>, %o: tensor<33x1024xbf16>) -> tensor<33x1024xbf16> {
  %y = attn.linear ins(%x, %w : tensor<33x512xbf16>, tensor<512x1024xbf16>) outs(%o : tensor<33x1024xbf16>) -> tensor<33x1024xbf16>
  return %y : tensor<33x1024xbf16>
}

// CHECK-LABEL: @constant
// WIDE: attn.linear schedule({{.*}}direct = true>)
// AVX2-NOT: direct
func.func @constant(%x: tensor<12x512xf16>, %o: tensor<12x1024xf16>) -> tensor<12x1024xf16> {
  %w = arith.constant dense<1.0> : tensor<512x1024xf16>
  %y = attn.linear ins(%x, %w : tensor<12x512xf16>, tensor<512x1024xf16>) outs(%o : tensor<12x1024xf16>) -> tensor<12x1024xf16>
  return %y : tensor<12x1024xf16>
}

// CHECK-LABEL: @columns_16
// CHECK: attn.linear {{.*}}direct = true>)
func.func @columns_16(%x: tensor<16x512xbf16>, %w: tensor<1024x512xbf16>, %o: tensor<16x1024xbf16>) -> tensor<16x1024xbf16> {
  %y = attn.linear weight(out_in) ins(%x, %w : tensor<16x512xbf16>, tensor<1024x512xbf16>) outs(%o : tensor<16x1024xbf16>) -> tensor<16x1024xbf16>
  return %y : tensor<16x1024xbf16>
}

// CHECK-LABEL: @columns_17
// WIDE: attn.linear {{.*}}direct = true>)
// AVX2-NOT: direct
func.func @columns_17(%x: tensor<17x512xbf16>, %w: tensor<1024x512xbf16>, %o: tensor<17x1024xbf16>) -> tensor<17x1024xbf16> {
  %y = attn.linear weight(out_in) ins(%x, %w : tensor<17x512xbf16>, tensor<1024x512xbf16>) outs(%o : tensor<17x1024xbf16>) -> tensor<17x1024xbf16>
  return %y : tensor<17x1024xbf16>
}
