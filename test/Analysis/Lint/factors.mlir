// The factor of a residual branch may stand in the body of the sum, in an op of
// its own or, after attn-fuse-epilogue, in the layer: a model has the same
// faults, of the same numbers, before and after. A constant is a part of the
// branch, anything else the alpha of a ReZero block, which has neither fault.

// RUN: attn-opt %s --attn-lint -o /dev/null 2> %t.before
// RUN: attn-opt %s --attn-fuse-epilogue -o %t.mlir
// RUN: FileCheck %s --check-prefix=FUSED < %t.mlir
// RUN: attn-opt %t.mlir --attn-lint -o /dev/null 2> %t.after
// RUN: grep -oE "\[attn-w.*|note: .*" %t.before | sed -E "s/(linalg|arith)\.[a-z]+: /sum: /" > %t.texts
// RUN: grep -oE "\[attn-w.*|note: .*" %t.after | sed -E "s/(linalg|arith)\.[a-z]+: /sum: /" | diff %t.texts -
// RUN: FileCheck %s < %t.texts

// FUSED-LABEL: @constant_in_sum
// FUSED-NOT: linalg.generic
// FUSED-NOT: arith.addf {{.*}}tensor
// FUSED-LABEL: @running

// CHECK: [attn-w102] sum: the stream of 1 Pre Norm blocks ends without a norm; its predicted second moment is 3.56, that of its input 1
// CHECK-NEXT: note: mend it by attn.norm rms behind it
// CHECK-NEXT: [attn-w102] sum: the stream of 1 Pre Norm blocks ends without a norm; its predicted second moment is 3.56, that of its input 1
// CHECK-NEXT: note: mend it by attn.norm rms behind it
// CHECK-NEXT: [attn-w102] sum: the stream of 1 Pre Norm blocks ends without a norm; its predicted second moment is 3.56, that of its input 1
// CHECK-NEXT: note: mend it by attn.norm rms behind it
// CHECK-NEXT: [attn-w102] sum: the stream of 1 Pre Norm blocks ends without a norm; its predicted second moment is 2, that of its input 1
// CHECK-NEXT: note: mend it by attn.norm rms behind it
// CHECK-NEXT: [attn-w102] sum: the stream of 1 Pre Norm blocks ends without a norm; its predicted second moment is 2, that of its input 1
// CHECK-NEXT: note: mend it by attn.norm rms behind it
// CHECK-NEXT: [attn-w102] sum: the stream of 2 Pre Norm blocks ends without a norm; its predicted second moment is 2, that of its input 1
// CHECK-NEXT: note: mend it by attn.norm rms behind it
// CHECK-NEXT: [attn-w104] sum: after 6 Post Norm blocks the input of the stream weighs 0.125
// CHECK-NEXT: note: not mended by
// CHECK-NOT: attn-w

#same = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#number = affine_map<(i, j) -> ()>

// A constant in the body of the sum.
func.func @constant_in_sum(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %f = attn.linear ins(%n, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %s = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
    ins(%x, %f : tensor<16x64xf32>, tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %c = arith.constant 1.6 : f32
    %p = arith.mulf %b, %c : f32
    %q = arith.addf %a, %p : f32
    linalg.yield %q : f32
  } -> tensor<16x64xf32>
  return %s : tensor<16x64xf32>
}

// One in an op of its own.
func.func @constant_alone(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %f = attn.linear ins(%n, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %p = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
    ins(%f : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%b: f32, %out: f32):
    %c = arith.constant 1.6 : f32
    %p = arith.mulf %b, %c : f32
    linalg.yield %p : f32
  } -> tensor<16x64xf32>
  %s = arith.addf %x, %p : tensor<16x64xf32>
  return %s : tensor<16x64xf32>
}

// One that the sum captures, on its left.
func.func @constant_captured(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %f = attn.linear ins(%n, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %c = arith.constant 1.6 : f32
  %s = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
    ins(%x, %f : tensor<16x64xf32>, tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %c, %b : f32
    %q = arith.addf %p, %a : f32
    linalg.yield %q : f32
  } -> tensor<16x64xf32>
  return %s : tensor<16x64xf32>
}

// Factors of the columns are a part of the branch, too.
func.func @columns(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>, %gamma: tensor<64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %f = attn.linear ins(%n, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %s = linalg.generic {indexing_maps = [#same, #same, #row, #same], iterator_types = ["parallel", "parallel"]}
    ins(%x, %f, %gamma : tensor<16x64xf32>, tensor<16x64xf32>, tensor<64xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %p = arith.mulf %b, %c : f32
    %q = arith.addf %a, %p : f32
    linalg.yield %q : f32
  } -> tensor<16x64xf32>
  return %s : tensor<16x64xf32>
}

// A norm by running statistics is one, though its root does not depend on the
// stream, in the body of the norm as in that of the sum before it.
func.func @running(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64xf32> {attn.moments = array<f64: 1.0, 1.0>}) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %k = linalg.generic {indexing_maps = [#same, #row, #same], iterator_types = ["parallel", "parallel"]}
    ins(%x, %v : tensor<16x64xf32>, tensor<64xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = math.rsqrt %b : f32
    %q = arith.mulf %a, %r : f32
    linalg.yield %q : f32
  } -> tensor<16x64xf32>
  %f = attn.linear ins(%k, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %s = arith.addf %x, %f : tensor<16x64xf32>
  return %s : tensor<16x64xf32>
}

// An alpha that is a number, in an op of its own, times a constant.
func.func @alpha_alone(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>, %alpha: f32 {attn.moments = array<f64: 1.0, 1.0>}) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %f = attn.linear ins(%n, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %p = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
    ins(%f : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%b: f32, %out: f32):
    %c = arith.constant 2.0 : f32
    %p = arith.mulf %b, %alpha : f32
    %d = arith.mulf %c, %p : f32
    linalg.yield %d : f32
  } -> tensor<16x64xf32>
  %s = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
    ins(%x, %p : tensor<16x64xf32>, tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %q = arith.addf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<16x64xf32>
  return %s : tensor<16x64xf32>
}

// One that is repeated in a tensor.
func.func @alpha_repeated(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>, %alpha: f32 {attn.moments = array<f64: 1.0, 1.0>}) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %f = attn.linear ins(%n, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %z = linalg.fill ins(%alpha : f32) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %p = arith.mulf %z, %f : tensor<16x64xf32>
  %s = linalg.add ins(%p, %x : tensor<16x64xf32>, tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %s : tensor<16x64xf32>
}

// One that is a tensor, of which nothing is said, starts at 0: only the second
// block, which has none, adds to the stream.
func.func @alpha_tensor(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>, %alpha: tensor<f32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %f = attn.linear ins(%n, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %p = linalg.generic {indexing_maps = [#same, #number, #same], iterator_types = ["parallel", "parallel"]}
    ins(%f, %alpha : tensor<16x64xf32>, tensor<f32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%b: f32, %c: f32, %out: f32):
    %p = arith.mulf %b, %c : f32
    linalg.yield %p : f32
  } -> tensor<16x64xf32>
  %s = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
    ins(%x, %p : tensor<16x64xf32>, tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %q = arith.addf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<16x64xf32>
  %m = attn.norm rms axes [1] eps(1.0e-06) ins(%s : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %g = attn.linear ins(%m, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %t = arith.addf %s, %g : tensor<16x64xf32>
  return %t : tensor<16x64xf32>
}

// A sum of two that is divided by sqrt(2) in an op of its own.
func.func @halved(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<16x64xf32>
  %n = attn.norm rms axes [1] eps(1.0e-06) ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %f = attn.linear ins(%n, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %q = arith.addf %x, %f : tensor<16x64xf32>
  %c = arith.constant dense<0.70710678> : tensor<16x64xf32>
  %s = arith.mulf %q, %c : tensor<16x64xf32>
  return %s : tensor<16x64xf32>
}

// Post Norm blocks whose sums are halved before the norm.
func.func @post(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %e = tensor.empty() : tensor<16x64xf32>
  %r = scf.for %i = %c0 to %c6 step %c1 iter_args(%h = %x) -> tensor<16x64xf32> {
    %f = attn.linear ins(%h, %w : tensor<16x64xf32>, tensor<64x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    %s = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%h, %f : tensor<16x64xf32>, tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %q = arith.addf %a, %b : f32
      %c = arith.constant 0.5 : f32
      %p = arith.mulf %q, %c : f32
      linalg.yield %p : f32
    } -> tensor<16x64xf32>
    %n = attn.norm layer axes [1] eps(1.0e-05) ins(%s : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
    scf.yield %n : tensor<16x64xf32>
  }
  return %r : tensor<16x64xf32>
}
