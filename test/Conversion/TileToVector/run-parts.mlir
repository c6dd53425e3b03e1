// Attention of f32 and f16 whose numbers are sums of two or three parts of bf16, on the tile unit, in software where the
// machine has none, against the f64 oracle: heads that are no whole number of tiles, keys and rows that end within one,
// masks, params, cosine similarity, a rotation on the way in, lse, and a hidden key whose value is no number. With three
// parts the error is that of f32. Groups of rows of which some see no key of a block, beside others that do. The result has the same bits for any number of threads.

// REQUIRES: avx512bf16
// DEFINE: %{options} = --target=cpu:x86-64-v4-amx --emulator=amx --check
// RUN: attn-run %s %{options} --entry=three | FileCheck %s --check-prefixes=CHECK,TWO -DPARTS=2
// RUN: attn-run %s %{options} --entry=six | FileCheck %s --check-prefixes=CHECK,THREE -DPARTS=3
// RUN: attn-run %s %{options} --entry=half | FileCheck %s --check-prefixes=CHECK,ONE -DPARTS=2
// RUN: attn-run %s %{options} --entry=hidden | FileCheck %s --check-prefixes=CHECK,ONE -DPARTS=3
// RUN: attn-run %s %{options} --entry=any --shape=0:2x33x40 --shape=1:2x77x40 --shape=2:2x77x72 | FileCheck %s --check-prefixes=CHECK,ONE -DPARTS=3
// RUN: attn-run %s %{options} --entry=any --shape=0:2x1x40 --shape=1:2x0x40 --shape=2:2x0x72 | FileCheck %s --check-prefixes=CHECK,ONE -DPARTS=3
// RUN: attn-run %s %{options} --entry=groups | FileCheck %s --check-prefixes=CHECK,TWO -DPARTS=3
// RUN: attn-run %s --target=cpu:x86-64-v4-amx --emulator=amx --entry=six --threads=1 --output=%t.1.npz
// RUN: attn-run %s --target=cpu:x86-64-v4-amx --emulator=amx --entry=six --threads=5 --output=%t.5.npz
// RUN: cmp %t.1.npz %t.5.npz
// CHECK: kernel {{.*}}instruction = bf16_tiles, parts = [[PARTS]]>
// CHECK-NOT: FAULTS
// CHECK-NOT: MISMATCH
// ONE-COUNT-1: match
// TWO-COUNT-2: match
// THREE-COUNT-3: match

func.func @three(%q: tensor<1x4x70x64xf32>, %k: tensor<1x2x150x64xf32>, %v: tensor<1x2x150x64xf32>) -> (tensor<1x4x70x64xf32>, tensor<1x4x70xf32>) {
  %init = tensor.empty() : tensor<1x4x70x64xf32>
  %lse_init = tensor.empty() : tensor<1x4x70xf32>
  %o, %lse = attn.attention scale(#attn.log_length<base = 512.0, n = visible>) softmax(#attn.softmax1)
      align(bottom_right) masks [#attn.causal] products(bf16x3)
      ins(%q, %k, %v : tensor<1x4x70x64xf32>, tensor<1x2x150x64xf32>, tensor<1x2x150x64xf32>)
      outs(%init, %lse_init : tensor<1x4x70x64xf32>, tensor<1x4x70xf32>) -> tensor<1x4x70x64xf32>, tensor<1x4x70xf32>
  return %o, %lse : tensor<1x4x70x64xf32>, tensor<1x4x70xf32>
}

func.func @six(%q: tensor<3x70x40xf32>, %k: tensor<3x150x40xf32>, %v: tensor<3x150x72xf32>, %bias: tensor<70x150xf32>)
    -> (tensor<3x70x72xf32>, tensor<3x70xf32>, tensor<3x70xf32>) {
  %init = tensor.empty() : tensor<3x70x72xf32>
  %row_init = tensor.empty() : tensor<3x70xf32>
  %keys_init = tensor.empty() : tensor<3x150x40xf32>
  %keys = attn.rope ins(%k : tensor<3x150x40xf32>) outs(%keys_init : tensor<3x150x40xf32>) -> tensor<3x150x40xf32>
  %o, %lse, %entropy = attn.attention scale(#attn.gradient_max_fit<scores = cosine>) similarity(#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>)
      softmax(#attn.softmax) bias [#attn.dense_bias] probes [#attn.probe<entropy>] products(bf16x6)
      ins(%q, %keys, %v : tensor<3x70x40xf32>, tensor<3x150x40xf32>, tensor<3x150x72xf32>) params(%bias : tensor<70x150xf32>)
      outs(%init, %row_init, %row_init : tensor<3x70x72xf32>, tensor<3x70xf32>, tensor<3x70xf32>)
      -> tensor<3x70x72xf32>, tensor<3x70xf32>, tensor<3x70xf32>
  return %o, %lse, %entropy : tensor<3x70x72xf32>, tensor<3x70xf32>, tensor<3x70xf32>
}

func.func @half(%q: tensor<2x45x64xf16>, %k: tensor<2x64x200xf16>, %v: tensor<2x200x48xf16>) -> tensor<2x45x48xf16> {
  %init = tensor.empty() : tensor<2x45x48xf16>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.window<left = 40, right = 30>] products(bf16x3)
      indexing_maps [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, d, n)>,
                     affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
      ins(%q, %k, %v : tensor<2x45x64xf16>, tensor<2x64x200xf16>, tensor<2x200x48xf16>)
      outs(%init : tensor<2x45x48xf16>) -> tensor<2x45x48xf16>
  return %o : tensor<2x45x48xf16>
}

// Key 41 is hidden and its value NaN; the other keys of its block are seen.
func.func @hidden(%q: tensor<1x40x64xf32>, %k: tensor<1x70x64xf32>, %v: tensor<1x70x72xf32>) -> tensor<1x40x72xf32> {
  %nan = arith.constant dense<0x7FC00000> : tensor<1x1x72xf32>
  %values = tensor.insert_slice %nan into %v[0, 41, 0] [1, 1, 72] [1, 1, 1] : tensor<1x1x72xf32> into tensor<1x70x72xf32>
  %all = arith.constant dense<true> : tensor<70xi1>
  %false = arith.constant false
  %c41 = arith.constant 41 : index
  %mask = tensor.insert %false into %all[%c41] : tensor<70xi1>
  %init = tensor.empty() : tensor<1x40x72xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.dense_mask] products(bf16x6)
      indexing_maps [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
                     affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (n)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
      ins(%q, %k, %values : tensor<1x40x64xf32>, tensor<1x70x64xf32>, tensor<1x70x72xf32>) params(%mask : tensor<70xi1>)
      outs(%init : tensor<1x40x72xf32>) -> tensor<1x40x72xf32>
  return %o : tensor<1x40x72xf32>
}

func.func @any(%q: tensor<2x?x40xf32>, %k: tensor<2x?x40xf32>, %v: tensor<2x?x72xf32>) -> tensor<2x?x72xf32> {
  %c1 = arith.constant 1 : index
  %m = tensor.dim %q, %c1 : tensor<2x?x40xf32>
  %init = tensor.empty(%m) : tensor<2x?x72xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1) products(bf16x6)
      ins(%q, %k, %v : tensor<2x?x40xf32>, tensor<2x?x40xf32>, tensor<2x?x72xf32>) outs(%init : tensor<2x?x72xf32>) -> tensor<2x?x72xf32>
  return %o : tensor<2x?x72xf32>
}

// Weights of a group are made beside the outputs of the one before, which may have none.
func.func @groups(%q: tensor<2x133x48xf32>, %k: tensor<2x331x48xf32>, %v: tensor<2x331x72xf32>) -> (tensor<2x133x72xf32>, tensor<2x133xf32>) {
  %init = tensor.empty() : tensor<2x133x72xf32>
  %lse_init = tensor.empty() : tensor<2x133xf32>
  %o, %lse = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1) align(top_left) masks [#attn.chunked<40>, #attn.window<left = 30, right = 25>] products(bf16x6)
      ins(%q, %k, %v : tensor<2x133x48xf32>, tensor<2x331x48xf32>, tensor<2x331x72xf32>)
      outs(%init, %lse_init : tensor<2x133x72xf32>, tensor<2x133xf32>) -> tensor<2x133x72xf32>, tensor<2x133xf32>
  return %o, %lse : tensor<2x133x72xf32>, tensor<2x133xf32>
}
