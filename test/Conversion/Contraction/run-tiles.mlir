// Products of bf16 on the tile unit, in software where the machine has none: the numbers where tiles, panels and steps end,
// where there is nothing to multiply, and where some of it is not finite. What is not configured, or reads where it must
// not, is a fault. The result has the same bits for any number of threads.

// REQUIRES: avx512bf16
// DEFINE: %{options} = --target=cpu:x86-64-v4-amx --emulator=amx --remarks --check
// DEFINE: %{pairs} = attn-run %S/run-pairs.mlir %{options}
// RUN: %{pairs} --entry=layers | FileCheck %s --check-prefixes=UNIT,SIX
// RUN: %{pairs} --entry=batches | FileCheck %s --check-prefixes=UNIT,THREE
// RUN: %{pairs} --entry=no_numbers | FileCheck %s --check-prefix=THREE
// RUN: %{pairs} --entry=not_finite | FileCheck %s --check-prefixes=UNIT,THREE
// RUN: %{pairs} --entry=constants | FileCheck %s --check-prefixes=UNIT,TWO
// RUN: %{pairs} --entry=unknown_sizes --shape=0:37x131 --shape=1:75x131 --shape=2:131x75 --shape=3:37x75 | FileCheck %s --check-prefixes=UNIT,TWO
// RUN: %{pairs} --entry=unknown_sizes --shape=0:64x1 --shape=1:130x1 --shape=2:1x130 --shape=3:64x130 | FileCheck %s --check-prefixes=UNIT,TWO
// RUN: %{pairs} --entry=unknown_sizes --shape=0:37x0 --shape=1:75x0 --shape=2:0x75 --shape=3:37x75 | FileCheck %s --check-prefixes=UNIT,TWO
// RUN: attn-run %s %{options} --entry=steps | FileCheck %s --check-prefixes=UNIT,THREE
// RUN: attn-run %s %{options} --entry=shapes | FileCheck %s --check-prefixes=UNIT,THREE
// RUN: mkdir -p %t
// RUN: attn-run %s --target=cpu:x86-64-v4-amx --emulator=amx --entry=steps --threads=1 --output=%t/1.npz
// RUN: attn-run %s --target=cpu:x86-64-v4-amx --emulator=amx --entry=steps --threads=5 --output=%t/5.npz
// RUN: cmp %t/1.npz %t/5.npz
// UNIT: {{emulated tiles: [1-9][0-9]* configurations|tiles of this machine}}
// UNIT-NOT: FAULTS
// TWO-COUNT-2: match
// THREE-COUNT-3: match
// SIX-COUNT-6: match

// Several steps over the terms, of which the last is short: sums wait in scratch, or in the output. An epilogue with an
// extra of each row, and rows that do not fill the last tile. The second layer takes all terms in one step, in parts.
func.func @steps(%x: tensor<45x1107xbf16>, %w: tensor<1107x75xbf16>, %u: tensor<75x1107xbf16>, %b: tensor<75xbf16>, %r: tensor<45x75xbf16>)
    -> (tensor<45x75xbf16>, tensor<45x75xf32>, tensor<45x75xf32>) {
  %e0 = tensor.empty() : tensor<45x75xbf16>
  %e1 = tensor.empty() : tensor<45x75xf32>
  %0 = attn.linear schedule(#attn.contraction_schedule<rows = 64, depth = 512, panels = 2, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles>)
      ins(%x, %w, %b : tensor<45x1107xbf16>, tensor<1107x75xbf16>, tensor<75xbf16>) extras(%r : tensor<45x75xbf16>)
      outs(%e0 : tensor<45x75xbf16>) epilogue {
  ^bb0(%s: f32, %residual: f32):
    %g = attn.activation gelu %s : f32
    %a = arith.addf %g, %residual : f32
    attn.yield %a : f32
  } -> tensor<45x75xbf16>
  %1 = attn.linear ins(%x, %w : tensor<45x1107xbf16>, tensor<1107x75xbf16>) outs(%e1 : tensor<45x75xf32>) -> tensor<45x75xf32>
  %2 = attn.linear weight(out_in) schedule(#attn.contraction_schedule<rows = 64, depth = 512, panels = 2, lanes = 16, mr = 32, nr = 2, instruction = bf16_tiles>)
      ins(%x, %u : tensor<45x1107xbf16>, tensor<75x1107xbf16>) outs(%e1 : tensor<45x75xf32>) -> tensor<45x75xf32>
  return %0, %1, %2 : tensor<45x75xbf16>, tensor<45x75xf32>, tensor<45x75xf32>
}

// Register tiles of another form: one tile of rows by two, by three, and two by one.
func.func @shapes(%x: tensor<45x70xbf16>, %w: tensor<70x75xbf16>) -> (tensor<45x75xf32>, tensor<45x75xf32>, tensor<45x75xf32>) {
  %e = tensor.empty() : tensor<45x75xf32>
  %0 = attn.linear schedule(#attn.contraction_schedule<rows = 16, depth = 64, panels = 2, lanes = 16, mr = 16, nr = 2, instruction = bf16_tiles>)
      ins(%x, %w : tensor<45x70xbf16>, tensor<70x75xbf16>) outs(%e : tensor<45x75xf32>) -> tensor<45x75xf32>
  %1 = attn.linear schedule(#attn.contraction_schedule<rows = 48, depth = 40, panels = 1, lanes = 16, mr = 16, nr = 3, instruction = bf16_tiles>)
      ins(%x, %w : tensor<45x70xbf16>, tensor<70x75xbf16>) outs(%e : tensor<45x75xf32>) -> tensor<45x75xf32>
  %2 = attn.linear schedule(#attn.contraction_schedule<rows = 32, depth = 70, panels = 5, lanes = 16, mr = 32, nr = 1, instruction = bf16_tiles>)
      ins(%x, %w : tensor<45x70xbf16>, tensor<70x75xbf16>) outs(%e : tensor<45x75xf32>) -> tensor<45x75xf32>
  return %0, %1, %2 : tensor<45x75xf32>, tensor<45x75xf32>, tensor<45x75xf32>
}
