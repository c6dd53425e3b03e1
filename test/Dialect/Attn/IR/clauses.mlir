// RUN: attn-opt %s | FileCheck %s
// RUN: attn-opt %s | attn-opt | FileCheck %s

// Clauses stand in any order; they are printed in one.

// CHECK-LABEL: @order
// CHECK: attn.attention scale(#attn.none) similarity(#attn.cosine<{{.*}}>) softmax(#attn.sink) align(top_left) bias [#attn.alibi] masks [#attn.causal] softcap(3.000000e+01) ins(%[[Q:.*]], %[[Q]], %[[Q]] : {{.*}}) params(%{{.*}} : tensor<4xf32>) outs(
func.func @order(%q: tensor<4x16x64xf32>, %s: tensor<4xf32>) -> tensor<4x16x64xf32> {
  %0 = attn.attention outs(%q : tensor<4x16x64xf32>) softcap(30) masks [#attn.causal]
      params(%s : tensor<4xf32>) align(top_left)
      similarity(#attn.cosine<eps = 0, mode = rsqrt_sum>) bias [#attn.alibi]
      ins(%q, %q, %q : tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>)
      softmax(#attn.sink) scale(#attn.none) -> tensor<4x16x64xf32>
  return %0 : tensor<4x16x64xf32>
}

// What follows an op without results is not one of its clauses.
// CHECK-LABEL: @memrefs
// CHECK: attn.attention {{.*}} outs(%{{.*}} : memref<4x16x64xf32>)
// CHECK-NEXT: return
func.func @memrefs(%q: memref<4x16x64xf32>) {
  attn.attention softmax(#attn.softmax) scale(#attn.constant<2>)
      outs(%q : memref<4x16x64xf32>) ins(%q, %q, %q : memref<4x16x64xf32>, memref<4x16x64xf32>, memref<4x16x64xf32>)
  return
}

// Integers are numbers, too.
// CHECK: #attn.log_length<base = 5.120000e+02, n = keys>
func.func private @integer() attributes {a = #attn.log_length<base = 512, n = keys>}
// CHECK: #attn.constant<-3.000000e+00>
func.func private @negative() attributes {a = #attn.constant<-3>}
// CHECK: #attn.constant<-1.250000e-01>
func.func private @fraction() attributes {a = #attn.constant<-0.125>}
