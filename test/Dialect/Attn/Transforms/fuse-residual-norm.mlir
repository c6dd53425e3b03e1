// RUN: attn-opt %s --attn-fuse-residual-norm --split-input-file --verify-diagnostics | FileCheck %s

// The sum is used elsewhere, so the norm returns it too.
// CHECK-LABEL: @both_results
// CHECK-SAME: (%[[A:.*]]: tensor<8x64xf32>, %[[B:.*]]: tensor<8x64xf32>, %[[INIT:.*]]: tensor<8x64xf32>)
// CHECK-NOT: arith.addf
// CHECK: %[[Y:.*]]:2 = attn.norm rms {{.*}} ins(%[[A]] : tensor<8x64xf32>) residual(%[[B]] : tensor<8x64xf32>) outs(%[[INIT]] : tensor<8x64xf32>) sum(
// CHECK: return %[[Y]]#1, %[[Y]]#0
func.func @both_results(%a: tensor<8x64xf32>, %b: tensor<8x64xf32>, %init: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %x = arith.addf %a, %b : tensor<8x64xf32>
  // expected-remark @+1 {{[attn-r401] the residual addition is part of the norm, which returns both results}}
  %y = attn.norm rms axes [1] eps(1.0e-5) ins(%x : tensor<8x64xf32>) outs(%init : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %x, %y : tensor<8x64xf32>, tensor<8x64xf32>
}

// -----

// Nobody else wants the sum; it is spelled as a structured op.
// CHECK-LABEL: @norm_alone
// CHECK-NOT: linalg.generic
// CHECK: %[[Y:.*]] = attn.norm layer {{.*}} residual(%{{.*}}) outs(%{{.*}}) ->
#id = affine_map<(i, j) -> (i, j)>
func.func @norm_alone(%a: tensor<?x64xf16>, %b: tensor<?x64xf16>, %init: tensor<?x64xf16>) -> tensor<?x64xf16> {
  %x = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<?x64xf16>, tensor<?x64xf16>) outs(%init : tensor<?x64xf16>) {
  ^bb0(%p: f16, %q: f16, %o: f16):
    %s = arith.addf %q, %p : f16
    linalg.yield %s : f16
  } -> tensor<?x64xf16>
  // expected-remark @+1 {{[attn-r401] the residual addition is part of the norm, which returns the norm}}
  %y = attn.norm layer axes [1] eps(1.0e-5) ins(%x : tensor<?x64xf16>) outs(%init : tensor<?x64xf16>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// -----

// The sum is needed before the norm.
// CHECK-LABEL: @used_before
// CHECK: arith.addf
// CHECK-NOT: residual
func.func @used_before(%a: tensor<8x64xf32>, %b: tensor<8x64xf32>, %init: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %x = arith.addf %a, %b : tensor<8x64xf32>
  %z = arith.mulf %x, %x : tensor<8x64xf32>
  // expected-remark @+1 {{[attn-r402] the residual addition stays: its sum is used before the norm}}
  %y = attn.norm rms axes [1] eps(1.0e-5) ins(%x : tensor<8x64xf32>) outs(%z : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// -----

// A product is no sum, and a norm with a residual takes no second one.
// CHECK-LABEL: @other_inputs
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK-NOT: sum(
func.func @other_inputs(%a: tensor<8x64xf32>, %b: tensor<8x64xf32>, %init: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %p = arith.mulf %a, %b : tensor<8x64xf32>
  %y = attn.norm rms axes [1] eps(1.0e-5) ins(%p : tensor<8x64xf32>) outs(%init : tensor<8x64xf32>) -> tensor<8x64xf32>
  %x = arith.addf %a, %b : tensor<8x64xf32>
  %z = attn.norm rms axes [1] eps(1.0e-5) ins(%x : tensor<8x64xf32>) residual(%b : tensor<8x64xf32>) outs(%init : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y, %z : tensor<8x64xf32>, tensor<8x64xf32>
}
