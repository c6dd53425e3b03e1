// Edges of tiles on the tile unit, in software where the machine has none: schedules by hand whose tiles of keys have 16 rows,
// under a window that begins within 32 of them, and values of which the last tile of rows stands behind one that is half as
// high. The result has the same bits for any number of threads.

// REQUIRES: avx512bf16
// DEFINE: %{options} = --target=cpu:x86-64-v4-amx --emulator=amx
// RUN: attn-run %s %{options} --check --entry=window | FileCheck %s
// RUN: attn-run %s %{options} --check --entry=values | FileCheck %s
// RUN: attn-run %s %{options} --entry=values --threads=1 --output=%t.1.npz
// RUN: attn-run %s %{options} --entry=values --threads=3 --output=%t.3.npz
// RUN: cmp %t.1.npz %t.3.npz
// CHECK: kernel {{.*}}bf16_tiles
// CHECK-NOT: FAULTS
// CHECK-NOT: MISMATCH
// CHECK: out0 against f64 reference: match
// CHECK-NOT: MISMATCH

func.func @window(%q: tensor<1x70x64xbf16>, %k: tensor<1x256x64xbf16>, %v: tensor<1x256x64xbf16>) -> (tensor<1x70x64xbf16>, tensor<1x70x64xbf16>) {
  %init = tensor.empty() : tensor<1x70x64xbf16>
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) masks [#attn.window<left = 8, right = 0>]
      schedule(#attn.schedule<rows = 64, keys = 64, lanes = 16, mr = 16, nr = 1, instruction = bf16_tiles>)
      ins(%q, %k, %v : tensor<1x70x64xbf16>, tensor<1x256x64xbf16>, tensor<1x256x64xbf16>) outs(%init : tensor<1x70x64xbf16>) -> tensor<1x70x64xbf16>
  %1 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(bottom_right) masks [#attn.window<left = 40, right = -1>]
      schedule(#attn.schedule<rows = 64, keys = 96, lanes = 16, mr = 16, nr = 2, instruction = bf16_tiles>)
      ins(%q, %k, %v : tensor<1x70x64xbf16>, tensor<1x256x64xbf16>, tensor<1x256x64xbf16>) outs(%init : tensor<1x70x64xbf16>) -> tensor<1x70x64xbf16>
  return %0, %1 : tensor<1x70x64xbf16>, tensor<1x70x64xbf16>
}

func.func @values(%q: tensor<4x128x65xf16>, %k: tensor<4x97x65xf16>, %v: tensor<4x97x63xf16>) -> (tensor<4x128x63xf16>, tensor<4x128x63xf16>) {
  %init = tensor.empty() : tensor<4x128x63xf16>
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal] products(bf16x6)
      ins(%q, %k, %v : tensor<4x128x65xf16>, tensor<4x97x65xf16>, tensor<4x97x63xf16>) outs(%init : tensor<4x128x63xf16>) -> tensor<4x128x63xf16>
  %1 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) products(bf16x3)
      ins(%q, %k, %v : tensor<4x128x65xf16>, tensor<4x97x65xf16>, tensor<4x97x63xf16>) outs(%init : tensor<4x128x63xf16>) -> tensor<4x128x63xf16>
  return %0, %1 : tensor<4x128x63xf16>, tensor<4x128x63xf16>
}
