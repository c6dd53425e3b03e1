// Few rows on the tile unit, in software where the machine has none, against the f64 oracle: more rows than a tile has;
// ranges that end in the middle of a tile of keys, at once or nowhere; heads that are no whole number of terms; keys that
// are turned first; a hidden key whose value is no number. The result has the same bits for any number of threads.

// REQUIRES: avx512bf16
// DEFINE: %{options} = --target=cpu:x86-64-v4-amx --emulator=amx --check
// RUN: attn-run %s %{options} --entry=heads --shape=1:2x1x59 --shape=2:2x1x40 | FileCheck %s
// RUN: attn-run %s %{options} --entry=heads --shape=1:2x1531x59 --shape=2:2x1531x40 | FileCheck %s
// RUN: attn-run %s %{options} --entry=heads --shape=1:2x0x59 --shape=2:2x0x40 | FileCheck %s
// RUN: attn-run %s %{options} --entry=group --shape=1:1x1031x64 --shape=2:1x1031x64 | FileCheck %s
// RUN: attn-run %s %{options} --entry=group --shape=1:1x1024x64 --shape=2:1x1024x64 | FileCheck %s
// RUN: attn-run %s %{options} --entry=turned --shape=1:1x77x64 --shape=2:1x77x64 | FileCheck %s
// RUN: attn-run %s %{options} --entry=hidden | FileCheck %s
// RUN: attn-run %s --target=cpu:x86-64-v4-amx --emulator=amx --entry=heads --shape=1:2x1531x59 --shape=2:2x1531x40 --threads=1 --output=%t.1.npz
// RUN: attn-run %s --target=cpu:x86-64-v4-amx --emulator=amx --entry=heads --shape=1:2x1531x59 --shape=2:2x1531x40 --threads=5 --output=%t.5.npz
// RUN: cmp %t.1.npz %t.5.npz
// CHECK: kernel {{.*}}#attn.schedule{{.*}}splitKeys{{.*}}bf16_tiles
// CHECK: out0 against f64 reference: match
// CHECK-NOT: MISMATCH
// CHECK-NOT: FAULTS

// 21 rows of one key head: a tile and five.
func.func @heads(%q: tensor<14x3x59xbf16>, %k: tensor<2x?x59xbf16>, %v: tensor<2x?x40xbf16>) -> (tensor<14x3x40xbf16>, tensor<14x3xf32>) {
  %init = tensor.empty() : tensor<14x3x40xbf16>
  %lse_init = tensor.empty() : tensor<14x3xf32>
  %o, %lse = attn.attention scale(#attn.log_length<base = 512.0, n = visible>) softmax(#attn.softmax1)
      align(bottom_right) masks [#attn.causal]
      ins(%q, %k, %v : tensor<14x3x59xbf16>, tensor<2x?x59xbf16>, tensor<2x?x40xbf16>)
      outs(%init, %lse_init : tensor<14x3x40xbf16>, tensor<14x3xf32>) -> tensor<14x3x40xbf16>, tensor<14x3xf32>
  return %o, %lse : tensor<14x3x40xbf16>, tensor<14x3xf32>
}

func.func @group(%q: tensor<8x1x64xbf16>, %k: tensor<1x?x64xbf16>, %v: tensor<1x?x64xbf16>) -> tensor<8x1x64xbf16> {
  %init = tensor.empty() : tensor<8x1x64xbf16>
  %o = attn.attention scale(#attn.inv_sqrt_dim)
      similarity(#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<8x1x64xbf16>, tensor<1x?x64xbf16>, tensor<1x?x64xbf16>)
      outs(%init : tensor<8x1x64xbf16>) -> tensor<8x1x64xbf16>
  return %o : tensor<8x1x64xbf16>
}

// Scores of turned keys are made of f32, and only their values by the unit.
func.func @turned(%q: tensor<2x1x64xbf16>, %k: tensor<1x?x64xbf16>, %v: tensor<1x?x64xbf16>) -> tensor<2x1x64xbf16> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %k, %c1 : tensor<1x?x64xbf16>
  %keys_init = tensor.empty(%n) : tensor<1x?x64xbf16>
  %keys = attn.rope ins(%k : tensor<1x?x64xbf16>) outs(%keys_init : tensor<1x?x64xbf16>) -> tensor<1x?x64xbf16>
  %init = tensor.empty() : tensor<2x1x64xbf16>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %keys, %v : tensor<2x1x64xbf16>, tensor<1x?x64xbf16>, tensor<1x?x64xbf16>)
      outs(%init : tensor<2x1x64xbf16>) -> tensor<2x1x64xbf16>
  return %o : tensor<2x1x64xbf16>
}

// Key 41 is hidden and its value NaN; the other keys of its block are seen.
func.func @hidden(%q: tensor<5x1x64xbf16>, %k: tensor<1x70x64xbf16>, %v: tensor<1x70x72xbf16>) -> tensor<5x1x72xbf16> {
  %nan = arith.constant dense<0x7FC0> : tensor<1x1x72xbf16>
  %values = tensor.insert_slice %nan into %v[0, 41, 0] [1, 1, 72] [1, 1, 1] : tensor<1x1x72xbf16> into tensor<1x70x72xbf16>
  %all = arith.constant dense<true> : tensor<70xi1>
  %false = arith.constant false
  %c41 = arith.constant 41 : index
  %mask = tensor.insert %false into %all[%c41] : tensor<70xi1>
  %init = tensor.empty() : tensor<5x1x72xbf16>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.dense_mask]
      indexing_maps [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (0, n, d)>,
                     affine_map<(h, m, n, d, e) -> (0, n, e)>, affine_map<(h, m, n, d, e) -> (n)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
      ins(%q, %k, %values : tensor<5x1x64xbf16>, tensor<1x70x64xbf16>, tensor<1x70x72xbf16>) params(%mask : tensor<70xi1>)
      outs(%init : tensor<5x1x72xbf16>) -> tensor<5x1x72xbf16>
  return %o : tensor<5x1x72xbf16>
}
