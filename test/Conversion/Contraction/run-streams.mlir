// Few rows on the tile unit, in software where the machine has none: the right operand is read a few of its rows at a time,
// and the sums of all columns wait. Rows that fill no tile, terms that fill no step, columns that fill no panel, panels that
// fill no group; sums that start from something; several parts of each number; sizes that are not known, and no terms at
// all. The result has the same bits for any number of threads.

// REQUIRES: avx512bf16
// DEFINE: %{options} = --target=cpu:x86-64-v4-amx --emulator=amx --check --remarks
// RUN: attn-run %s %{options} --entry=layers | FileCheck %s --check-prefixes=UNIT,STREAMED,THREE
// RUN: attn-run %s %{options} --entry=panels | FileCheck %s --check-prefixes=UNIT,THREE
// RUN: attn-run %s %{options} --entry=in_parts | FileCheck %s --check-prefixes=UNIT,TWO
// RUN: attn-run %s %{options} --entry=unknown --shape=0:12x200 --shape=1:200x77 --shape=2:12x77 | FileCheck %s --check-prefixes=UNIT,ONE
// RUN: attn-run %s %{options} --entry=unknown --shape=0:12x64 --shape=1:64x300 --shape=2:12x300 | FileCheck %s --check-prefixes=UNIT,ONE
// RUN: attn-run %s %{options} --entry=unknown --shape=0:12x1 --shape=1:1x130 --shape=2:12x130 | FileCheck %s --check-prefixes=UNIT,ONE
// RUN: attn-run %s %{options} --entry=unknown --shape=0:12x0 --shape=1:0x77 --shape=2:12x77 | FileCheck %s --check-prefixes=UNIT,ONE
// RUN: attn-run %s --target=cpu:x86-64-v4-amx --emulator=amx --entry=layers --threads=1 --output=%t.1.npz
// RUN: attn-run %s --target=cpu:x86-64-v4-amx --emulator=amx --entry=layers --threads=5 --output=%t.5.npz
// RUN: cmp %t.1.npz %t.5.npz
// UNIT: {{emulated tiles: [1-9][0-9]* configurations|tiles of this machine}}
// UNIT-NOT: FAULTS
// ONE-COUNT-1: match
// TWO-COUNT-2: match
// THREE-COUNT-3: match
// STREAMED: attn-r241{{.*}}<rows = 48, depth = 64, panels = {{[0-9]+}}, lanes = 16, mr = 16, nr = 2, instruction = bf16_tiles>
func.func @layers(%x: tensor<45x331xbf16>, %w: tensor<331x587xbf16>, %b: tensor<587xbf16>, %r: tensor<45x587xbf16>,
                  %y: tensor<3x16x200xbf16>, %u: tensor<3x200x300xbf16>, %start: tensor<3x16x300xf32>)
    -> (tensor<45x587xbf16>, tensor<45x587xf32>, tensor<3x16x300xf32>) {
  %e0 = tensor.empty() : tensor<45x587xbf16>
  %e1 = tensor.empty() : tensor<45x587xf32>
  %0 = attn.linear ins(%x, %w, %b : tensor<45x331xbf16>, tensor<331x587xbf16>, tensor<587xbf16>) extras(%r : tensor<45x587xbf16>)
      outs(%e0 : tensor<45x587xbf16>) epilogue {
  ^bb0(%s: f32, %residual: f32):
    %g = attn.activation gelu %s : f32
    %a = arith.addf %g, %residual : f32
    attn.yield %a : f32
  } -> tensor<45x587xbf16>
  %1 = attn.linear ins(%x, %w : tensor<45x331xbf16>, tensor<331x587xbf16>) outs(%e1 : tensor<45x587xf32>) -> tensor<45x587xf32>
  %2 = linalg.batch_matmul ins(%y, %u : tensor<3x16x200xbf16>, tensor<3x200x300xbf16>) outs(%start : tensor<3x16x300xf32>) -> tensor<3x16x300xf32>
  return %0, %1, %2 : tensor<45x587xbf16>, tensor<45x587xf32>, tensor<3x16x300xf32>
}

// Fewer panels than a group has, two groups of which the last is short, and two tiles of rows for each.
func.func @panels(%x: tensor<45x331xbf16>, %w: tensor<331x587xbf16>) -> (tensor<45x587xf32>, tensor<45x587xbf16>, tensor<45x587xf32>) {
  %e = tensor.empty() : tensor<45x587xf32>
  %f = tensor.empty() : tensor<45x587xbf16>
  %0 = attn.linear schedule(#attn.contraction_schedule<rows = 48, depth = 64, panels = 2, lanes = 16, mr = 16, nr = 2, instruction = bf16_tiles>)
      ins(%x, %w : tensor<45x331xbf16>, tensor<331x587xbf16>) outs(%e : tensor<45x587xf32>) -> tensor<45x587xf32>
  %1 = attn.linear schedule(#attn.contraction_schedule<rows = 64, depth = 96, panels = 6, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles>)
      ins(%x, %w : tensor<45x331xbf16>, tensor<331x587xbf16>) outs(%f : tensor<45x587xbf16>) -> tensor<45x587xbf16>
  %2 = attn.linear schedule(#attn.contraction_schedule<rows = 32, depth = 40, panels = 5, lanes = 16, mr = 32, nr = 1, instruction = bf16_tiles>)
      ins(%x, %w : tensor<45x331xbf16>, tensor<331x587xbf16>) outs(%e : tensor<45x587xf32>) -> tensor<45x587xf32>
  return %0, %1, %2 : tensor<45x587xf32>, tensor<45x587xbf16>, tensor<45x587xf32>
}

func.func @in_parts(%x: tensor<45x331xf32>, %w: tensor<331x203xf32>) -> (tensor<45x203xf32>, tensor<45x203xf32>) {
  %e = tensor.empty() : tensor<45x203xf32>
  %0 = attn.linear schedule(#attn.contraction_schedule<rows = 48, depth = 64, panels = 6, lanes = 16, mr = 16, nr = 2, instruction = bf16_tiles, parts = 2>)
      ins(%x, %w : tensor<45x331xf32>, tensor<331x203xf32>) outs(%e : tensor<45x203xf32>) {attn.products = #attn.products<bf16x3>} -> tensor<45x203xf32>
  %1 = attn.linear schedule(#attn.contraction_schedule<rows = 64, depth = 64, panels = 6, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles, parts = 3>)
      ins(%x, %w : tensor<45x331xf32>, tensor<331x203xf32>) outs(%e : tensor<45x203xf32>) {attn.products = #attn.products<bf16x6>} -> tensor<45x203xf32>
  return %0, %1 : tensor<45x203xf32>, tensor<45x203xf32>
}

func.func @unknown(%x: tensor<12x?xbf16>, %w: tensor<?x?xbf16>, %start: tensor<12x?xf32>) -> tensor<12x?xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<12x?xbf16>, tensor<?x?xbf16>) outs(%start : tensor<12x?xf32>) -> tensor<12x?xf32>
  return %0 : tensor<12x?xf32>
}
