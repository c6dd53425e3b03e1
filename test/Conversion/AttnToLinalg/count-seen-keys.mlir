// RUN: attn-opt %s --attn-count-seen-keys --split-input-file --verify-diagnostics | FileCheck %s
// RUN: attn-opt %s --attn-decompose --split-input-file | FileCheck %s --check-prefix=LINALG

// What a row sees of its segment and of a mask that all heads share is counted once for all of them, from -1 on: n is
// one more than the position that is given.
// CHECK-LABEL: @packed
// CHECK: %[[NONE:.*]] = arith.constant -1 : i32
// CHECK: %[[ZERO:.*]] = linalg.fill ins(%[[NONE]] : i32) outs(%{{.*}} : tensor<2x20xi32>)
// CHECK: %[[COUNT:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg1, %arg1, %arg2, %{{.*}} : tensor<2x20xi32>, tensor<2x20xi32>, tensor<2x1x20x20xi1>, tensor<20xi1>) outs(%[[ZERO]] : tensor<2x20xi32>)
// CHECK: arith.cmpi eq
// CHECK: arith.cmpi sle
// CHECK: arith.andi
// CHECK: arith.extui %{{.*}} : i1 to i32
// CHECK: attn.attention scale(#attn.log_length<base = 5.120000e+02, n = position_operand>)
// CHECK-SAME: params(%[[COUNT]], %arg1, %arg1, %arg2 : tensor<2x20xi32>, tensor<2x20xi32>, tensor<2x20xi32>, tensor<2x1x20x20xi1>)
// LINALG-LABEL: @packed
// LINALG-NOT: attn.attention
func.func @packed(%q: tensor<2x4x20x16xf32>, %ids: tensor<2x20xi32>, %mask: tensor<2x1x20x20xi1>) -> tensor<2x4x20x16xf32> {
  // expected-remark@below {{[attn-r209] n = seen: what each row sees is counted in a pass over the masks}}
  %r = attn.attention scale(#attn.log_length<n = seen>) softmax(#attn.softmax) align(top_left)
    masks [#attn.segment_ids, #attn.causal, #attn.dense_mask] ins(%q, %q, %q : tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>)
    params(%ids, %ids, %mask : tensor<2x20xi32>, tensor<2x20xi32>, tensor<2x1x20x20xi1>) outs(%q : tensor<2x4x20x16xf32>) -> tensor<2x4x20x16xf32>
  return %r : tensor<2x4x20x16xf32>
}

// -----

// A mask of padding is the same for all rows, and is counted once for each sequence. The position follows kappa.
// CHECK-LABEL: @padding
// CHECK: %[[COUNT:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} {{.*}} outs(%{{.*}} : tensor<2xi32>)
// CHECK: arith.cmpf une, %{{.*}}, %{{.*}} : f32
// CHECK: attn.attention scale(#attn.entropy_invariant<n = position_operand>)
// CHECK-SAME: params(%arg2, %[[COUNT]], %arg1 : tensor<4xf32>, tensor<2xi32>, tensor<2x1x1x20xf32>)
func.func @padding(%q: tensor<2x4x20x16xf32>, %mask: tensor<2x1x1x20xf32>, %kappa: tensor<4xf32>) -> tensor<2x4x20x16xf32> {
  // expected-remark@below {{[attn-r209]}}
  %r = attn.attention scale(#attn.entropy_invariant<n = seen>) softmax(#attn.softmax) masks [#attn.additive_mask]
    ins(%q, %q, %q : tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>)
    params(%kappa, %mask : tensor<4xf32>, tensor<2x1x1x20xf32>) outs(%q : tensor<2x4x20x16xf32>) -> tensor<2x4x20x16xf32>
  return %r : tensor<2x4x20x16xf32>
}

// -----

// A mask that says nothing of keys: they are looped over all the same.
// CHECK-LABEL: @rows
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg1, %{{.*}} : tensor<20x1xi1>, tensor<20xi1>)
func.func @rows(%q: tensor<2x4x20x16xf32>, %mask: tensor<20x1xi1>) -> tensor<2x4x20x16xf32> {
  // expected-remark@below {{[attn-r209]}}
  %r = attn.attention scale(#attn.log_length<n = seen>) softmax(#attn.softmax) masks [#attn.dense_mask]
    ins(%q, %q, %q : tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>)
    params(%mask : tensor<20x1xi1>) outs(%q : tensor<2x4x20x16xf32>) -> tensor<2x4x20x16xf32>
  return %r : tensor<2x4x20x16xf32>
}

// -----

// Ranges are not counted.
// CHECK-LABEL: @ranges
// CHECK-NOT: linalg
// CHECK: attn.attention scale(#attn.gradient_max<scores = normal, n = visible>)
func.func @ranges(%q: tensor<2x4x20x16xf32>, %lengths: tensor<2xi32>) -> tensor<2x4x20x16xf32> {
  %r = attn.attention scale(#attn.gradient_max<scores = normal, n = seen>) softmax(#attn.softmax) align(bottom_right)
    masks [#attn.causal, #attn.kv_lengths] ins(%q, %q, %q : tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>)
    params(%lengths : tensor<2xi32>) outs(%q : tensor<2x4x20x16xf32>) -> tensor<2x4x20x16xf32>
  return %r : tensor<2x4x20x16xf32>
}

// -----

// Without positions they are the batch's keys, and no alignment is asked for.
// CHECK-LABEL: @keys
// CHECK-NOT: linalg
// CHECK: attn.attention scale(#attn.log_length<base = 5.120000e+02, n = keys>)
func.func @keys(%q: tensor<2x4x20x16xf32>, %lengths: tensor<2xi32>) -> tensor<2x4x20x16xf32> {
  %r = attn.attention scale(#attn.log_length<n = seen>) softmax(#attn.softmax) masks [#attn.kv_lengths]
    ins(%q, %q, %q : tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>, tensor<2x4x20x16xf32>)
    params(%lengths : tensor<2xi32>) outs(%q : tensor<2x4x20x16xf32>) -> tensor<2x4x20x16xf32>
  return %r : tensor<2x4x20x16xf32>
}
