// RUN: attn-opt %s --attn-fuse-epilogue --split-input-file --verify-diagnostics | FileCheck %s

// An activation and a residual after it, in the order of the ops; the residual is an operand of the layer.
// CHECK-LABEL: @activation_and_residual
// CHECK-SAME: (%[[X:[a-z0-9]*]]: tensor<8x64xf32>, %[[W:[a-z0-9]*]]: tensor<64x96xf32>, %[[B:[a-z0-9]*]]: tensor<96xf32>, %[[R:[a-z0-9]*]]: tensor<8x96xf32>
// CHECK: %[[Y:.*]] = attn.linear ins(%[[X]], %[[W]], %[[B]] : {{.*}}) extras(%[[R]] : tensor<8x96xf32>) outs(%{{.*}}) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[E:.*]]: f32):
// CHECK-NEXT: %[[G:.*]] = attn.activation gelu %[[SUM]] : f32
// CHECK-NEXT: %[[Z:.*]] = arith.addf %[[E]], %[[G]] : f32
// CHECK-NEXT: attn.yield %[[Z]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: return %[[Y]]
func.func @activation_and_residual(%x: tensor<8x64xf32>, %w: tensor<64x96xf32>, %b: tensor<96xf32>, %r: tensor<8x96xf32>, %init: tensor<8x96xf32>) -> tensor<8x96xf32> {
  %y = attn.linear ins(%x, %w, %b : tensor<8x64xf32>, tensor<64x96xf32>, tensor<96xf32>) outs(%init : tensor<8x96xf32>) -> tensor<8x96xf32>
  // expected-remark @+1 {{[attn-r411] attn.activation is part of the linear layer}}
  %a = attn.activation gelu %y : tensor<8x96xf32>
  // expected-remark @+1 {{[attn-r411] arith.addf is part of the linear layer}}
  %z = arith.addf %r, %a : tensor<8x96xf32>
  return %z : tensor<8x96xf32>
}

// -----

// A gated feed-forward: with silu the first layer stands where silu stood, after the other one, and takes the product,
// too. The hidden tensor is written twice and read once.
// CHECK-LABEL: @gate
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<?x64xf32>, %[[W1:[a-z0-9]*]]: tensor<64x96xf32>, %[[W3:[a-z0-9]*]]: tensor<64x96xf32>
// CHECK: %[[U:.*]] = attn.linear ins(%[[X]], %[[W3]] : {{.*}}) outs(%{{[a-z0-9]*}} : tensor<?x96xf32>) ->
// CHECK: attn.linear ins(%[[X]], %[[W1]] : {{.*}}) extras(%[[U]] : tensor<?x96xf32>) outs(%{{.*}}) epilogue {
// CHECK-NEXT: ^bb0(%[[G:.*]]: f32, %[[E:.*]]: f32):
// CHECK-NEXT: %[[S:.*]] = attn.activation silu %[[G]] : f32
// CHECK-NEXT: %[[H:.*]] = arith.mulf %[[S]], %[[E]] : f32
// CHECK-NEXT: attn.yield %[[H]] : f32
// CHECK-NOT: arith.mulf
func.func @gate(%x: tensor<?x64xf32>, %w1: tensor<64x96xf32>, %w3: tensor<64x96xf32>, %init: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %g = attn.linear ins(%x, %w1 : tensor<?x64xf32>, tensor<64x96xf32>) outs(%init : tensor<?x96xf32>) -> tensor<?x96xf32>
  %u = attn.linear ins(%x, %w3 : tensor<?x64xf32>, tensor<64x96xf32>) outs(%init : tensor<?x96xf32>) -> tensor<?x96xf32>
  // expected-remark @+1 {{[attn-r411] attn.activation is part of the linear layer}}
  %s = attn.activation silu %g : tensor<?x96xf32>
  // expected-remark @+1 {{[attn-r411] arith.mulf is part of the linear layer}}
  %h = arith.mulf %s, %u : tensor<?x96xf32>
  return %h : tensor<?x96xf32>
}

// -----

// x + alpha F as a structured op in bf16, where alpha is a number from outside and the columns have a second bias. The
// region computes in f32: conversions between the two types are gone.
// CHECK-LABEL: @structured
// CHECK-SAME: %[[ALPHA:[a-z0-9]*]]: bf16
// CHECK: attn.linear {{.*}} extras(%{{.*}}, %{{.*}}, %[[ALPHA]] : tensor<8x96xbf16>, tensor<96xbf16>, bf16) outs(%[[OUT:.*]] : tensor<8x96xbf16>) epilogue {
// CHECK-NEXT: ^bb0(%[[F:.*]]: f32, %[[R:.*]]: f32, %[[C:.*]]: f32, %[[A:.*]]: f32):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[F]], %[[A]] : f32
// CHECK-NEXT: %[[Q:.*]] = arith.addf %[[P]], %[[C]] : f32
// CHECK-NEXT: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-NEXT: %[[H:.*]] = arith.mulf %[[Q]], %[[HALF]] : f32
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[R]], %[[H]] : f32
// CHECK-NEXT: attn.yield %[[S]] : f32
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @structured(%x: tensor<8x64xbf16>, %w: tensor<64x96xbf16>, %r: tensor<8x96xbf16>, %c: tensor<96xbf16>, %alpha: bf16, %init: tensor<8x96xbf16>, %out: tensor<8x96xbf16>) -> tensor<8x96xbf16> {
  %half = arith.constant 0.5 : bf16
  %y = attn.linear ins(%x, %w : tensor<8x64xbf16>, tensor<64x96xbf16>) outs(%init : tensor<8x96xbf16>) -> tensor<8x96xbf16>
  // expected-remark @+1 {{[attn-r411] linalg.generic is part of the linear layer}}
  %z = linalg.generic {indexing_maps = [#id, #id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%r, %y, %c : tensor<8x96xbf16>, tensor<8x96xbf16>, tensor<96xbf16>) outs(%out : tensor<8x96xbf16>) {
  ^bb0(%p: bf16, %f: bf16, %d: bf16, %o: bf16):
    %m = arith.mulf %f, %alpha : bf16
    %e = arith.extf %m : bf16 to f32
    %g = arith.extf %d : bf16 to f32
    %s = arith.addf %e, %g : f32
    %t = arith.truncf %s : f32 to bf16
    %h = arith.mulf %t, %half : bf16
    %q = arith.addf %p, %h : bf16
    linalg.yield %q : bf16
  } -> tensor<8x96xbf16>
  return %z : tensor<8x96xbf16>
}

// -----

// What is the same for all elements is a constant of the region; a tensor that is used twice is one operand.
// CHECK-LABEL: @constants
// CHECK: attn.linear {{.*}} extras(%{{[a-z0-9]*}} : tensor<8x96xf32>) outs
// CHECK: arith.constant 2.500000e-01 : f32
// CHECK-NOT: dense
func.func @constants(%x: tensor<8x64xf32>, %w: tensor<64x96xf32>, %r: tensor<8x96xf32>, %init: tensor<8x96xf32>) -> tensor<8x96xf32> {
  %c = arith.constant dense<0.25> : tensor<8x96xf32>
  %y = attn.linear ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>) outs(%init : tensor<8x96xf32>) -> tensor<8x96xf32>
  // expected-remark @+1 {{[attn-r411] arith.mulf is part of the linear layer}}
  %m = arith.mulf %y, %c : tensor<8x96xf32>
  // expected-remark @+1 {{[attn-r411] arith.addf is part of the linear layer}}
  %a = arith.addf %m, %r : tensor<8x96xf32>
  // expected-remark @+1 {{[attn-r411] arith.mulf is part of the linear layer}}
  %z = arith.mulf %a, %r : tensor<8x96xf32>
  return %z : tensor<8x96xf32>
}

// -----

// The layer's result is needed as it is, too.
// CHECK-LABEL: @used_twice
// CHECK: attn.linear
// CHECK-NOT: epilogue
// CHECK: attn.activation
func.func @used_twice(%x: tensor<8x64xf32>, %w: tensor<64x96xf32>, %init: tensor<8x96xf32>) -> (tensor<8x96xf32>, tensor<8x96xf32>) {
  %y = attn.linear ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>) outs(%init : tensor<8x96xf32>) -> tensor<8x96xf32>
  // expected-remark @+1 {{[attn-r412] attn.activation is no part of the linear layer: the value before it is used elsewhere, too}}
  %a = attn.activation relu %y : tensor<8x96xf32>
  return %y, %a : tensor<8x96xf32>, tensor<8x96xf32>
}

// -----

// Places, shapes and types that an epilogue does not have.
// CHECK-LABEL: @others
// CHECK-NOT: epilogue
// CHECK: return
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
func.func @others(%x: tensor<8x64xf32>, %w: tensor<64x8xf32>, %r: tensor<8x8xf32>, %init: tensor<8x8xf32>, %half: tensor<8x8xf16>, %flags: tensor<8x8xi1>)
    -> (tensor<8x8xf32>, tensor<8x8xf16>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %y = attn.linear ins(%x, %w : tensor<8x64xf32>, tensor<64x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark @+1 {{[attn-r412] linalg.generic is no part of the linear layer: an operand is read elsewhere than the output is written}}
  %a = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) {
  ^bb0(%f: f32, %o: f32):
    linalg.yield %f : f32
  } -> tensor<8x8xf32>
  %z = attn.linear ins(%x, %w : tensor<8x64xf32>, tensor<64x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark @+1 {{[attn-r412] arith.truncf is no part of the linear layer: its result has another type}}
  %b = arith.truncf %z : tensor<8x8xf32> to tensor<8x8xf16>
  %u = attn.linear ins(%x, %w : tensor<8x64xf32>, tensor<64x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark @+1 {{[attn-r412] arith.select is no part of the linear layer: an operand has another type or shape}}
  %c = arith.select %flags, %u, %r : tensor<8x8xi1>, tensor<8x8xf32>
  %v = attn.linear ins(%x, %w : tensor<8x64xf32>, tensor<64x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark @+1 {{[attn-r412] linalg.generic is no part of the linear layer: its body has linalg.index}}
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) {
  ^bb0(%f: f32, %o: f32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    %g = arith.sitofp %n : i32 to f32
    %s = arith.addf %f, %g : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  return %a, %b, %c, %d : tensor<8x8xf32>, tensor<8x8xf16>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// Inside a loop the layer would be computed again and again.
// CHECK-LABEL: @loop
// CHECK: attn.linear
// CHECK: scf.for
// CHECK: arith.addf
func.func @loop(%x: tensor<8x64xf32>, %w: tensor<64x96xf32>, %init: tensor<8x96xf32>, %n: index) -> tensor<8x96xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = attn.linear ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>) outs(%init : tensor<8x96xf32>) -> tensor<8x96xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init) -> tensor<8x96xf32> {
    %b = arith.addf %a, %y : tensor<8x96xf32>
    scf.yield %b : tensor<8x96xf32>
  }
  return %s : tensor<8x96xf32>
}

// -----

// Constants that are a resource are tensors like arguments, whatever is in them.
// CHECK-LABEL: @resource
// CHECK: %[[G:.*]] = arith.constant dense_resource<gains>
// CHECK: attn.linear
// CHECK-SAME: extras(%[[G]]
// CHECK: ^bb0(%[[Y:.*]]: f32, %[[E:.*]]: f32):
// CHECK: arith.mulf %[[Y]], %[[E]] : f32
func.func @resource(%x: tensor<8x64xf32>, %w: tensor<64x8xf32>, %init: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %g = arith.constant dense_resource<gains> : tensor<8xf32>
  %y = attn.linear ins(%x, %w : tensor<8x64xf32>, tensor<64x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark @+1 {{[attn-r411]}}
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%y, %g : tensor<8x8xf32>, tensor<8xf32>) outs(%init : tensor<8x8xf32>) {
  ^bb0(%f: f32, %e: f32, %o: f32):
    %r = arith.mulf %f, %e : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  return %a : tensor<8x8xf32>
}

{-#
  dialect_resources: {
    builtin: {
      gains: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F"
    }
  }
#-}
