// RUN: attn-opt %s --attn-set-products=products=bf16x3 | FileCheck %s
// RUN: attn-opt %s --attn-set-products=products=bf16x6 | FileCheck %s --check-prefix=SIX
// RUN: not attn-opt %s --attn-set-products=products=bf16x9 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: attn-set-products takes bf16x3 or bf16x6, found 'bf16x9'

// What says something itself keeps it, and so does what has no choice.
// CHECK-LABEL: @attentions
// CHECK: attn.attention {{.*}}softmax(#attn.softmax) products(bf16x3) ins({{.*}}xf32>
// CHECK: attn.attention {{.*}}softmax(#attn.softmax) products(bf16x6) ins({{.*}}xf32>
// CHECK: attn.attention {{.*}}softmax(#attn.softmax) products(bf16x3) ins({{.*}}xf16>
// CHECK: attn.attention {{.*}}softmax(#attn.softmax) ins({{.*}}xbf16>
// SIX: attn.attention {{.*}}softmax(#attn.softmax) products(bf16x6) ins({{.*}}xf32>
func.func @attentions(%s: tensor<2x40x64xf32>, %h: tensor<2x40x64xf16>, %b: tensor<2x40x64xbf16>)
    -> (tensor<2x40x64xf32>, tensor<2x40x64xf32>, tensor<2x40x64xf16>, tensor<2x40x64xbf16>) {
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%s, %s, %s : tensor<2x40x64xf32>, tensor<2x40x64xf32>, tensor<2x40x64xf32>) outs(%s : tensor<2x40x64xf32>) -> tensor<2x40x64xf32>
  %1 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) products(bf16x6) ins(%s, %s, %s : tensor<2x40x64xf32>, tensor<2x40x64xf32>, tensor<2x40x64xf32>) outs(%s : tensor<2x40x64xf32>) -> tensor<2x40x64xf32>
  %2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%h, %h, %h : tensor<2x40x64xf16>, tensor<2x40x64xf16>, tensor<2x40x64xf16>) outs(%h : tensor<2x40x64xf16>) -> tensor<2x40x64xf16>
  %3 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) ins(%b, %b, %b : tensor<2x40x64xbf16>, tensor<2x40x64xbf16>, tensor<2x40x64xbf16>) outs(%b : tensor<2x40x64xbf16>) -> tensor<2x40x64xbf16>
  return %0, %1, %2, %3 : tensor<2x40x64xf32>, tensor<2x40x64xf32>, tensor<2x40x64xf16>, tensor<2x40x64xbf16>
}

// Layers and structured products, too, but nothing else that is structured.
// CHECK-LABEL: @products
// CHECK: attn.linear {{.*}}{attn.products = #attn.products<bf16x3>}
// CHECK: linalg.matmul {attn.products = #attn.products<bf16x3>}
// CHECK: linalg.matmul ins({{.*}}xbf16>
// CHECK: linalg.add ins(
func.func @products(%x: tensor<64x64xf32>, %b: tensor<64x64xbf16>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = attn.linear ins(%x, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%x : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.matmul ins(%x, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%x : tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = linalg.matmul ins(%b, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%x : tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = linalg.add ins(%x, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%x : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1, %2, %3 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}
