// Few rows against the f64 oracle, on both vector lengths: ranges that end in
// the middle of a vector of keys, a block or nowhere; more rows than are taken
// together; a head dimension that is no whole number of vectors.
// RUN: attn-run %s --entry=heads --shape=1:2x1x59 --shape=2:2x1x40 --check | FileCheck %s
// RUN: attn-run %s --entry=heads --shape=1:2x1531x59 --shape=2:2x1531x40 --check | FileCheck %s
// RUN: attn-run %s --entry=heads --shape=1:2x1531x59 --shape=2:2x1531x40 --target=cpu:x86-64-v3 --check | FileCheck %s
// RUN: attn-run %s --entry=heads --shape=1:2x0x59 --shape=2:2x0x40 --check | FileCheck %s
// RUN: attn-run %s --entry=half --shape=1:1x1031x72 --shape=2:1x1031x72 --check | FileCheck %s
// RUN: attn-run %s --entry=half --shape=1:1x1031x72 --shape=2:1x1031x72 --target=cpu:x86-64-v3 --check | FileCheck %s
// RUN: attn-run %s --entry=double --shape=0:3x77x20 --shape=1:3x77x20 --check | FileCheck %s
// RUN: attn-run %s --entry=double --shape=0:3x77x20 --shape=1:3x77x20 --target=cpu:x86-64-v3 --check | FileCheck %s
// CHECK: kernel {{.*}}#attn.schedule{{.*}}splitKeys
// CHECK: out0 against f64 reference: match
// CHECK-NOT: MISMATCH

// REQUIRES: avx2

// 21 rows of one key head: five times four and one.
func.func @heads(%q: tensor<14x3x59xf32>, %k: tensor<2x?x59xf32>, %v: tensor<2x?x40xf32>) -> (tensor<14x3x40xf32>, tensor<14x3xf32>) {
  %init = tensor.empty() : tensor<14x3x40xf32>
  %lse_init = tensor.empty() : tensor<14x3xf32>
  %o, %lse = attn.attention scale(#attn.log_length<base = 512.0, n = visible>) softmax(#attn.softmax1)
      align(bottom_right) masks [#attn.causal]
      ins(%q, %k, %v : tensor<14x3x59xf32>, tensor<2x?x59xf32>, tensor<2x?x40xf32>)
      outs(%init, %lse_init : tensor<14x3x40xf32>, tensor<14x3xf32>) -> tensor<14x3x40xf32>, tensor<14x3xf32>
  return %o, %lse : tensor<14x3x40xf32>, tensor<14x3xf32>
}

func.func @half(%q: tensor<5x1x72xbf16>, %k: tensor<1x?x72xbf16>, %v: tensor<1x?x72xbf16>) -> tensor<5x1x72xbf16> {
  %init = tensor.empty() : tensor<5x1x72xbf16>
  %o = attn.attention scale(#attn.inv_sqrt_dim)
      similarity(#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<5x1x72xbf16>, tensor<1x?x72xbf16>, tensor<1x?x72xbf16>)
      outs(%init : tensor<5x1x72xbf16>) -> tensor<5x1x72xbf16>
  return %o : tensor<5x1x72xbf16>
}

// The query is a constant, so that there is a case without heads to group.
func.func @double(%k: tensor<3x?x20xf64>, %v: tensor<3x?x20xf64>) -> tensor<3x1x20xf64> {
  %q = arith.constant dense<0.25> : tensor<3x1x20xf64>
  %init = tensor.empty() : tensor<3x1x20xf64>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<3x1x20xf64>, tensor<3x?x20xf64>, tensor<3x?x20xf64>)
      outs(%init : tensor<3x1x20xf64>) -> tensor<3x1x20xf64>
  return %o : tensor<3x1x20xf64>
}
