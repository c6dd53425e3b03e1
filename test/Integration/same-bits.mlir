// No number of threads changes a bit: not of rows in blocks, of heads that share
// keys, of ranges of keys that are merged, nor of what else is computed by row.
// Sizes that no number of threads divides. Those on threads are called many times
// (--bench), each time with another order of work; the last call's bits are kept.

// RUN: mkdir -p %t
// RUN: attn-run %s --threads=1 --output=%t/1.npz --check | FileCheck %s
// RUN: attn-run %s --threads=2 --output=%t/2.npz --bench=0.05
// RUN: attn-run %s --threads=3 --output=%t/3.npz --bench=0.05
// RUN: attn-run %s --threads=5 --output=%t/5.npz --bench=0.05
// RUN: cmp %t/1.npz %t/2.npz
// RUN: cmp %t/1.npz %t/3.npz
// RUN: cmp %t/1.npz %t/5.npz
// RUN: attn-run %s --threads=1 --target=cpu:x86-64-v3 --output=%t/v3.1.npz
// RUN: attn-run %s --threads=3 --target=cpu:x86-64-v3 --output=%t/v3.3.npz
// RUN: cmp %t/v3.1.npz %t/v3.3.npz

// REQUIRES: avx2

// The first two in blocks of rows, the others in ranges of keys.
// CHECK-DAG: kernel main:0: #attn.schedule<rows = {{[0-9]+}}, keys = {{[0-9]+}}, lanes = {{[0-9]+}}, mr = {{[0-9]+}}, nr = {{[0-9]+}}>
// CHECK-DAG: kernel main:1: #attn.schedule<rows = {{[0-9]+}}, keys = {{[0-9]+}}, lanes = {{[0-9]+}}, mr = {{[0-9]+}}, nr = {{[0-9]+}}, {{operands = f32|instruction = bf16_(pairs|tiles), sumRounded = true}}>
// CHECK-DAG: kernel main:2: #attn.schedule<{{.*}}splitKeys
// CHECK-DAG: kernel main:3: #attn.schedule<{{.*}}splitKeys
// CHECK-DAG: kernel main:4: #attn.schedule<{{.*}}splitKeys
// CHECK-NOT: MISMATCH

func.func @main(%q: tensor<2x3x203x40xf32>, %k: tensor<2x3x203x40xf32>, %v: tensor<2x3x203x40xf32>,
                %qb: tensor<1x4x171x64xbf16>, %kb: tensor<1x2x171x64xbf16>, %vb: tensor<1x2x171x64xbf16>,
                %q1: tensor<1x3x1x64xf32>, %k1: tensor<1x3x1777x64xf32>, %v1: tensor<1x3x1777x64xf32>,
                %qg: tensor<1x7x1x64xbf16>, %kg: tensor<1x1x3001x64xbf16>, %vg: tensor<1x1x3001x64xbf16>,
                %qm: tensor<1x2x3x59xf32>, %km: tensor<1x1x2053x59xf32>, %vm: tensor<1x1x2053x40xf32>)
    -> (tensor<2x3x203x40xf32>, tensor<2x3x203xf32>, tensor<1x4x171x64xbf16>, tensor<1x3x1x64xf32>,
        tensor<1x7x1x64xbf16>, tensor<1x2x3x40xf32>, tensor<1x2x3xf32>) {
  %0 = tensor.empty() : tensor<2x3x203x40xf32>
  %1 = tensor.empty() : tensor<2x3x203xf32>
  %causal, %lse = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1) align(top_left) masks [#attn.causal]
      ins(%q, %k, %v : tensor<2x3x203x40xf32>, tensor<2x3x203x40xf32>, tensor<2x3x203x40xf32>)
      outs(%0, %1 : tensor<2x3x203x40xf32>, tensor<2x3x203xf32>) -> tensor<2x3x203x40xf32>, tensor<2x3x203xf32>
  %2 = tensor.empty() : tensor<1x4x171x64xbf16>
  %shared = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) bias [#attn.alibi]
      ins(%qb, %kb, %vb : tensor<1x4x171x64xbf16>, tensor<1x2x171x64xbf16>, tensor<1x2x171x64xbf16>)
      outs(%2 : tensor<1x4x171x64xbf16>) -> tensor<1x4x171x64xbf16>
  %3 = tensor.empty() : tensor<1x3x1x64xf32>
  %one = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q1, %k1, %v1 : tensor<1x3x1x64xf32>, tensor<1x3x1777x64xf32>, tensor<1x3x1777x64xf32>)
      outs(%3 : tensor<1x3x1x64xf32>) -> tensor<1x3x1x64xf32>
  %4 = tensor.empty() : tensor<1x7x1x64xbf16>
  %group = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%qg, %kg, %vg : tensor<1x7x1x64xbf16>, tensor<1x1x3001x64xbf16>, tensor<1x1x3001x64xbf16>)
      outs(%4 : tensor<1x7x1x64xbf16>) -> tensor<1x7x1x64xbf16>
  %5 = tensor.empty() : tensor<1x2x3x40xf32>
  %6 = tensor.empty() : tensor<1x2x3xf32>
  %rows, %entropy = attn.attention scale(#attn.log_length<base = 512.0, n = visible>) softmax(#attn.softmax1)
      align(bottom_right) masks [#attn.causal] probes [#attn.probe<entropy>]
      ins(%qm, %km, %vm : tensor<1x2x3x59xf32>, tensor<1x1x2053x59xf32>, tensor<1x1x2053x40xf32>)
      outs(%5, %6 : tensor<1x2x3x40xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3x40xf32>, tensor<1x2x3xf32>
  return %causal, %lse, %shared, %one, %group, %rows, %entropy
    : tensor<2x3x203x40xf32>, tensor<2x3x203xf32>, tensor<1x4x171x64xbf16>, tensor<1x3x1x64xf32>,
      tensor<1x7x1x64xbf16>, tensor<1x2x3x40xf32>, tensor<1x2x3xf32>
}
