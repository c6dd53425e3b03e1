// RUN: attn-opt %s --split-input-file --attn-check-casts | FileCheck %s
// RUN: attn-opt %s --split-input-file --attn-raise-pipeline --attn-plan-pipeline=target=cpu:x86-64-v3 | FileCheck %s --check-prefix=ENTRY

// What a cast says of a size stands beside it, so that it is still known when the
// cast is gone: here it becomes a part of the sum's type.
// CHECK-LABEL: func.func @computed(
// CHECK: %[[N:.*]] = tensor.dim %{{.*}}, %{{.*}} : tensor<?x8xf32>
// CHECK: %[[ONE:.*]] = arith.cmpi eq, %[[N]],
// CHECK: cf.assert %[[ONE]], "computed: {{.*}}: 'tensor.cast': dimension 0 of operand 0 must equal 1" {attn.status = 5 : i32}
// CHECK: tensor.cast
// ENTRY-LABEL: func.func @computed(
// ENTRY-SAME: tensor<?x8xf32> {attn.dim_classes = array<i64: 0, 1>, attn.dim_sizes = array<i64: 1, 8>}
func.func @computed(%a: tensor<?x8xf32>) -> tensor<1x8xf32> {
  %y = arith.addf %a, %a : tensor<?x8xf32>
  %r = tensor.cast %y : tensor<?x8xf32> to tensor<1x8xf32>
  return %r : tensor<1x8xf32>
}

// -----

// A cast that only forgets a size says nothing.
// CHECK-LABEL: func.func @forgets(
// CHECK-NOT: cf.assert
func.func @forgets(%a: tensor<4x8xf32>) -> tensor<?x8xf32> {
  %r = tensor.cast %a : tensor<4x8xf32> to tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// Caches of a block have one room and one batch.
// CHECK-LABEL: func.func @caches(
// CHECK: cf.assert %{{.*}}, "caches: {{.*}}: 'attn.multi_head_attention': dimension 0 of input {{.*}} must equal dimension 0 of input 0" {attn.status = 5 : i32}
// CHECK: cf.assert %{{.*}}, "caches: {{.*}}: 'attn.multi_head_attention': dimension 2 of input 2 must equal dimension 2 of input 1" {attn.status = 5 : i32}
// CHECK: attn.multi_head_attention
func.func @caches(%x: tensor<?x1x8xf32>, %k: tensor<?x2x?x4xf32>, %v: tensor<?x2x?x4xf32>, %w: tensor<8x8xf32>, %past: i32)
    -> (tensor<?x1x8xf32>, tensor<?x2x?x4xf32>, tensor<?x2x?x4xf32>) {
  %y:3 = attn.multi_head_attention heads(2) scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%x : tensor<?x1x8xf32>) query(%w : tensor<8x8xf32>) key(%w : tensor<8x8xf32>) value(%w : tensor<8x8xf32>)
      output(%w : tensor<8x8xf32>) cache(%k, %v : tensor<?x2x?x4xf32>, tensor<?x2x?x4xf32>) past(%past : i32)
      -> tensor<?x1x8xf32>, tensor<?x2x?x4xf32>, tensor<?x2x?x4xf32>
  return %y#0, %y#1, %y#2 : tensor<?x1x8xf32>, tensor<?x2x?x4xf32>, tensor<?x2x?x4xf32>
}
