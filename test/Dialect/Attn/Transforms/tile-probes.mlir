// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule --attn-tile --canonicalize --cse 2>/dev/null | FileCheck %s

// The state of a block carries what the probes need, a number a row: squares for
// sum_p2, logs for entropy, and the maximum itself. Nothing has rows and keys.
// CHECK-LABEL: @tiles
// CHECK-NOT: 96x100x
func.func @tiles(%q: tensor<2x96x64xf32>, %k: tensor<2x100x64xf32>, %o: tensor<2x96x64xf32>, %r: tensor<2x96xf32>)
    -> (tensor<2x96x64xf32>, tensor<2x96xf32>, tensor<2x96xf32>, tensor<2x96xf32>, tensor<2x96xf32>) {
  // CHECK: %[[LOWEST:.*]] = arith.constant 0xFF800000
  // CHECK: %[[ZERO:.*]] = arith.constant 0.0
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %[[SUM:.*]], %{{.*}} = %[[SUM]], %{{.*}} = %[[SUM]], %{{.*}} = %{{.*}})
  // CHECK: attn.online_attention packed {{.*}} probes [#attn.probe<entropy>, #attn.probe<sum_p>, #attn.probe<sum_p2>, #attn.probe<max_logit>]
  // CHECK-SAME: -> tensor<64x96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>
  // CHECK: attn.finalize scale(#attn.none) {{.*}} ins({{.*}} : tensor<64x96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>)
  // CHECK-SAME: outs({{.*}} : tensor<96x64xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>)
  %0:5 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      probes [#attn.probe<entropy>, #attn.probe<sum_p>, #attn.probe<sum_p2>, #attn.probe<max_logit>]
      ins(%q, %k, %k : tensor<2x96x64xf32>, tensor<2x100x64xf32>, tensor<2x100x64xf32>)
      outs(%o, %r, %r, %r, %r : tensor<2x96x64xf32>, tensor<2x96xf32>, tensor<2x96xf32>, tensor<2x96xf32>, tensor<2x96xf32>)
      -> tensor<2x96x64xf32>, tensor<2x96xf32>, tensor<2x96xf32>, tensor<2x96xf32>, tensor<2x96xf32>
  return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<2x96x64xf32>, tensor<2x96xf32>, tensor<2x96xf32>, tensor<2x96xf32>, tensor<2x96xf32>
}

// Half the gradient's norm takes the rows' scales to the end: those of the packed
// query. It needs the squares alone.
// CHECK-LABEL: @gradient
func.func @gradient(%q: tensor<2x96x64xf32>, %o: tensor<2x96x64xf32>, %r: tensor<2x96xf32>) -> tensor<2x96xf32> {
  // CHECK: %[[PACKED:.*]]:2 = attn.pack_query
  // CHECK: attn.online_attention packed
  // CHECK-SAME: -> tensor<64x96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>
  // CHECK: attn.finalize scale(#attn.operand{{[^)]*}}) {{.*}} params(%[[PACKED]]#1 : tensor<96xf32>)
  %0:2 = attn.attention scale(#attn.log_length<base = 512.0, n = position>) softmax(#attn.softmax) align(top_left)
      probes [#attn.probe<half_gradient_norm>]
      ins(%q, %q, %q : tensor<2x96x64xf32>, tensor<2x96x64xf32>, tensor<2x96x64xf32>)
      outs(%o, %r : tensor<2x96x64xf32>, tensor<2x96xf32>) -> tensor<2x96x64xf32>, tensor<2x96xf32>
  return %0#1 : tensor<2x96xf32>
}

// Ranges of keys have statistics of their own, which the merge takes in. Scales of
// single rows are computed where the rows are finished, with the policy's own
// params and those of the masks it counts with.
// CHECK-LABEL: @decode
func.func @decode(%q: tensor<2x8x1x64xf32>, %k: tensor<2x4x16384x64xf32>, %n: tensor<2xi32>, %o: tensor<2x8x1x64xf32>, %r: tensor<2x8x1xf32>) -> (tensor<2x8x1xf32>, tensor<2x8x1xf32>) {
  // CHECK: scf.forall {{.*}} -> (tensor<2x4x8x2x1x64xf32>, tensor<2x4x8x2x1xf32>, tensor<2x4x8x2x1xf32>, tensor<2x4x8x2x1xf32>, tensor<2x4x8x2x1xf32>)
  // CHECK: attn.online_attention {{.*}} probes
  // CHECK: attn.finalize scale(#attn.log_length<{{.*}}>) {{.*}} masks [#attn.kv_lengths]
  // CHECK-SAME: ins({{.*}} : tensor<8x2x1x64xf32>, tensor<8x2x1xf32>, tensor<8x2x1xf32>, tensor<8x2x1xf32>, tensor<8x2x1xf32>) params({{.*}} : tensor<1xi32>)
  %0:3 = attn.attention scale(#attn.log_length<base = 512.0, n = keys>) softmax(#attn.softmax) masks [#attn.kv_lengths]
      probes [#attn.probe<half_gradient_norm>, #attn.probe<max_logit>]
      ins(%q, %k, %k : tensor<2x8x1x64xf32>, tensor<2x4x16384x64xf32>, tensor<2x4x16384x64xf32>) params(%n : tensor<2xi32>)
      outs(%o, %r, %r : tensor<2x8x1x64xf32>, tensor<2x8x1xf32>, tensor<2x8x1xf32>) -> tensor<2x8x1x64xf32>, tensor<2x8x1xf32>, tensor<2x8x1xf32>
  return %0#1, %0#2 : tensor<2x8x1xf32>, tensor<2x8x1xf32>
}
