// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4-bf16 --attn-select-schedule --attn-schedule-contractions 2>&1 | FileCheck %s
// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule --attn-schedule-contractions 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4-amx --attn-select-schedule --attn-schedule-contractions 2>&1 | FileCheck %s --check-prefix=TILES
// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4-amx-fp16 --attn-select-schedule --attn-schedule-contractions 2>&1 | FileCheck %s --check-prefix=HALVES

// Operands of bf16 are multiplied in pairs where the target can do so: a step takes twice the terms.
// CHECK: remark: [attn-r241] matrix product in blocks: #attn.contraction_schedule<rows = 516, depth = 1024, panels = 4, lanes = 16, mr = 6, nr = 4, instruction = bf16_pairs>
// Where it has a tile unit, that takes them: of 32 rows and 32 columns at a time.
// TILES: remark: [attn-r241] matrix product in blocks: #attn.contraction_schedule<rows = 512, depth = 1024, panels = {{[0-9]+}}, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles>
// WIDE: remark: [attn-r241] matrix product in blocks: #attn.contraction_schedule<rows = 516, depth = 512, panels = 4, lanes = 16, mr = 6, nr = 4>
// WIDE: remark: [attn-r243] matrix product of bf16 widened to f32: the target has no AVX512-BF16
func.func @layer(%x: tensor<512x1024xbf16>, %w: tensor<1024x1024xbf16>, %o: tensor<512x1024xbf16>) -> tensor<512x1024xbf16> {
  %y = attn.linear ins(%x, %w : tensor<512x1024xbf16>, tensor<1024x1024xbf16>) outs(%o : tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  return %y : tensor<512x1024xbf16>
}

// Sums of f32 may wait in the output.
// CHECK: attn-r241{{.*}}depth = 512, panels = {{.*}}, instruction = bf16_pairs>
// TILES: attn-r241{{.*}}depth = 1024, panels = {{.*}}, instruction = bf16_tiles>
// WIDE: attn-r241{{.*}}depth = 256, panels = {{[^,]*}}, lanes = 16, mr = {{.}}, nr = {{.}}>
func.func @wide_result(%x: tensor<?x1024xbf16>, %w: tensor<768x1024xbf16>, %o: tensor<?x768xf32>) -> tensor<?x768xf32> {
  %y = attn.linear weight(out_in) ins(%x, %w : tensor<?x1024xbf16>, tensor<768x1024xbf16>) outs(%o : tensor<?x768xf32>) -> tensor<?x768xf32>
  return %y : tensor<?x768xf32>
}

// An odd number of terms: the last step has one.
// CHECK: attn-r241{{.*}}depth = 34, panels = {{.*}}, instruction = bf16_pairs>
// TILES: attn-r241{{.*}}depth = 64, panels = {{.*}}, instruction = bf16_tiles>
func.func @batch(%a: tensor<4x64x33xbf16>, %b: tensor<4x33x96xbf16>, %c: tensor<4x64x96xf32>) -> tensor<4x64x96xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<4x64x33xbf16>, tensor<4x33x96xbf16>) outs(%c : tensor<4x64x96xf32>) -> tensor<4x64x96xf32>
  return %0 : tensor<4x64x96xf32>
}

// Operands of two types are widened on every target, and f16 where there is no tile unit. One of bf16 takes f16 in parts.
// CHECK: attn-r241{{.*}}nr = {{.}}>
// CHECK: attn-r243] matrix product of f16 widened to f32: the target has no tile unit
// TILES: attn-r241{{.*}}mr = 32, nr = 2, instruction = bf16_tiles, parts = 2>
// HALVES: attn-r241{{.*}}mr = 32, nr = 2, instruction = f16_tiles>
// HALVES-NEXT: linalg.matmul
// HALVES: attn-r241{{.*}}nr = {{.}}, direct = true>
// HALVES: attn-r243] matrix product of bf16 widened to f32: the operands have different types
// CHECK: attn-r241{{.*}}nr = {{.}}, direct = true>
// CHECK: attn-r243] matrix product of bf16 widened to f32: the operands have different types
func.func @others(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %d: tensor<64x64xbf16>, %e: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.matmul ins(%d, %e : tensor<64x64xbf16>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// f32 is what it was.
// CHECK: attn-r241{{.*}}nr = {{.}}, direct = true>
// CHECK-NOT: attn-r243
func.func @single(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Few rows or terms leave a tile empty: these are pairs. Sixteen rows are one tile, and so are as many columns.
// CHECK-COUNT-4: attn-r241{{.*}}instruction = bf16_pairs>
// TILES: attn-r241{{.*}}instruction = bf16_pairs>
// TILES: attn-r248] products of bf16 are made in pairs, not on the tile unit: rows or terms are few
// TILES: attn-r241{{.*}}instruction = bf16_pairs>
// TILES: attn-r241{{.*}}mr = 16, nr = 2, instruction = bf16_tiles>
// TILES: attn-r241{{.*}}mr = 32, nr = 1, instruction = bf16_tiles>
func.func @small(%a: tensor<7x64xbf16>, %b: tensor<64x72xbf16>, %c: tensor<64x8xbf16>, %d: tensor<8x72xbf16>, %e: tensor<16x64xbf16>, %f: tensor<64x64xbf16>, %g: tensor<64x16xbf16>,
                 %0: tensor<7x72xf32>, %1: tensor<64x72xf32>, %2: tensor<16x72xf32>, %3: tensor<64x16xf32>) -> (tensor<7x72xf32>, tensor<64x72xf32>, tensor<16x72xf32>, tensor<64x16xf32>) {
  %4 = linalg.matmul ins(%a, %b : tensor<7x64xbf16>, tensor<64x72xbf16>) outs(%0 : tensor<7x72xf32>) -> tensor<7x72xf32>
  %5 = linalg.matmul ins(%c, %d : tensor<64x8xbf16>, tensor<8x72xbf16>) outs(%1 : tensor<64x72xf32>) -> tensor<64x72xf32>
  %6 = linalg.matmul ins(%e, %b : tensor<16x64xbf16>, tensor<64x72xbf16>) outs(%2 : tensor<16x72xf32>) -> tensor<16x72xf32>
  %7 = linalg.matmul ins(%f, %g : tensor<64x64xbf16>, tensor<64x16xbf16>) outs(%3 : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %4, %5, %6, %7 : tensor<7x72xf32>, tensor<64x72xf32>, tensor<16x72xf32>, tensor<64x16xf32>
}

// Few rows are multiplied with columns that are contiguous where these lie.
// CHECK: attn-r241{{.*}}panels = 4, lanes = 16, mr = {{[0-9]+}}, nr = 1, instruction = bf16_pairs, direct = true>
// TILES: attn-r241{{.*}}#attn.contraction_schedule<rows = 16, depth = 1024, panels = 16, lanes = 16, mr = 16, nr = 2, instruction = bf16_tiles, turned = true>
func.func @few_columns(%x: tensor<8x1024xbf16>, %w: tensor<1024x1024xbf16>, %0: tensor<8x1024xbf16>) -> tensor<8x1024xbf16> {
  %1 = attn.linear weight(out_in) ins(%x, %w : tensor<8x1024xbf16>, tensor<1024x1024xbf16>) outs(%0 : tensor<8x1024xbf16>) -> tensor<8x1024xbf16>
  return %1 : tensor<8x1024xbf16>
}

// Few rows of a weight that is widened: read where it lies by one tile, and by several.
// WIDE: attn-r241{{.*}}#attn.contraction_schedule<rows = 6, depth = 16, panels = {{[0-9]+}}, lanes = 16, mr = 6, nr = 4, direct = true>
// WIDE: attn-r241{{.*}}#attn.contraction_schedule<rows = 8, depth = 16, panels = {{[0-9]+}}, lanes = 16, mr = 4, nr = 4, direct = true>
// The tile unit takes a few rows of the weight at a time, in as many columns as it has room for sums of.
// TILES: attn-r241{{.*}}<rows = 6, {{.*}}instruction = bf16_pairs, direct = true>
// TILES: attn-r241{{.*}}<rows = 16, depth = 64, panels = 16, lanes = 16, mr = 16, nr = 2, instruction = bf16_tiles>
func.func @few(%x: tensor<6x1024xbf16>, %y: tensor<8x1024xbf16>, %w: tensor<1024x1024xbf16>, %0: tensor<6x1024xbf16>, %1: tensor<8x1024xbf16>) -> (tensor<6x1024xbf16>, tensor<8x1024xbf16>) {
  %2 = attn.linear ins(%x, %w : tensor<6x1024xbf16>, tensor<1024x1024xbf16>) outs(%0 : tensor<6x1024xbf16>) -> tensor<6x1024xbf16>
  %3 = attn.linear ins(%y, %w : tensor<8x1024xbf16>, tensor<1024x1024xbf16>) outs(%1 : tensor<8x1024xbf16>) -> tensor<8x1024xbf16>
  return %2, %3 : tensor<6x1024xbf16>, tensor<8x1024xbf16>
}

// From 5 to 128 rows, columns that are contiguous are read by the tile unit where they lie, if they are whole tiles of terms.
// TILES: attn-r241{{.*}}instruction = bf16_pairs, direct = true>
// TILES: attn-r241] matrix product in blocks: #attn.contraction_schedule<rows = 16, depth = 1024, panels = 16, lanes = 16, mr = 16, nr = 2, instruction = bf16_tiles, turned = true>
// TILES: attn-r241{{.*}}rows = 128, depth = 1024, {{.*}}, mr = 32, nr = 2, instruction = bf16_tiles, turned = true>
// TILES: attn-r241{{.*}}instruction = bf16_tiles>
// TILES: attn-r241{{.*}}instruction = bf16_tiles>
func.func @turned(%4: tensor<4x1024xbf16>, %5: tensor<5x1024xbf16>, %128: tensor<128x1024xbf16>, %129: tensor<129x1024xbf16>, %odd: tensor<8x1016xbf16>,
                  %w: tensor<2048x1024xbf16>, %u: tensor<2048x1016xbf16>, %o4: tensor<4x2048xbf16>, %o5: tensor<5x2048xbf16>, %o128: tensor<128x2048xbf16>,
                  %o129: tensor<129x2048xbf16>, %o8: tensor<8x2048xbf16>) -> (tensor<4x2048xbf16>, tensor<5x2048xbf16>, tensor<128x2048xbf16>, tensor<129x2048xbf16>, tensor<8x2048xbf16>) {
  %a = attn.linear weight(out_in) ins(%4, %w : tensor<4x1024xbf16>, tensor<2048x1024xbf16>) outs(%o4 : tensor<4x2048xbf16>) -> tensor<4x2048xbf16>
  %b = attn.linear weight(out_in) ins(%5, %w : tensor<5x1024xbf16>, tensor<2048x1024xbf16>) outs(%o5 : tensor<5x2048xbf16>) -> tensor<5x2048xbf16>
  %c = attn.linear weight(out_in) ins(%128, %w : tensor<128x1024xbf16>, tensor<2048x1024xbf16>) outs(%o128 : tensor<128x2048xbf16>) -> tensor<128x2048xbf16>
  %d = attn.linear weight(out_in) ins(%129, %w : tensor<129x1024xbf16>, tensor<2048x1024xbf16>) outs(%o129 : tensor<129x2048xbf16>) -> tensor<129x2048xbf16>
  %e = attn.linear weight(out_in) ins(%odd, %u : tensor<8x1016xbf16>, tensor<2048x1016xbf16>) outs(%o8 : tensor<8x2048xbf16>) -> tensor<8x2048xbf16>
  return %a, %b, %c, %d, %e : tensor<4x2048xbf16>, tensor<5x2048xbf16>, tensor<128x2048xbf16>, tensor<129x2048xbf16>, tensor<8x2048xbf16>
}

// Parts are cut where there is a tile unit, and rows enough. f16 is not where it has tiles of its own.
// CHECK: attn-r241{{.*}}nr = {{.}}, direct = true>
// CHECK: attn-r247] products in parts of bf16 are not made: the target has no tiles of bf16
// TILES: attn-r241{{.*}}mr = 32, nr = 2, instruction = bf16_tiles, parts = 2>
// TILES: attn-r241{{.*}}nr = {{.}}, direct = true>
// TILES: attn-r247] products in parts of bf16 are not made: the product is too small for the tile unit
// TILES: attn-r241{{.*}}mr = 32, nr = 2, instruction = bf16_tiles, parts = 3>
// TILES: attn-r241{{.*}}mr = 32, nr = 2, instruction = bf16_tiles, parts = 2>
// HALVES: attn-r241{{.*}}mr = 32, nr = 2, instruction = bf16_tiles, parts = 2>
// HALVES: attn-r241{{.*}}mr = 32, nr = 2, instruction = bf16_tiles, parts = 3>
// HALVES: attn-r241{{.*}}mr = 32, nr = 2, instruction = f16_tiles>
func.func @parts(%a: tensor<64x64xf32>, %h: tensor<64x64xf16>, %t: tensor<4x64xf32>, %p: tensor<4x2x64x64xf32>, %q: tensor<4x2x64x80xf32>, %r: tensor<4x2x64x80xf32>)
    -> (tensor<64x64xf32>, tensor<4x2x64x80xf32>, tensor<64x64xf32>, tensor<4x64xf32>) {
  %0 = attn.linear ins(%a, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%a : tensor<64x64xf32>) {attn.products = #attn.products<bf16x3>} -> tensor<64x64xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(b, c, m, n, k) -> (b, c, m, k)>, affine_map<(b, c, m, n, k) -> (b, c, k, n)>, affine_map<(b, c, m, n, k) -> (b, c, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %q : tensor<4x2x64x64xf32>, tensor<4x2x64x80xf32>) outs(%r : tensor<4x2x64x80xf32>) attrs = {attn.products = #attn.products<bf16x6>} {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %product = arith.mulf %x, %y : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x2x64x80xf32>
  %2 = linalg.matmul {attn.products = #attn.products<bf16x3>} ins(%h, %h : tensor<64x64xf16>, tensor<64x64xf16>) outs(%a : tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = attn.linear ins(%t, %a : tensor<4x64xf32>, tensor<64x64xf32>) outs(%t : tensor<4x64xf32>) {attn.products = #attn.products<bf16x3>} -> tensor<4x64xf32>
  return %0, %1, %2, %3 : tensor<64x64xf32>, tensor<4x2x64x80xf32>, tensor<64x64xf32>, tensor<4x64xf32>
}

// Parts are those of f32 and f16, with sums of f32.
// TILES: attn-r243] matrix product of bf16 widened to f32: the operands have different types
// TILES: attn-r247] products in parts of bf16 are not made: an operand is neither f32 nor f16
// TILES: attn-r243] matrix product of f16 widened to f64: sums have that type
func.func @no_parts(%a: tensor<64x64xf32>, %b: tensor<64x64xbf16>, %h: tensor<64x64xf16>, %d: tensor<64x64xf64>) -> (tensor<64x64xf32>, tensor<64x64xf64>) {
  %0 = linalg.matmul {attn.products = #attn.products<bf16x3>} ins(%a, %b : tensor<64x64xf32>, tensor<64x64xbf16>) outs(%a : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.matmul {attn.products = #attn.products<bf16x3>} ins(%h, %h : tensor<64x64xf16>, tensor<64x64xf16>) outs(%d : tensor<64x64xf64>) -> tensor<64x64xf64>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf64>
}

// A constant is packed for each product, and its panels are read in order: a step has all terms. Parts of bf16 are streamed, too.
// TILES: attn-r241{{.*}}<rows = 16, depth = 1024, {{.*}}bf16_tiles>, {{.*}}panels
// TILES: attn-r241{{.*}}<rows = 16, depth = 1024, {{.*}}bf16_tiles>, {{.*}}panels
// TILES: attn-r241{{.*}}<rows = 64, depth = 64, {{.*}}parts = 2>, {{.*}}; right operand packed 64 of its rows at a time
func.func @twice(%x: tensor<16x1024xbf16>, %y: tensor<64x1024xf32>, %u: tensor<1024x256xf32>, %0: tensor<16x256xbf16>, %1: tensor<64x256xf32>)
    -> (tensor<16x256xbf16>, tensor<16x256xbf16>, tensor<64x256xf32>) {
  %w = arith.constant dense<0.5> : tensor<1024x256xbf16>
  %2 = attn.linear ins(%x, %w : tensor<16x1024xbf16>, tensor<1024x256xbf16>) outs(%0 : tensor<16x256xbf16>) -> tensor<16x256xbf16>
  %3 = attn.linear ins(%x, %w : tensor<16x1024xbf16>, tensor<1024x256xbf16>) outs(%0 : tensor<16x256xbf16>) -> tensor<16x256xbf16>
  %4 = attn.linear ins(%y, %u : tensor<64x1024xf32>, tensor<1024x256xf32>) outs(%1 : tensor<64x256xf32>) {attn.products = #attn.products<bf16x3>} -> tensor<64x256xf32>
  return %2, %3, %4 : tensor<16x256xbf16>, tensor<16x256xbf16>, tensor<64x256xf32>
}
