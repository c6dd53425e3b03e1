// RUN: attn-opt %s --split-input-file --verify-diagnostics

// Each number of a schedule has a most: by it, the code that is made and the
// scratch of a thread are bounded. test/Integration/sweep-schedules.test runs
// what lies within.

// expected-error @+1 {{schedule rows must be from 1 to 4096, got 4097}}
func.func private @schedule_rows() attributes {a = #attn.schedule<rows = 4097, keys = 64, lanes = 16, mr = 8, nr = 3>}

// -----

// expected-error @+1 {{schedule keys must be from 1 to 4096, got 4097}}
func.func private @schedule_keys() attributes {a = #attn.schedule<rows = 48, keys = 4097, lanes = 16, mr = 8, nr = 3>}

// -----

// expected-error @+1 {{schedule lanes must be from 1 to 64, got 65}}
func.func private @schedule_lanes() attributes {a = #attn.schedule<rows = 48, keys = 64, lanes = 65, mr = 8, nr = 3>}

// -----

// expected-error @+1 {{schedule mr must be from 1 to 32, got 33}}
func.func private @schedule_mr() attributes {a = #attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 33, nr = 3>}

// -----

// expected-error @+1 {{schedule nr must be from 1 to 32, got 33}}
func.func private @schedule_nr() attributes {a = #attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 33>}

// -----

// expected-error @+1 {{schedule splitKeys must be from 0 to 2147483647, got 2147483648}}
func.func private @schedule_splitKeys() attributes {a = #attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3, splitKeys = 2147483648>}

// -----

// expected-error @+1 {{schedule items must be from 1 to 65536, got 65537}}
func.func private @schedule_items() attributes {a = #attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3, items = 65537>}

// -----

// expected-error @+1 {{schedule rows must be from 1 to 4096, got 4097}}
func.func private @contraction_schedule_rows() attributes {a = #attn.contraction_schedule<rows = 4097, depth = 64, panels = 2, lanes = 16, mr = 8, nr = 3>}

// -----

// expected-error @+1 {{schedule depth must be from 1 to 4096, got 4097}}
func.func private @contraction_schedule_depth() attributes {a = #attn.contraction_schedule<rows = 48, depth = 4097, panels = 2, lanes = 16, mr = 8, nr = 3>}

// -----

// expected-error @+1 {{schedule panels must be from 1 to 1048576, got 1048577}}
func.func private @contraction_schedule_panels() attributes {a = #attn.contraction_schedule<rows = 48, depth = 64, panels = 1048577, lanes = 16, mr = 8, nr = 3>}

// -----

// expected-error @+1 {{schedule lanes must be from 1 to 64, got 65}}
func.func private @contraction_schedule_lanes() attributes {a = #attn.contraction_schedule<rows = 48, depth = 64, panels = 2, lanes = 65, mr = 8, nr = 3>}

// -----

// expected-error @+1 {{schedule mr must be from 1 to 32, got 33}}
func.func private @contraction_schedule_mr() attributes {a = #attn.contraction_schedule<rows = 48, depth = 64, panels = 2, lanes = 16, mr = 33, nr = 3>}

// -----

// expected-error @+1 {{schedule nr must be from 1 to 32, got 33}}
func.func private @contraction_schedule_nr() attributes {a = #attn.contraction_schedule<rows = 48, depth = 64, panels = 2, lanes = 16, mr = 8, nr = 33>}

// -----

// expected-error @+1 {{schedule lanes must be 16 with bf16_pairs, got 8}}
func.func private @contraction_schedule_pairs() attributes {a = #attn.contraction_schedule<rows = 48, depth = 64, panels = 2, lanes = 8, mr = 8, nr = 3, instruction = bf16_pairs>}

// -----

// expected-error @+1 {{schedule rows must be from 1 to 2147483647, got 2147483648}}
func.func private @norm_schedule_rows() attributes {a = #attn.norm_schedule<rows = 2147483648, lanes = 16, unroll = 4, stream = 1024>}

// -----

// expected-error @+1 {{schedule lanes must be from 1 to 64, got 65}}
func.func private @norm_schedule_lanes() attributes {a = #attn.norm_schedule<rows = 4, lanes = 65, unroll = 4, stream = 1024>}

// -----

// expected-error @+1 {{schedule unroll must be from 1 to 32, got 33}}
func.func private @norm_schedule_unroll() attributes {a = #attn.norm_schedule<rows = 4, lanes = 16, unroll = 33, stream = 1024>}

// -----

// expected-error @+1 {{schedule panel must be from 0 to 1048576, got 1048577}}
func.func private @norm_schedule_panel() attributes {a = #attn.norm_schedule<rows = 4, lanes = 16, unroll = 4, stream = 1024, panel = 1048577>}

// -----

// expected-error @+1 {{schedule chunk must be from 0 to 2147483647, got 2147483648}}
func.func private @norm_schedule_chunk() attributes {a = #attn.norm_schedule<rows = 4, lanes = 16, unroll = 4, stream = 1024, chunk = 2147483648, panel = 64>}

// -----

// expected-error @+1 {{schedule stream must be from 0 to 9223372036854775807, got -1}}
func.func private @norm_schedule_stream() attributes {a = #attn.norm_schedule<rows = 4, lanes = 16, unroll = 4, stream = -1>}

// -----

// expected-error @+1 {{schedule rows must be from 1 to 4096, got 4097}}
func.func private @position_schedule_rows() attributes {a = #attn.position_schedule<rows = 4097, lanes = 16, stream = 1024>}

// -----

// expected-error @+1 {{schedule lanes must be from 1 to 64, got 65}}
func.func private @position_schedule_lanes() attributes {a = #attn.position_schedule<rows = 4, lanes = 65, stream = 1024>}

// -----

// expected-error @+1 {{schedule stream must be from 0 to 9223372036854775807, got -1}}
func.func private @position_schedule_stream() attributes {a = #attn.position_schedule<rows = 4, lanes = 16, stream = -1>}

// -----

// expected-error @+1 {{schedule rows must be from 1 to 2147483647, got 2147483648}}
func.func private @softmax_schedule_rows() attributes {a = #attn.softmax_schedule<rows = 2147483648, lanes = 16, unroll = 4, stream = 1024, whole = 64, segment = 64>}

// -----

// expected-error @+1 {{schedule lanes must be from 1 to 64, got 65}}
func.func private @softmax_schedule_lanes() attributes {a = #attn.softmax_schedule<rows = 4, lanes = 65, unroll = 4, stream = 1024, whole = 64, segment = 64>}

// -----

// expected-error @+1 {{schedule unroll must be from 1 to 32, got 33}}
func.func private @softmax_schedule_unroll() attributes {a = #attn.softmax_schedule<rows = 4, lanes = 16, unroll = 33, stream = 1024, whole = 64, segment = 64>}

// -----

// expected-error @+1 {{schedule whole must be from 0 to 2147483647, got 2147483648}}
func.func private @softmax_schedule_whole() attributes {a = #attn.softmax_schedule<rows = 4, lanes = 16, unroll = 4, stream = 1024, whole = 2147483648, segment = 64>}

// -----

// expected-error @+1 {{schedule segment must be from 1 to 2147483647, got 2147483648}}
func.func private @softmax_schedule_segment() attributes {a = #attn.softmax_schedule<rows = 4, lanes = 16, unroll = 4, stream = 1024, whole = 64, segment = 2147483648>}

// -----

// expected-error @+1 {{schedule stream must be from 0 to 9223372036854775807, got -1}}
func.func private @softmax_schedule_stream() attributes {a = #attn.softmax_schedule<rows = 4, lanes = 16, unroll = 4, stream = -1, whole = 64, segment = 64>}

// -----

// expected-error @+1 {{schedule chunks must be from 1 to 2147483647, got 2147483648}}
func.func private @statistics_schedule_chunks() attributes {a = #attn.statistics_schedule<chunks = 2147483648, lines = 4, columns = 64, lanes = 8, unroll = 4>}

// -----

// expected-error @+1 {{schedule lines must be from 1 to 2147483647, got 2147483648}}
func.func private @statistics_schedule_lines() attributes {a = #attn.statistics_schedule<chunks = 8, lines = 2147483648, columns = 64, lanes = 8, unroll = 4>}

// -----

// expected-error @+1 {{schedule columns must be from 1 to 2147483647, got 2147483648}}
func.func private @statistics_schedule_columns() attributes {a = #attn.statistics_schedule<chunks = 8, lines = 4, columns = 2147483648, lanes = 8, unroll = 4>}

// -----

// expected-error @+1 {{schedule lanes must be from 1 to 64, got 65}}
func.func private @statistics_schedule_lanes() attributes {a = #attn.statistics_schedule<chunks = 8, lines = 4, columns = 64, lanes = 65, unroll = 4>}

// -----

// expected-error @+1 {{schedule unroll must be from 1 to 32, got 33}}
func.func private @statistics_schedule_unroll() attributes {a = #attn.statistics_schedule<chunks = 8, lines = 4, columns = 64, lanes = 8, unroll = 33>}

// -----

// A register tile is unrolled.
// expected-error @+1 {{schedule mr * nr * lanes must be at most 2048, got 3072}}
func.func private @tile() attributes {a = #attn.schedule<rows = 96, keys = 64, lanes = 16, mr = 32, nr = 6>}

// -----

// expected-error @+1 {{schedule mr * nr * lanes must be at most 2048, got 3072}}
func.func private @product_tile() attributes {a = #attn.contraction_schedule<rows = 96, depth = 64, panels = 2, lanes = 16, mr = 32, nr = 6>}

// -----

// A block of columns is what a work item goes over.
// expected-error @+1 {{schedule panels * nr * lanes must be at most 1048576, got 1048608}}
func.func private @columns() attributes {a = #attn.contraction_schedule<rows = 8, depth = 1, panels = 32769, lanes = 16, mr = 8, nr = 2>}

// -----

// The panels of one step stand in scratch.
// expected-error @+1 {{schedule depth * panels * nr * lanes * parts must be at most 33554432, got 67108864}}
func.func private @panels() attributes {a = #attn.contraction_schedule<rows = 8, depth = 4096, panels = 512, lanes = 16, mr = 8, nr = 2>}

// -----

// A pair of bf16 stands in each lane of the one vector that the instruction has.
// expected-error @+1 {{schedule lanes must be 16 with bf16_pairs, got 8}}
func.func private @pair_lanes() attributes {a = #attn.schedule<rows = 48, keys = 64, lanes = 8, mr = 8, nr = 3, instruction = bf16_pairs>}

// -----

// expected-error @+1 {{schedule operands must be left out with bf16_pairs, which takes keys and values as they lie, got 'f32'}}
func.func private @pair_operands() attributes {a = #attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3, operands = f32, instruction = bf16_pairs>}

// -----

// expected-error @+1 {{schedule keys (48) must be a multiple of 32 where keys are split and taken in pairs}}
func.func private @pair_keys() attributes {a = #attn.schedule<rows = 4, keys = 48, lanes = 16, mr = 4, nr = 2, splitKeys = 512, instruction = bf16_pairs>}

// -----

// Tiles are whole: 16 rows of 32 terms each.
// expected-error @+1 {{schedule mr must be a multiple of 16 with bf16_tiles, got 24}}
func.func private @tile_rows() attributes {a = #attn.schedule<rows = 64, keys = 96, lanes = 16, mr = 24, nr = 2, instruction = bf16_tiles>}

// -----

// expected-error @+1 {{a register tile of bf16_tiles must fit 8 tiles, and mr = 32 with nr = 3 takes 11}}
func.func private @tile_registers() attributes {a = #attn.schedule<rows = 96, keys = 64, lanes = 16, mr = 32, nr = 3, instruction = bf16_tiles>}

// -----

// expected-error @+1 {{schedule keys (80) must be a multiple of 32 and of mr (16) with bf16_tiles}}
func.func private @tile_keys() attributes {a = #attn.schedule<rows = 64, keys = 80, lanes = 16, mr = 16, nr = 2, instruction = bf16_tiles>}

// -----

// expected-error @+1 {{schedule keys (48) must be a multiple of 32 where keys are split and taken in pairs}}
func.func private @tile_split() attributes {a = #attn.schedule<rows = 4, keys = 48, lanes = 16, mr = 16, nr = 2, splitKeys = 512, instruction = bf16_tiles>}

// -----

// expected-error @+1 {{schedule direct takes an instruction that multiplies vectors, got bf16_tiles}}
func.func private @tile_panels() attributes {a = #attn.contraction_schedule<rows = 64, depth = 64, panels = 1, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, direct = true>}

// -----

// expected-error @+1 {{schedule parts beyond 1 take bf16_tiles, and neither splitKeys nor sumRounded}}
func.func private @parts() attributes {a = #attn.schedule<rows = 64, keys = 64, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, sumRounded = true, parts = 2>}

// -----

// expected-error @+1 {{a register tile of f16_tiles must fit 8 tiles, and mr = 32 with nr = 3 takes 11}}
func.func private @half_tile_registers() attributes {a = #attn.schedule<rows = 96, keys = 64, lanes = 16, mr = 32, nr = 3, instruction = f16_tiles>}

// -----

// expected-error @+1 {{schedule parts beyond 1 take bf16_tiles, and neither splitKeys nor sumRounded}}
func.func private @half_parts() attributes {a = #attn.schedule<rows = 64, keys = 64, lanes = 16, mr = 32, nr = 2, instruction = f16_tiles, parts = 2>}

// -----

// expected-error @+1 {{schedule parts beyond 1 take bf16_tiles, and are not turned}}
func.func private @product_parts() attributes {a = #attn.contraction_schedule<rows = 64, depth = 64, panels = 2, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, turned = true, parts = 2>}

// -----

// expected-error @+1 {{schedule parts must be from 1 to 3, got 4}}
func.func private @most_product_parts() attributes {a = #attn.contraction_schedule<rows = 64, depth = 64, panels = 2, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, parts = 4>}

// -----

func.func @halves_of_bf16(%x: tensor<64x64xbf16>) {
  // expected-error @+1 {{linear_c8: instruction f16_tiles multiplies f16, and the operands are 'bf16'}}
  %0 = attn.linear schedule(#attn.contraction_schedule<rows = 64, depth = 64, panels = 2, lanes = 16, mr = 32, nr = 2, instruction = f16_tiles>)
      ins(%x, %x : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%x : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return
}

// -----

func.func @product_parts_of_bf16(%x: tensor<64x64xbf16>) {
  // expected-error @+1 {{linear_c8: instruction bf16_tiles multiplies parts of f32 or f16, and the operands are 'bf16'}}
  %0 = attn.linear schedule(#attn.contraction_schedule<rows = 64, depth = 64, panels = 2, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, parts = 2>)
      ins(%x, %x : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%x : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return
}

// -----

func.func @parts_that_no_one_allowed(%x: tensor<64x64xf32>) {
  // expected-error @+1 {{linear_c8: a schedule with parts = 2 takes an op that allows them: write {attn.products = #attn.products<bf16x3>}}}
  %0 = attn.linear schedule(#attn.contraction_schedule<rows = 64, depth = 64, panels = 2, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, parts = 2>)
      ins(%x, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%x : tensor<64x64xf32>) -> tensor<64x64xf32>
  return
}

// -----

func.func @fewer_parts(%q: tensor<4x16x32xf32>) {
  // expected-error @+1 {{attention_c17: a schedule with parts = 2 is less exact than the op's products, which take 3}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) products(bf16x6)
      schedule(#attn.schedule<rows = 64, keys = 64, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, parts = 2>)
      ins(%q, %q, %q : tensor<4x16x32xf32>, tensor<4x16x32xf32>, tensor<4x16x32xf32>) outs(%q : tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
  return
}

func.func @more_parts(%q: tensor<4x16x32xf16>) {
  // expected-error @+1 {{attention_c17: a schedule with parts = 3 has more parts than f16 is held by, which is 2}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 64, keys = 64, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, parts = 3>)
      ins(%q, %q, %q : tensor<4x16x32xf16>, tensor<4x16x32xf16>, tensor<4x16x32xf16>) outs(%q : tensor<4x16x32xf16>) -> tensor<4x16x32xf16>
  return
}

// -----

func.func @structured_parts(%x: tensor<64x64xf32>) {
  // expected-error @+1 {{a schedule with parts = 2 takes an op that allows them}}
  %0 = linalg.matmul {attn.contraction = #attn.contraction_schedule<rows = 64, depth = 64, panels = 2, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, parts = 2>}
      ins(%x, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%x : tensor<64x64xf32>) -> tensor<64x64xf32>
  return
}

// -----

// What is no product has none in parts.
func.func @products_of_a_sum(%x: tensor<64x64xf32>) {
  // expected-error @+1 {{attn.products belongs on attn.attention, attn.linear or a structured product}}
  %0 = linalg.add {attn.products = #attn.products<bf16x3>} ins(%x, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%x : tensor<64x64xf32>) -> tensor<64x64xf32>
  return
}

// -----

// expected-error @+1 {{expected bf16x3 or bf16x6, found 'bf16x9'}}
func.func @products(%q: tensor<4x16x32xf32>) { %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) products(bf16x9) ins(%q, %q, %q : tensor<4x16x32xf32>, tensor<4x16x32xf32>, tensor<4x16x32xf32>) outs(%q : tensor<4x16x32xf32>) -> tensor<4x16x32xf32> return }

// -----

// expected-error @+1 {{attn.products belongs on attn.attention, attn.linear or a structured product}}
func.func private @products_of_nothing() attributes {attn.products = #attn.products<bf16x3>}

// -----

// expected-error @+1 {{parts}}
func.func private @most_parts() attributes {a = #attn.schedule<rows = 64, keys = 64, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, parts = 4>}

// -----

func.func @parts_of_bf16(%q: tensor<4x16x32xbf16>) {
  // expected-error @+1 {{attention_c17: the schedule's instruction takes parts of f32 or f16 and makes f32, found 'bf16' and 'f32'}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 64, keys = 64, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, parts = 2>)
      ins(%q, %q, %q : tensor<4x16x32xbf16>, tensor<4x16x32xbf16>, tensor<4x16x32xbf16>) outs(%q : tensor<4x16x32xbf16>) -> tensor<4x16x32xbf16>
  return
}

// -----

// expected-error @+1 {{schedule turned takes the instruction bf16_tiles or f16_tiles, got bf16_pairs}}
func.func private @turned_pairs() attributes {a = #attn.contraction_schedule<rows = 64, depth = 64, panels = 1, lanes = 16, mr = 32, nr = 2, instruction = bf16_pairs, turned = true>}

// -----

func.func @linear_c8_turned(%x: tensor<6x64xbf16>, %w: tensor<64x50xbf16>, %e: tensor<6x50xbf16>) {
  // expected-error @+1 {{linear_c8: a turned schedule takes weight(out_in), whose columns it reads where they lie}}
  %y = attn.linear schedule(#attn.contraction_schedule<rows = 16, depth = 64, panels = 1, lanes = 16, mr = 16, nr = 2, instruction = bf16_tiles, turned = true>)
      ins(%x, %w : tensor<6x64xbf16>, tensor<64x50xbf16>) outs(%e : tensor<6x50xbf16>) -> tensor<6x50xbf16>
  return
}

// -----

// The rows of a packed query have room for whole tiles only where there are 16 of them.
func.func @attention_c17_tiles(%q: tensor<4x16x12xbf16>) {
  // expected-error @+1 {{attention_c17: a schedule with bf16_tiles takes heads of a size of at least 16, found 12}}
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 64, keys = 64, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles>)
      ins(%q, %q, %q : tensor<4x16x12xbf16>, tensor<4x16x12xbf16>, tensor<4x16x12xbf16>)
      outs(%q : tensor<4x16x12xbf16>) -> tensor<4x16x12xbf16>
  return
}

// -----

// expected-error @+1 {{schedule sumRounded takes an instruction that weights are rounded for, got fma}}
func.func private @sum_rounded() attributes {a = #attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3, sumRounded = true>}

// -----

// Pairs are those of the keys and values as they are stored.
func.func @attention_c17_pairs(%q: tensor<4x16x64xf16>) {
  // expected-error @+1 {{attention_c17: the schedule's instruction takes bf16 and makes f32, found 'f16' and 'f32'}}
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3, instruction = bf16_pairs>)
      ins(%q, %q, %q : tensor<4x16x64xf16>, tensor<4x16x64xf16>, tensor<4x16x64xf16>)
      outs(%q : tensor<4x16x64xf16>) -> tensor<4x16x64xf16>
  return
}

// -----

// lse is as exact as f32.
func.func @attention_c17_sum(%q: tensor<4x16x64xbf16>, %l: tensor<4x16xf32>) {
  // expected-error @+1 {{attention_c17: a schedule with sumRounded takes an attention without lse and probes}}
  %o:2 = attn.attention scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3, instruction = bf16_pairs, sumRounded = true>)
      ins(%q, %q, %q : tensor<4x16x64xbf16>, tensor<4x16x64xbf16>, tensor<4x16x64xbf16>)
      outs(%q, %l : tensor<4x16x64xbf16>, tensor<4x16xf32>) -> tensor<4x16x64xbf16>, tensor<4x16xf32>
  return
}

// -----

// Products have operands of the type that they accumulate in.
func.func @attention_c17_operands(%q: tensor<4x16x64xf32>) {
  // expected-error @+1 {{attention_c17: the schedule's operands must be 'f32', the type that products accumulate in, found 'f64'}}
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3, operands = f64>)
      ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>)
      outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return
}

// -----

// The operands of a tile are those of the whole.
#packed = affine_map<(m, n, d, e) -> (d, m)>
#key = affine_map<(m, n, d, e) -> (n, d)>
#value = affine_map<(m, n, d, e) -> (n, e)>
#acc = affine_map<(m, n, d, e) -> (e, m)>
#row = affine_map<(m, n, d, e) -> (m)>
func.func @attention_c17_tile(%q: memref<64x48xf32>, %k: memref<?x64xbf16>, %v: memref<?x64xbf16>,
                              %acc: memref<64x48xf32>, %max: memref<48xf32>, %sum: memref<48xf32>, %i: index) {
  // expected-error@+1 {{attention_c17: the schedule's operands must be 'f32', the type that products accumulate in, found 'bf16'}}
  attn.online_attention packed scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3, operands = bf16>)
      indexing_maps [#packed, #key, #value, #acc, #row, #row]
      origin(%i, %i, %i, %i) sizes(%i, %i, %i, %i)
      ins(%q, %k, %v : memref<64x48xf32>, memref<?x64xbf16>, memref<?x64xbf16>)
      outs(%acc, %max, %sum : memref<64x48xf32>, memref<48xf32>, memref<48xf32>)
  return
}

// -----

// Parts of keys are for a number of rows that is known.
func.func @attention_c17_rows(%q: tensor<4x?x64xf32>, %k: tensor<4x16x64xf32>) {
  // expected-error @+1 {{attention_c17: a schedule with splitKeys takes a known number of rows, and at least one}}
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 1, keys = 64, lanes = 16, mr = 1, nr = 2, splitKeys = 512, items = 4>)
      ins(%q, %k, %k : tensor<4x?x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>)
      outs(%q : tensor<4x?x64xf32>) -> tensor<4x?x64xf32>
  return
}

// -----

// Code for a key goes over all elements of its head.
func.func @attention_c17_split(%q: tensor<4x1x1024xf32>, %k: tensor<4x16x1024xf32>) {
  // expected-error @+1 {{attention_c17: a schedule with splitKeys takes heads of a size of at most 512, found 1024}}
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 1, keys = 64, lanes = 16, mr = 1, nr = 2, splitKeys = 512, items = 4>)
      ins(%q, %k, %k : tensor<4x1x1024xf32>, tensor<4x16x1024xf32>, tensor<4x16x1024xf32>)
      outs(%q : tensor<4x1x1024xf32>) -> tensor<4x1x1024xf32>
  return
}

// -----

func.func @attention_c17_dynamic(%q: tensor<4x1x?xf32>, %k: tensor<4x16x?xf32>) {
  // expected-error @+1 {{attention_c17: a schedule takes heads of a static size of at least 1: without one the op takes the portable path}}
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 1, keys = 64, lanes = 16, mr = 1, nr = 2, splitKeys = 512, items = 4>)
      ins(%q, %k, %k : tensor<4x1x?xf32>, tensor<4x16x?xf32>, tensor<4x16x?xf32>)
      outs(%q : tensor<4x1x?xf32>) -> tensor<4x1x?xf32>
  return
}

// -----

func.func @attention_c17_empty(%q: tensor<4x16x0xf32>) {
  // expected-error @+1 {{attention_c17: a schedule takes heads of a static size of at least 1}}
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>)
      ins(%q, %q, %q : tensor<4x16x0xf32>, tensor<4x16x0xf32>, tensor<4x16x0xf32>)
      outs(%q : tensor<4x16x0xf32>) -> tensor<4x16x0xf32>
  return
}

// -----

// Vectors of a param are loaded along the rows, or the keys.
#query = affine_map<(h, m, n, d, e) -> (h, m, d)>
#key = affine_map<(h, m, n, d, e) -> (h, n, d)>
#value = affine_map<(h, m, n, d, e) -> (h, n, e)>
#scale = affine_map<(h, m, n, d, e) -> (h, m floordiv 4)>
#output = affine_map<(h, m, n, d, e) -> (h, m, e)>
func.func @attention_c17_rows(%q: tensor<2x16x8xf32>, %p: tensor<2x4xf32>) {
  // expected-error @+1 {{attention_c17: a schedule takes no param that several rows or keys share an element of: without one the op takes the portable path}}
  %o = attn.attention scale(#attn.operand) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>)
      indexing_maps [#query, #key, #value, #scale, #output]
      ins(%q, %q, %q : tensor<2x16x8xf32>, tensor<2x16x8xf32>, tensor<2x16x8xf32>) params(%p : tensor<2x4xf32>)
      outs(%q : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
  return
}

// -----

// The heads of a key head are worked on together.
#query = affine_map<(h, m, n, d, e) -> (h, m, d)>
#key = affine_map<(h, m, n, d, e) -> (h floordiv 3, n, d)>
#value = affine_map<(h, m, n, d, e) -> (h floordiv 3, n, e)>
#scale = affine_map<(h, m, n, d, e) -> (h floordiv 2)>
#output = affine_map<(h, m, n, d, e) -> (h, m, e)>
func.func @attention_c17_heads(%q: tensor<6x1x8xf32>, %k: tensor<2x16x8xf32>, %p: tensor<3xf32>) {
  // expected-error @+1 {{attention_c17: a schedule with splitKeys takes params whose groups of heads are cut where the key heads are}}
  %o = attn.attention scale(#attn.learned) softmax(#attn.softmax)
      schedule(#attn.schedule<rows = 3, keys = 64, lanes = 16, mr = 1, nr = 1, splitKeys = 512, items = 4>)
      indexing_maps [#query, #key, #value, #scale, #output]
      ins(%q, %k, %k : tensor<6x1x8xf32>, tensor<2x16x8xf32>, tensor<2x16x8xf32>) params(%p : tensor<3xf32>)
      outs(%q : tensor<6x1x8xf32>) -> tensor<6x1x8xf32>
  return
}

// -----

// A tile of keys cannot tell where its segment began.
func.func @attention_c17_segments(%q: tensor<1x2x1x8xf32>, %k: tensor<1x2x16x8xf32>, %a: tensor<1x1xi32>, %b: tensor<1x16xi32>) {
  // expected-error @+1 {{attention_c17: a schedule with splitKeys takes no scale with n = position beside #attn.segment_ids}}
  %o = attn.attention scale(#attn.log_length<base = 2.0, n = position>) softmax(#attn.softmax)
      align(top_left) masks [#attn.segment_ids]
      schedule(#attn.schedule<rows = 1, keys = 64, lanes = 16, mr = 1, nr = 1, splitKeys = 512, items = 4>)
      ins(%q, %k, %k : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>)
      params(%a, %b : tensor<1x1xi32>, tensor<1x16xi32>)
      outs(%q : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  return
}

// -----

// Where sums wait for the next step, a block of them stands in scratch.
func.func @linear_c7(%x: tensor<6x70xbf16>, %w: tensor<70x50xbf16>, %e: tensor<6x50xbf16>) {
  // expected-error @+1 {{linear_c7: where a block's sums wait for the next terms in scratch, schedule rows * panels * nr * lanes must be at most 33554432, got 67108864}}
  %r = attn.linear schedule(#attn.contraction_schedule<rows = 4096, depth = 64, panels = 512, lanes = 16, mr = 8, nr = 2>)
      ins(%x, %w : tensor<6x70xbf16>, tensor<70x50xbf16>) outs(%e : tensor<6x50xbf16>) -> tensor<6x50xbf16>
  return
}

// -----

// The unit's sums of few rows do so whatever the output's type.
func.func @linear_c7_streams(%x: tensor<6x70xbf16>, %w: tensor<70x50xbf16>, %e: tensor<6x50xf32>) {
  // expected-error @+1 {{linear_c7: where a block's sums wait for the next terms in scratch, schedule rows * panels * nr * lanes must be at most 33554432, got 67108864}}
  %r = attn.linear schedule(#attn.contraction_schedule<rows = 64, depth = 1, panels = 32768, lanes = 16, mr = 16, nr = 2, instruction = bf16_tiles>)
      ins(%x, %w : tensor<6x70xbf16>, tensor<70x50xbf16>) outs(%e : tensor<6x50xf32>) -> tensor<6x50xf32>
  return
}

// -----

func.func @linear_c8(%x: tensor<6x70xf16>, %w: tensor<70x50xf16>, %e: tensor<6x50xf16>) {
  // expected-error @+1 {{linear_c8: instruction bf16_pairs multiplies bf16, and the operands are 'f16'}}
  %r = attn.linear schedule(#attn.contraction_schedule<rows = 8, depth = 70, panels = 2, lanes = 16, mr = 8, nr = 2, instruction = bf16_pairs>)
      ins(%x, %w : tensor<6x70xf16>, tensor<70x50xf16>) outs(%e : tensor<6x50xf16>) -> tensor<6x50xf16>
  return
}

// -----

func.func @schedule_c1_softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{schedule_c1: #attn.norm_schedule is no schedule of this op}}
  %0 = attn.softmax scale(#attn.none) softmax(#attn.softmax) schedule(#attn.norm_schedule<rows = 2, lanes = 8, unroll = 2, stream = 0>)
      ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @schedule_c1_attention(%q: tensor<4x16x64xf32>) -> tensor<4x16x64xf32> {
  // expected-error @+1 {{schedule_c1: #attn.contraction_schedule is no schedule of this op}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      schedule(#attn.contraction_schedule<rows = 8, depth = 64, panels = 2, lanes = 16, mr = 8, nr = 3>)
      ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%q : tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return %0 : tensor<4x16x64xf32>
}

// -----

func.func @schedule_c1_linear(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  // expected-error @+1 {{schedule_c1: #attn.schedule is no schedule of this op}}
  %0 = attn.linear schedule(#attn.schedule<rows = 48, keys = 64, lanes = 16, mr = 8, nr = 3>)
      ins(%x, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%x : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

func.func @schedule_c1_norm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{schedule_c1: #attn.softmax_schedule is no schedule of this op}}
  %0 = attn.norm rms axes [1] eps(1.0e-5) schedule(#attn.softmax_schedule<rows = 2, lanes = 8, unroll = 2, stream = 0, whole = 16, segment = 16>)
      ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @schedule_c1_rope(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{schedule_c1: #attn.norm_schedule is no schedule of this op}}
  %0 = attn.rope schedule(#attn.norm_schedule<rows = 2, lanes = 8, unroll = 2, stream = 0>)
      ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @schedule_c1_statistics(%x: tensor<4x8xf32>, %e: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{schedule_c1: #attn.position_schedule is no schedule of this op}}
  %0 = attn.statistics kurtosis schedule(#attn.position_schedule<rows = 2, lanes = 8, stream = 0>)
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A schedule of a GPU: whole fragments for each warp.
// expected-error @+1 {{schedule rows (72) must be a multiple of 16 for each warp, and keys (64) one of 16}}
func.func private @gpu_rows() attributes {a = #attn.gpu_attention<rows = 72, keys = 64, warps = 4>}

// -----

// expected-error @+1 {{schedule warps must be from 1 to 32, got 33}}
func.func private @gpu_warps() attributes {a = #attn.gpu_attention<rows = 528, keys = 64, warps = 33>}

// -----

// expected-error @+1 {{schedule blocks must be from 1 to 32, got 33}}
func.func private @gpu_blocks() attributes {a = #attn.gpu_attention<rows = 128, keys = 64, warps = 8, blocks = 33>}

// -----

func.func @attention_c17_gpu(%q: tensor<4x128x272xf16>) {
  // expected-error @+1 {{attention_c17: a schedule of a GPU takes heads of a size of at most 256, found 272}}
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      schedule(#attn.gpu_attention<rows = 128, keys = 64, warps = 8>)
      ins(%q, %q, %q : tensor<4x128x272xf16>, tensor<4x128x272xf16>, tensor<4x128x272xf16>)
      outs(%q : tensor<4x128x272xf16>) -> tensor<4x128x272xf16>
  return
}

// -----

func.func @gpu_stages(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  // expected-error @+1 {{schedule with several stages has 2 or 3 groups of 4 warps, 16 rows a warp, and all keys}}
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) schedule(#attn.gpu_attention<rows = 64, keys = 64, warps = 4, stages = 2>)
      ins(%x, %x, %x : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%x : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}

// -----

func.func @schedule_c1_gpu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{schedule_c1: #attn.gpu_attention is no schedule of this op}}
  %0 = attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(1) schedule(#attn.gpu_attention<rows = 128, keys = 64, warps = 8>)
      ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// expected-error @+1 {{schedule width must be a power of two, got 3}}
func.func private @gpu_width() attributes {a = #attn.gpu_rows<rowWarps = 1, blockWarps = 4, width = 3>}

// -----

// expected-error @+1 {{schedule width must be 1 where rows are strided, got 4}}
func.func private @gpu_strided() attributes {a = #attn.gpu_rows<rowWarps = 1, blockWarps = 4, width = 4, strided = true>}

// -----

// A warp's part is whole fragments.
// expected-error @+1 {{schedule rows (128) and columns (64) must be multiples of 16 for each warp, and depth (32) one of 16}}
func.func private @gpu_product() attributes {a = #attn.gpu_product<rows = 128, columns = 64, depth = 32, rowWarps = 2, columnWarps = 8>}

// -----

// expected-error @+1 {{schedule rowWarps * columnWarps must be at most 32, got 64}}
func.func private @gpu_product_warps() attributes {a = #attn.gpu_product<rows = 128, columns = 128, depth = 32, rowWarps = 8, columnWarps = 8>}

// -----

// expected-error @+1 {{schedule columns (192) must be a multiple of 64 for each block of a cluster (2), a power of two}}
func.func private @gpu_product_cluster() attributes {a = #attn.gpu_product<rows = 128, columns = 192, depth = 64, rowWarps = 8, columnWarps = 1, cluster = 2>}

// -----

// expected-error @+1 {{schedule columns (192) must be a multiple of 64 for each block of a cluster (3), a power of two}}
func.func private @gpu_product_cluster_of_three() attributes {a = #attn.gpu_product<rows = 128, columns = 192, depth = 64, rowWarps = 8, columnWarps = 1, cluster = 3>}

// -----

// expected-error @+1 {{schedule rows * columns must be at most 2048, got 4096}}
func.func private @gpu_dots() attributes {a = #attn.gpu_dots<rows = 64, columns = 64, blockWarps = 4>}

// -----

func.func @schedule_c1_product(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{schedule_c1: #attn.gpu_product is no schedule of this op}}
  %0 = attn.softmax scale(#attn.none) softmax(#attn.softmax) dim(1) schedule(#attn.gpu_product<rows = 64, columns = 64, depth = 32, rowWarps = 2, columnWarps = 2>)
      ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Each number of a schedule of a GPU, one past its most.
// expected-error @+1 {{schedule rows must be from 1 to 4096, got 4097}}
func.func private @most_gpu_attention_rows() attributes {a = #attn.gpu_attention<rows = 4097, keys = 64, warps = 8>}

// -----

// expected-error @+1 {{schedule keys must be from 1 to 256, got 257}}
func.func private @most_gpu_attention_keys() attributes {a = #attn.gpu_attention<rows = 128, keys = 257, warps = 8>}

// -----

// expected-error @+1 {{schedule stages must be from 1 to 8, got 9}}
func.func private @most_gpu_attention_stages() attributes {a = #attn.gpu_attention<rows = 128, keys = 64, warps = 8, stages = 9>}

// -----

// expected-error @+1 {{schedule splitKeys must be from 0 to 2147483647, got 2147483648}}
func.func private @most_gpu_attention_splitKeys() attributes {a = #attn.gpu_attention<rows = 128, keys = 64, warps = 8, splitKeys = 2147483648>}

// -----

// expected-error @+1 {{schedule items must be from 1 to 65536, got 65537}}
func.func private @most_gpu_attention_items() attributes {a = #attn.gpu_attention<rows = 128, keys = 64, warps = 8, items = 65537>}

// -----

// expected-error @+1 {{schedule rowWarps must be from 1 to 32, got 33}}
func.func private @most_gpu_rows_rowWarps() attributes {a = #attn.gpu_rows<rowWarps = 33, blockWarps = 4, width = 4>}

// -----

// expected-error @+1 {{schedule blockWarps must be from 1 to 32, got 33}}
func.func private @most_gpu_rows_blockWarps() attributes {a = #attn.gpu_rows<rowWarps = 1, blockWarps = 33, width = 4>}

// -----

// expected-error @+1 {{schedule pieces must be from 0 to 64, got 65}}
func.func private @most_gpu_rows_pieces() attributes {a = #attn.gpu_rows<rowWarps = 1, blockWarps = 4, width = 4, pieces = 65>}

// -----

// expected-error @+1 {{schedule chunk must be from 0 to 2147483647, got 2147483648}}
func.func private @most_gpu_rows_chunk() attributes {a = #attn.gpu_rows<rowWarps = 1, blockWarps = 4, width = 4, chunk = 2147483648>}

// -----

// expected-error @+1 {{schedule rows must be from 1 to 4096, got 4097}}
func.func private @most_gpu_product_rows() attributes {a = #attn.gpu_product<rows = 4097, columns = 64, depth = 32, rowWarps = 2, columnWarps = 2>}

// -----

// expected-error @+1 {{schedule columns must be from 1 to 4096, got 4097}}
func.func private @most_gpu_product_columns() attributes {a = #attn.gpu_product<rows = 128, columns = 4097, depth = 32, rowWarps = 2, columnWarps = 2>}

// -----

// expected-error @+1 {{schedule depth must be from 1 to 256, got 257}}
func.func private @most_gpu_product_depth() attributes {a = #attn.gpu_product<rows = 128, columns = 64, depth = 257, rowWarps = 2, columnWarps = 2>}

// -----

// expected-error @+1 {{schedule rowWarps must be from 1 to 32, got 33}}
func.func private @most_gpu_product_rowWarps() attributes {a = #attn.gpu_product<rows = 128, columns = 64, depth = 32, rowWarps = 33, columnWarps = 2>}

// -----

// expected-error @+1 {{schedule columnWarps must be from 1 to 32, got 33}}
func.func private @most_gpu_product_columnWarps() attributes {a = #attn.gpu_product<rows = 128, columns = 64, depth = 32, rowWarps = 2, columnWarps = 33>}

// -----

// expected-error @+1 {{schedule stages must be from 1 to 8, got 9}}
func.func private @most_gpu_product_stages() attributes {a = #attn.gpu_product<rows = 128, columns = 64, depth = 32, rowWarps = 2, columnWarps = 2, stages = 9>}

// -----

// expected-error @+1 {{schedule cluster must be from 1 to 8, got 9}}
func.func private @most_gpu_product_cluster() attributes {a = #attn.gpu_product<rows = 128, columns = 64, depth = 32, rowWarps = 2, columnWarps = 2, cluster = 9>}

// -----

// expected-error @+1 {{schedule rows must be from 1 to 64, got 65}}
func.func private @most_gpu_dots_rows() attributes {a = #attn.gpu_dots<rows = 65, columns = 4, blockWarps = 4>}

// -----

// expected-error @+1 {{schedule columns must be from 1 to 64, got 65}}
func.func private @most_gpu_dots_columns() attributes {a = #attn.gpu_dots<rows = 4, columns = 65, blockWarps = 4>}

// -----

// expected-error @+1 {{schedule blockWarps must be from 1 to 32, got 33}}
func.func private @most_gpu_dots_blockWarps() attributes {a = #attn.gpu_dots<rows = 4, columns = 4, blockWarps = 33>}
