// Products and attention of f16 on the tile unit, of AMX-FP16 and of those that have no more than bf16 and take numbers of
// f16 in two parts, in software where the machine has no tiles, against the f64
// oracle: layers with their weight packed, turned and constant, sizes that end within a tile, several steps over the terms,
// denormal numbers, which this unit multiplies; attention with masks, params, a hidden key whose value is no number, lse, and
// heads that are no whole number of tiles; decoding; infinite operands, of which parts make what they are. The result has
// the same bits for any number of threads.

// REQUIRES: avx512bf16
// DEFINE: %{unit} = --target=cpu:x86-64-v4-amx-fp16 --emulator=amx
// RUN: attn-run %s %{unit} --check --remarks --entry=layers | FileCheck %s --check-prefixes=CHECK,THREE -DNAME=contraction_schedule
// RUN: attn-run %s %{unit} --check --remarks --entry=denormal | FileCheck %s --check-prefixes=CHECK,ONE -DNAME=contraction_schedule
// RUN: attn-run %s %{unit} --check --remarks --entry=attention | FileCheck %s --check-prefixes=CHECK,TWO -DNAME=schedule
// RUN: attn-run %s %{unit} --check --remarks --entry=hidden | FileCheck %s --check-prefixes=CHECK,ONE -DNAME=schedule
// RUN: attn-run %s %{unit} --check --remarks --entry=rows --shape=1:2x1031x64 --shape=2:2x1031x40 | FileCheck %s --check-prefixes=CHECK,ONE -DNAME=schedule
// RUN: attn-run %s %{unit} --check --remarks --entry=rows --shape=1:2x0x64 --shape=2:2x0x40 | FileCheck %s --check-prefix=ONE
// RUN: attn-run %s %{unit} --check --remarks --entry=wide | FileCheck %s --check-prefixes=WIDE,ONE
// RUN: attn-run %s %{unit} --check --remarks --entry=infinite | FileCheck %s --check-prefixes=CHECK,THREE -DNAME=schedule
// DEFINE: %{parts} = --target=cpu:x86-64-v4-amx --emulator=amx
// RUN: attn-run %s %{parts} --check --remarks --entry=layers | FileCheck %s --check-prefixes=PARTS,THREE
// RUN: attn-run %s %{parts} --check --remarks --entry=denormal | FileCheck %s --check-prefixes=PARTS,ONE
// RUN: attn-run %s %{parts} --check --remarks --entry=attention | FileCheck %s --check-prefixes=PARTS,TWO
// RUN: attn-run %s %{parts} --check --remarks --entry=hidden | FileCheck %s --check-prefixes=PARTS,ONE
// RUN: attn-run %s %{parts} --check --remarks --entry=infinite | FileCheck %s --check-prefixes=PARTS,THREE
// PARTS: {{emulated tiles: [1-9][0-9]* configurations|tiles of this machine}}
// PARTS-NOT: FAULTS
// PARTS-NOT: MISMATCH
// RUN: attn-run %s %{unit} --entry=attention --threads=1 --output=%t.1.npz
// RUN: attn-run %s %{unit} --entry=attention --threads=5 --output=%t.5.npz
// RUN: cmp %t.1.npz %t.5.npz
// CHECK: {{emulated tiles: [1-9][0-9]* configurations|tiles of this machine}}
// CHECK-NOT: FAULTS
// CHECK-NOT: MISMATCH
// ONE-COUNT-1: match
// TWO-COUNT-2: match
// THREE-COUNT-3: match
// WIDE: [attn-r242] matrix product as plain loops: its schedule multiplies tiles of f16 into f32
// CHECK: #attn.[[NAME]]<{{.*}}instruction = f16_tiles
// PARTS: schedule<{{.*}}instruction = bf16_tiles, parts = 2>

func.func @layers(%x: tensor<45x1107xf16>, %w: tensor<1107x75xf16>, %y: tensor<21x96xf16>, %u: tensor<50x96xf16>, %b: tensor<75xf16>)
    -> (tensor<45x75xf16>, tensor<21x50xf32>, tensor<21x40xf16>) {
  %0 = tensor.empty() : tensor<45x75xf16>
  %1 = attn.linear ins(%x, %w, %b : tensor<45x1107xf16>, tensor<1107x75xf16>, tensor<75xf16>) outs(%0 : tensor<45x75xf16>) epilogue {
  ^bb0(%value: f32):
    %g = attn.activation gelu %value : f32
    attn.yield %g : f32
  } -> tensor<45x75xf16>
  %2 = tensor.empty() : tensor<21x50xf32>
  %3 = attn.linear weight(out_in) ins(%y, %u : tensor<21x96xf16>, tensor<50x96xf16>) outs(%2 : tensor<21x50xf32>) -> tensor<21x50xf32>
  %constant = arith.constant dense<0.12> : tensor<96x40xf16>
  %4 = tensor.empty() : tensor<21x40xf16>
  %5 = attn.linear ins(%y, %constant : tensor<21x96xf16>, tensor<96x40xf16>) outs(%4 : tensor<21x40xf16>) -> tensor<21x40xf16>
  return %1, %3, %5 : tensor<45x75xf16>, tensor<21x50xf32>, tensor<21x40xf16>
}

func.func @denormal(%x: tensor<32x64xf16>) -> tensor<32x32xf32> {
  %small = arith.constant dense<5.0e-7> : tensor<64x32xf16>
  %0 = tensor.empty() : tensor<32x32xf32>
  %1 = attn.linear ins(%x, %small : tensor<32x64xf16>, tensor<64x32xf16>) outs(%0 : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}

func.func @attention(%q: tensor<1x4x70x72xf16>, %k: tensor<1x2x150x72xf16>, %v: tensor<1x2x150x40xf16>) -> (tensor<1x4x70x40xf16>, tensor<1x4x70xf32>) {
  %init = tensor.empty() : tensor<1x4x70x40xf16>
  %lse_init = tensor.empty() : tensor<1x4x70xf32>
  %o, %lse = attn.attention scale(#attn.log_length<base = 512.0, n = visible>) softmax(#attn.softmax1)
      align(bottom_right) masks [#attn.causal]
      ins(%q, %k, %v : tensor<1x4x70x72xf16>, tensor<1x2x150x72xf16>, tensor<1x2x150x40xf16>)
      outs(%init, %lse_init : tensor<1x4x70x40xf16>, tensor<1x4x70xf32>) -> tensor<1x4x70x40xf16>, tensor<1x4x70xf32>
  return %o, %lse : tensor<1x4x70x40xf16>, tensor<1x4x70xf32>
}

// Key 41 is hidden and its value NaN; the other keys of its block are seen.
func.func @hidden(%q: tensor<1x40x64xf16>, %k: tensor<1x70x64xf16>, %v: tensor<1x70x72xf16>) -> tensor<1x40x72xf16> {
  %nan = arith.constant dense<0x7E00> : tensor<1x1x72xf16>
  %values = tensor.insert_slice %nan into %v[0, 41, 0] [1, 1, 72] [1, 1, 1] : tensor<1x1x72xf16> into tensor<1x70x72xf16>
  %all = arith.constant dense<true> : tensor<70xi1>
  %false = arith.constant false
  %c41 = arith.constant 41 : index
  %mask = tensor.insert %false into %all[%c41] : tensor<70xi1>
  %init = tensor.empty() : tensor<1x40x72xf16>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.dense_mask]
      indexing_maps [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
                     affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (n)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
      ins(%q, %k, %values : tensor<1x40x64xf16>, tensor<1x70x64xf16>, tensor<1x70x72xf16>) params(%mask : tensor<70xi1>)
      outs(%init : tensor<1x40x72xf16>) -> tensor<1x40x72xf16>
  return %o : tensor<1x40x72xf16>
}

func.func @rows(%q: tensor<8x2x64xf16>, %k: tensor<2x?x64xf16>, %v: tensor<2x?x40xf16>) -> tensor<8x2x40xf16> {
  %init = tensor.empty() : tensor<8x2x40xf16>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) masks [#attn.causal]
      ins(%q, %k, %v : tensor<8x2x64xf16>, tensor<2x?x64xf16>, tensor<2x?x40xf16>) outs(%init : tensor<8x2x40xf16>) -> tensor<8x2x40xf16>
  return %o : tensor<8x2x40xf16>
}

func.func @wide(%x: tensor<40x70xf16>, %w: tensor<70x50xf16>, %o: tensor<40x50xf64>) -> tensor<40x50xf64> {
  %0 = linalg.matmul {attn.contraction = #attn.contraction_schedule<rows = 32, depth = 64, panels = 2, lanes = 16, mr = 16, nr = 2, instruction = f16_tiles>}
      ins(%x, %w : tensor<40x70xf16>, tensor<70x50xf16>) outs(%o : tensor<40x50xf64>) -> tensor<40x50xf64>
  return %0 : tensor<40x50xf64>
}

// Similarities of -inf leave keys out, which are none of a softcap; a value and a constant that are infinite make such
// results. 1.5 has no bits for a second part.
func.func @infinite(%q: tensor<1x40x64xf16>, %k: tensor<1x70x64xf16>, %v: tensor<1x70x72xf16>) -> (tensor<1x40x72xf16>, tensor<1x40x72xf16>, tensor<40x48xf32>) {
  %one = arith.constant dense<1.5> : tensor<1x40x1xf16>
  %minus = arith.constant dense<0xFC00> : tensor<1x1x1xf16>
  %queries = tensor.insert_slice %one into %q[0, 0, 5] [1, 40, 1] [1, 1, 1] : tensor<1x40x1xf16> into tensor<1x40x64xf16>
  %keys = tensor.insert_slice %minus into %k[0, 41, 5] [1, 1, 1] [1, 1, 1] : tensor<1x1x1xf16> into tensor<1x70x64xf16>
  %values = tensor.insert_slice %minus into %v[0, 7, 3] [1, 1, 1] [1, 1, 1] : tensor<1x1x1xf16> into tensor<1x70x72xf16>
  %init = tensor.empty() : tensor<1x40x72xf16>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%queries, %keys, %values : tensor<1x40x64xf16>, tensor<1x70x64xf16>, tensor<1x70x72xf16>) outs(%init : tensor<1x40x72xf16>) -> tensor<1x40x72xf16>
  %c = attn.attention scale(#attn.inv_sqrt_dim) softcap(20.0) softmax(#attn.softmax1)
      ins(%queries, %keys, %values : tensor<1x40x64xf16>, tensor<1x70x64xf16>, tensor<1x70x72xf16>) outs(%init : tensor<1x40x72xf16>) -> tensor<1x40x72xf16>
  %x = tensor.extract_slice %queries[0, 0, 0] [1, 40, 64] [1, 1, 1] : tensor<1x40x64xf16> to tensor<40x64xf16>
  %row = arith.constant dense<1.0> : tensor<1x64xf16>
  %large = tensor.insert_slice %row into %x[3, 0] [1, 64] [1, 1] : tensor<1x64xf16> into tensor<40x64xf16>
  %w = arith.constant dense<0x7C00> : tensor<64x48xf16>
  %y_init = tensor.empty() : tensor<40x48xf32>
  %y = attn.linear ins(%large, %w : tensor<40x64xf16>, tensor<64x48xf16>) outs(%y_init : tensor<40x48xf32>) -> tensor<40x48xf32>
  return %o, %c, %y : tensor<1x40x72xf16>, tensor<1x40x72xf16>, tensor<40x48xf32>
}
