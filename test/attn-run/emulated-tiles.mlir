// --emulator=amx computes tiles in software, counts what they do and finds faults.
//
// REQUIRES: avx512bf16
// UNSUPPORTED: amx
// DEFINE: %{exit} = %python %S/Inputs/exit_code.py
// DEFINE: %{run} = attn-run %s --target=cpu:x86-64-v4-amx --emulator=amx

// RUN: %{run} --entry=good --threads=2 --remarks --json=%t.json | FileCheck %s --check-prefix=GOOD --implicit-check-not=FAULTS
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// GOOD: good: cpu:x86-64-v4-amx
// GOOD-NEXT: emulated tiles: 4 configurations, 4 releases, 4 zeros, 0 loads, 0 products, 0 stores
// JSON: "emulated_tiles": {
// JSON-NEXT: "configurations": 4,
// JSON: "faults": 0

// RUN: %{exit} 1 %{run} --entry=wrong --json=%t.json | FileCheck %s --check-prefix=WRONG --implicit-check-not=emulated
// RUN: FileCheck %s --check-prefix=FAULT --input-file=%t.json
// WRONG: FAULTS of tiles: 4, the first one: tilezero tmm3 at 0x{{[0-9a-f]+}}: the tiles are not configured
// FAULT: "faults": 4,
// FAULT-NEXT: "first_fault": "tilezero tmm3 at 0x{{.*}}: the tiles are not configured"

// RUN: %{exit} 1 %{run} --entry=left | FileCheck %s --check-prefix=LEFT
// LEFT: FAULTS of tiles: 1, the first one: the tiles are configured at the end of a call: tilerelease is missing

// What has no tiles, and what says nothing of this emulator.
// RUN: %{exit} 2 attn-run %s --entry=good --emulator=amx 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: %{exit} 2 attn-run %s --entry=good --emulator=amx --target=cpu:aarch64 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: %{exit} 2 attn-run %s --entry=good --target=cpu:x86-64-v4-amx 2>&1 | FileCheck %s --check-prefix=HOST
// TARGET: attn-run: error: --emulator=amx: target 'cpu' has no tiles; --target=cpu:x86-64-v4-amx has
// OTHER: attn-run: error: --emulator=amx: target 'cpu:aarch64' has no tiles
// HOST: attn-run: error: this machine cannot run code for 'cpu:x86-64-v4-amx': it lacks amx-bf16, amx-tile; attn-run --emulator=amx runs it

#id = affine_map<(i) -> (i)>

func.func @good(%x: tensor<4xf32>) -> tensor<4xf32> {
  %init = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = llvm.inline_asm ".pushsection .rodata; .balign 64; 1: .byte 1; .zero 15; .short 64; .zero 30; .byte 16; .zero 15; .popsection; ldtilecfg 1b(%rip); tilezero %tmm0; tilerelease", "=x,0" %a : (f32) -> f32
    linalg.yield %b : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func @wrong(%x: tensor<4xf32>) -> tensor<4xf32> {
  %init = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = llvm.inline_asm "tilezero %tmm3", "=x,0" %a : (f32) -> f32
    linalg.yield %b : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func @left(%x: tensor<4xf32>) -> tensor<4xf32> {
  %init = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = llvm.inline_asm ".pushsection .rodata; .balign 64; 1: .byte 1; .zero 15; .short 64; .zero 30; .byte 16; .zero 15; .popsection; ldtilecfg 1b(%rip)", "=x,0" %a : (f32) -> f32
    linalg.yield %b : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
