// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-select-schedule --attn-fuse-residual-norm --split-input-file --verify-diagnostics=only-expected | FileCheck %s

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
  // expected-remark @+1 {{[attn-r402] the residual addition stays: the norm has a residual already}}
  %z = attn.norm rms axes [1] eps(1.0e-5) ins(%x : tensor<8x64xf32>) residual(%b : tensor<8x64xf32>) outs(%init : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y, %z : tensor<8x64xf32>, tensor<8x64xf32>
}

// -----

// The alpha of ReZero as exporters spell it: a number in a tensor, repeated. The
// product goes, too.
// CHECK-LABEL: @alpha
// CHECK-SAME: (%[[X:.*]]: tensor<8x64xf32>, %[[F:.*]]: tensor<8x64xf32>, %[[ALPHA:.*]]: tensor<1xf32>, %[[INIT:.*]]: tensor<8x64xf32>)
// CHECK-NOT: mulf
// CHECK: %[[FACTOR:.*]] = tensor.extract %[[ALPHA]]
// CHECK: %[[Y:.*]]:2 = attn.norm rms {{.*}} ins(%[[X]] : tensor<8x64xf32>) residual(%[[F]] : tensor<8x64xf32>) factor(%[[FACTOR]] : f32) outs(%[[INIT]] : tensor<8x64xf32>) sum(
// CHECK-NOT: addf
// CHECK: return %[[Y]]#1, %[[Y]]#0
#id = affine_map<(i, j) -> (i, j)>
#first = affine_map<(i, j) -> (0)>
func.func @alpha(%x: tensor<8x64xf32>, %f: tensor<8x64xf32>, %alpha: tensor<1xf32>, %init: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %p = linalg.generic {indexing_maps = [#id, #first, #id], iterator_types = ["parallel", "parallel"]} ins(%f, %alpha : tensor<8x64xf32>, tensor<1xf32>) outs(%init : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %b, %a : f32
    linalg.yield %m : f32
  } -> tensor<8x64xf32>
  %s = arith.addf %p, %x : tensor<8x64xf32>
  // expected-remark @+1 {{[attn-r401] the residual addition is part of the norm, which returns both results}}
  %y = attn.norm rms axes [1] eps(1.0e-5) ins(%s : tensor<8x64xf32>) outs(%init : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %s, %y : tensor<8x64xf32>, tensor<8x64xf32>
}

// -----

// A constant of bf16, which is one of f32 then.
// CHECK-LABEL: @constant
// CHECK: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: attn.norm layer {{.*}} ins(%arg0 : tensor<?x64xbf16>) residual(%arg1 : tensor<?x64xbf16>) factor(%[[HALF]] : f32)
func.func @constant(%arg0: tensor<?x64xbf16>, %arg1: tensor<?x64xbf16>, %init: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %c0 = arith.constant 0 : index
  %half = arith.constant 5.0e-1 : bf16
  %n = tensor.dim %arg0, %c0 : tensor<?x64xbf16>
  %h = tensor.splat %half[%n] : tensor<?x64xbf16>
  %p = arith.mulf %h, %arg1 : tensor<?x64xbf16>
  %s = arith.addf %arg0, %p : tensor<?x64xbf16>
  // expected-remark @+1 {{[attn-r401] the residual addition is part of the norm, which returns the norm}}
  %y = attn.norm layer axes [1] eps(1.0e-5) ins(%s : tensor<?x64xbf16>) outs(%init : tensor<?x64xbf16>) -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// -----

// What a schedule gives a step, in the body of the sum, as attn-expand-blocks
// writes it.
// CHECK-LABEL: @scheduled
// CHECK: %[[ALPHA:.*]] = arith.minimumf
// CHECK-NOT: linalg.generic
// CHECK: attn.norm rms {{.*}} residual(%arg1 : tensor<8x64xf16>) factor(%[[ALPHA]] : f32)
#id = affine_map<(i, j) -> (i, j)>
func.func @scheduled(%arg0: tensor<8x64xf16>, %arg1: tensor<8x64xf16>, %t: f32, %init: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %one = arith.constant 1.0 : f32
  %alpha = arith.minimumf %t, %one : f32
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<8x64xf16>, tensor<8x64xf16>) outs(%init : tensor<8x64xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %x = arith.extf %a : f16 to f32
    %f = arith.extf %b : f16 to f32
    %m = arith.mulf %f, %alpha : f32
    %p = arith.addf %x, %m : f32
    %r = arith.truncf %p : f32 to f16
    linalg.yield %r : f16
  } -> tensor<8x64xf16>
  // expected-remark @+1 {{[attn-r401] the residual addition is part of the norm, which returns the norm}}
  %y = attn.norm rms axes [1] eps(1.0e-5) ins(%s : tensor<8x64xf16>) outs(%init : tensor<8x64xf16>) -> tensor<8x64xf16>
  return %y : tensor<8x64xf16>
}

// -----

// A product that others use is computed for them anyway.
// CHECK-LABEL: @product_is_used
// CHECK: %[[P:.*]] = arith.mulf
// CHECK: attn.norm rms {{.*}} ins(%arg0 : tensor<8x64xf32>) residual(%[[P]] : tensor<8x64xf32>) outs(
func.func @product_is_used(%arg0: tensor<8x64xf32>, %arg1: tensor<8x64xf32>, %init: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %half = arith.constant dense<5.0e-1> : tensor<8x64xf32>
  %p = arith.mulf %half, %arg1 : tensor<8x64xf32>
  %s = arith.addf %arg0, %p : tensor<8x64xf32>
  // expected-remark @+1 {{[attn-r401] the residual addition is part of the norm, which returns the norm}}
  %y = attn.norm rms axes [1] eps(1.0e-5) ins(%s : tensor<8x64xf32>) outs(%init : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %p, %y : tensor<8x64xf32>, tensor<8x64xf32>
}

// -----

// A norm has one factor.
// CHECK-LABEL: @two_factors
// CHECK-NOT: residual
// CHECK: return
func.func @two_factors(%a: tensor<8x64xf32>, %b: tensor<8x64xf32>, %init: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %half = arith.constant dense<5.0e-1> : tensor<8x64xf32>
  %third = arith.constant dense<3.0e-1> : tensor<8x64xf32>
  %p = arith.mulf %a, %half : tensor<8x64xf32>
  %q = arith.mulf %b, %third : tensor<8x64xf32>
  %s = arith.addf %p, %q : tensor<8x64xf32>
  // expected-remark @+1 {{[attn-r402] the residual addition stays: both addends have factors}}
  %y = attn.norm rms axes [1] eps(1.0e-5) ins(%s : tensor<8x64xf32>) outs(%init : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// -----

// (x + F) / sqrt(2), in one body.
// CHECK-LABEL: @halved
// CHECK-NOT: residual
// CHECK: return
#id = affine_map<(i, j) -> (i, j)>
func.func @halved(%a: tensor<8x64xf32>, %b: tensor<8x64xf32>, %init: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %root = arith.constant 0.70710678 : f32
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<8x64xf32>, tensor<8x64xf32>) outs(%init : tensor<8x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.addf %p, %q : f32
    %u = arith.mulf %t, %root : f32
    linalg.yield %u : f32
  } -> tensor<8x64xf32>
  // expected-remark @+1 {{[attn-r402] the residual addition stays: the sum is multiplied before the norm}}
  %y = attn.norm rms axes [1] eps(1.0e-5) ins(%s : tensor<8x64xf32>) outs(%init : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// -----

// LayerScale: a factor for each column.
// CHECK-LABEL: @factor_of_columns
// CHECK-NOT: residual
// CHECK: return
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @factor_of_columns(%a: tensor<8x64xf32>, %b: tensor<8x64xf32>, %g: tensor<64xf32>, %init: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %s = linalg.generic {indexing_maps = [#id, #id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %b, %g : tensor<8x64xf32>, tensor<8x64xf32>, tensor<64xf32>) outs(%init : tensor<8x64xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %o: f32):
    %t = arith.mulf %q, %r : f32
    %u = arith.addf %p, %t : f32
    linalg.yield %u : f32
  } -> tensor<8x64xf32>
  // expected-remark @+1 {{[attn-r402] the residual addition stays: an addend is neither a tensor of the sum's shape nor its product with a number}}
  %y = attn.norm rms axes [1] eps(1.0e-5) ins(%s : tensor<8x64xf32>) outs(%init : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// -----

// A tensor and a number are no residual sum.
// CHECK-LABEL: @shifted
// CHECK-NOT: residual
// CHECK: return
func.func @shifted(%a: tensor<8x64xf32>, %init: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %one = arith.constant dense<1.0> : tensor<8x64xf32>
  %s = arith.addf %a, %one : tensor<8x64xf32>
  %y = attn.norm rms axes [1] eps(1.0e-5) ins(%s : tensor<8x64xf32>) outs(%init : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
