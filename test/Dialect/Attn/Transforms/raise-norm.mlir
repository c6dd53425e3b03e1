// RUN: attn-opt %s --inline --symbol-dce --attn-raise-norm 2>/dev/null | FileCheck %s
// RUN: attn-opt %s --inline --symbol-dce --attn-raise-norm -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [attn-r111] raised to attn.norm layer with gamma and beta
// REMARK-DAG: [attn-r111] raised to attn.norm layer{{$}}
// REMARK-DAG: [attn-r111] raised to attn.norm rms with gamma
// REMARK-DAG: [attn-r111] raised to attn.norm l2{{$}}
// REMARK-NOT: attn-r112

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>
#r1 = affine_map<(i) -> (i)>

// Squares, their sum, a division, eps, the root and the product, each apart.
// CHECK-LABEL: @rms
// CHECK: attn.norm rms axes [1] eps(1.000000e-06) ins(%arg0 : tensor<4x8xf32>) gamma(%arg1 : tensor<8xf32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @rms(%x: tensor<4x8xf32>, %g: tensor<8xf32>) -> tensor<4x8xf32> {
  %q = call @multiply(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = call @sum(%q) : (tensor<4x8xf32>) -> tensor<4xf32>
  %m = call @divide(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %r = call @rsqrt(%m) : (tensor<4xf32>) -> tensor<4xf32>
  %n = call @scale(%x, %r) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  %y = call @gain(%n, %g) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// GPT-NeoX: two norms of one tensor share statistics, and have their own gammas.
// CHECK-LABEL: @shared_statistics
// CHECK-DAG: attn.norm rms axes [1] eps(1.000000e-06) ins(%arg0 : tensor<4x8xf32>) gamma(%arg1 : tensor<8xf32>)
// CHECK-DAG: attn.norm rms axes [1] eps(1.000000e-06) ins(%arg0 : tensor<4x8xf32>) gamma(%arg2 : tensor<8xf32>)
// CHECK-NOT: attn.norm
// CHECK-NOT: linalg.
// CHECK: return
func.func @shared_statistics(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %h: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %q = call @multiply(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = call @sum(%q) : (tensor<4x8xf32>) -> tensor<4xf32>
  %m = call @divide(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %r = call @rsqrt(%m) : (tensor<4xf32>) -> tensor<4xf32>
  %n = call @scale(%x, %r) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  %y = call @gain(%n, %g) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %z = call @gain(%n, %h) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %y, %z : tensor<4x8xf32>, tensor<4x8xf32>
}

// Columns instead of rows.
// CHECK-LABEL: @first_axis
// CHECK: attn.norm rms axes [0] eps(0.000000e+00) ins(%arg0 : tensor<4x8xf32>) outs
// CHECK-NOT: linalg.
// CHECK: return
func.func @first_axis(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %q = call @multiply(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %e8 = tensor.empty() : tensor<8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e8 : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.reduce { arith.addf } ins(%q : tensor<4x8xf32>) outs(%z : tensor<8xf32>) dimensions = [0]
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %n = arith.constant 0.25 : f32
    %w = arith.mulf %b, %n : f32
    %r = math.rsqrt %w : f32
    %t = arith.mulf %a, %r : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// x is what the sum of two tensors is, not one of them.
// CHECK-LABEL: @rms_of_sum
// CHECK: %[[X:.*]] = linalg.add
// CHECK: attn.norm rms axes [1] eps(1.000000e-06) ins(%[[X]] : tensor<4x8xf32>) outs
// CHECK-NOT: linalg.
// CHECK: return
func.func @rms_of_sum(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %x = call @add(%a, %b) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %q = call @multiply(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = call @sum(%q) : (tensor<4x8xf32>) -> tensor<4xf32>
  %m = call @divide(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %r = call @rsqrt(%m) : (tensor<4xf32>) -> tensor<4xf32>
  %y = call @scale(%x, %r) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// One op for each statistic, 1/n as a factor, and the root by pow.
// CHECK-LABEL: @layer_in_few_ops
// CHECK: attn.norm layer axes [1] eps(1.000000e-05) ins(%arg0 : tensor<4x8xf32>) gamma(%arg1 : tensor<8xf32>) beta(%arg2 : tensor<8xf32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @layer_in_few_ops(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %inv = arith.constant 0.125 : f32
  %eps = arith.constant 1.0e-5 : f32
  %half = arith.constant -0.5 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = tensor.empty() : tensor<4x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %w = arith.mulf %a, %inv : f32
    %t = arith.addf %acc, %w : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %v = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %s : tensor<4x8xf32>, tensor<4xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%a: f32, %m: f32, %acc: f32):
    %d = arith.subf %a, %m : f32
    %q = arith.mulf %d, %d : f32
    %t = arith.addf %acc, %q : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #row, #col, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %v, %g, %b : tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%a: f32, %m: f32, %q: f32, %gamma: f32, %beta: f32, %out: f32):
    %d = arith.subf %a, %m : f32
    %w = arith.mulf %q, %inv : f32
    %u = arith.addf %w, %eps : f32
    %r = math.powf %u, %half : f32
    %gr = arith.mulf %r, %gamma : f32
    %n = arith.mulf %d, %gr : f32
    %t = arith.addf %n, %beta : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// The variance as mean x^2 - (mean x)^2, bounded by 0, as Flax has it; no gamma.
// CHECK-LABEL: @layer_by_moments
// CHECK: attn.norm layer axes [1] eps(1.000000e-06) ins(%arg0 : tensor<4x8xf32>) outs
// CHECK-NOT: linalg.
// CHECK: return
func.func @layer_by_moments(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %q = call @multiply(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s2 = call @sum(%q) : (tensor<4x8xf32>) -> tensor<4xf32>
  %m2 = call @divide(%s2) : (tensor<4xf32>) -> tensor<4xf32>
  %s = call @sum(%x) : (tensor<4x8xf32>) -> tensor<4xf32>
  %m = call @divide(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %v = linalg.generic {indexing_maps = [#r1, #r1, #r1], iterator_types = ["parallel"]}
      ins(%m2, %m : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %c = arith.mulf %b, %b : f32
    %d = arith.subf %a, %c : f32
    %t = arith.maximumf %d, %zero : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %r = call @rsqrt(%v) : (tensor<4xf32>) -> tensor<4xf32>
  %c = call @center(%x, %m) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  %y = call @scale(%c, %r) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Half precision: statistics in f32, the gain 1 + g in f16. Gamma becomes a
// tensor, and the norm reads and writes f16.
// CHECK-LABEL: @half
// CHECK: %[[G:.*]] = linalg.generic
// CHECK: attn.norm rms axes [1] eps(1.000000e-06) ins(%arg0 : tensor<4x8xf16>) gamma(%[[G]] : tensor<8xf32>) outs
// CHECK-NOT: linalg.
// CHECK: return
func.func @half(%x: tensor<4x8xf16>, %g: tensor<8xf16>) -> tensor<4x8xf16> {
  %w = tensor.empty() : tensor<4x8xf32>
  %h = tensor.empty() : tensor<4x8xf16>
  %wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf16>) outs(%w : tensor<4x8xf32>) {
  ^bb0(%a: f16, %out: f32):
    %t = arith.extf %a : f16 to f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  %q = call @multiply(%wide, %wide) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = call @sum(%q) : (tensor<4x8xf32>) -> tensor<4xf32>
  %m = call @divide(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %r = call @rsqrt(%m) : (tensor<4xf32>) -> tensor<4xf32>
  %n = call @scale(%wide, %r) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%n, %g : tensor<4x8xf32>, tensor<8xf16>) outs(%h : tensor<4x8xf16>) {
  ^bb0(%a: f32, %b: f16, %out: f16):
    %one = arith.constant 1.0 : f16
    %p = arith.addf %b, %one : f16
    %c = arith.truncf %a : f32 to f16
    %t = arith.mulf %c, %p : f16
    linalg.yield %t : f16
  } -> tensor<4x8xf16>
  return %y : tensor<4x8xf16>
}

// The norm is used before the gain, too: that is where it stops.
// CHECK-LABEL: @shared
// CHECK: %[[N:.*]] = attn.norm rms axes [1] eps(1.000000e-06) ins(%arg0 : tensor<4x8xf32>) outs
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[N]], %arg1
// CHECK-NOT: linalg.generic
// CHECK: return %[[N]], %[[Y]]
func.func @shared(%x: tensor<4x8xf32>, %g: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %q = call @multiply(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = call @sum(%q) : (tensor<4x8xf32>) -> tensor<4xf32>
  %m = call @divide(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %r = call @rsqrt(%m) : (tensor<4xf32>) -> tensor<4xf32>
  %n = call @scale(%x, %r) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  %y = call @gain(%n, %g) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %n, %y : tensor<4x8xf32>, tensor<4x8xf32>
}

// A sum without a division, bounded by eps, as F.normalize has it; rows of
// dynamic number.
// CHECK-LABEL: @l2
// CHECK: attn.norm l2 axes [1] eps(max_norm 1.000000e-12) ins(%arg0 : tensor<?x8xf32>) outs
// CHECK-NOT: linalg.
// CHECK: return
func.func @l2(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-12 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = tensor.empty(%n) : tensor<?x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x8xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %b = math.absf %a : f32
    %q = arith.mulf %b, %b : f32
    %t = arith.addf %acc, %q : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<?x8xf32>, tensor<?xf32>) outs(%f : tensor<?x8xf32>) {
  ^bb0(%a: f32, %q: f32, %out: f32):
    %r = math.sqrt %q : f32
    %b = arith.maximumf %r, %eps : f32
    %t = arith.divf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// The last two dimensions, in two steps.
// CHECK-LABEL: @two_axes
// CHECK: attn.norm rms axes [1, 2] eps(1.000000e-06) ins(%arg0 : tensor<4x2x4xf32>) outs
// CHECK-NOT: linalg.
// CHECK: return
func.func @two_axes(%x: tensor<4x2x4xf32>) -> tensor<4x2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x2xf32>
  %f = tensor.empty() : tensor<4x2x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4x2xf32>) -> tensor<4x2xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x2x4xf32>) outs(%z2 : tensor<4x2xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %q = arith.mulf %a, %a : f32
    %t = arith.addf %acc, %q : f32
    linalg.yield %t : f32
  } -> tensor<4x2xf32>
  %s = linalg.reduce { arith.addf } ins(%s2 : tensor<4x2xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  %m = call @divide(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %r = call @rsqrt(%m) : (tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %r : tensor<4x2x4xf32>, tensor<4xf32>) outs(%f : tensor<4x2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<4x2x4xf32>
  return %y : tensor<4x2x4xf32>
}

// Only one element of the factor is written; the others are those of what it is
// written to.
// CHECK-LABEL: @written_at_constant
// CHECK: %[[W:[^:]*]] = linalg.generic
// CHECK: tensor.extract %[[W]]
// CHECK: attn.norm rms
func.func @written_at_constant(%x: tensor<4x8xf32>, %a: tensor<1xf32>, %to: tensor<8xf32>, %g: tensor<8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c8 = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %w = linalg.generic {indexing_maps = [affine_map<() -> (0)>, affine_map<() -> (0)>], iterator_types = []}
      ins(%a : tensor<1xf32>) outs(%to : tensor<8xf32>) {
  ^bb0(%p: f32, %out: f32):
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %r0 = tensor.empty() : tensor<4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%r0 : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %q = arith.mulf %p, %p : f32
    %t = arith.addf %acc, %q : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %w, %g : tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: f32, %b: f32, %c: f32, %d: f32, %out: f32):
    %m = arith.divf %b, %c8 : f32
    %v = arith.addf %m, %eps : f32
    %r = math.rsqrt %v : f32
    %t = arith.mulf %p, %r : f32
    %cd = arith.mulf %c, %d : f32
    %u = arith.mulf %t, %cd : f32
    linalg.yield %u : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// The rows that are extracted are fewer than those there are, which no type says.
// CHECK-LABEL: @first_rows
// CHECK: %[[ROWS:[^:]*]] = linalg.generic
// CHECK: attn.norm rms axes [1] eps(1.000000e-05) ins(%[[ROWS]] : tensor<?x8xf32>)
func.func @first_rows(%like: tensor<?x8xf32>, %x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %c8 = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %n = tensor.dim %like, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %rows = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %a = tensor.extract %x[%i, %j] : tensor<?x8xf32>
    linalg.yield %a : f32
  } -> tensor<?x8xf32>
  %r0 = tensor.empty(%n) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%r0 : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%rows : tensor<?x8xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %q = arith.mulf %p, %p : f32
    %t = arith.addf %acc, %q : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%rows, %s : tensor<?x8xf32>, tensor<?xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%p: f32, %b: f32, %out: f32):
    %m = arith.divf %b, %c8 : f32
    %v = arith.addf %m, %eps : f32
    %r = math.rsqrt %v : f32
    %t = arith.mulf %p, %r : f32
    linalg.yield %t : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// JAX asks whether there are elements to divide by, and extracts the answer in front of the selection.
// CHECK-LABEL: @variance_of_some
// CHECK: attn.norm rms axes [1] eps(1.000000e-06) ins(%arg0 : tensor<4x8xf32>)
// CHECK-NOT: arith.select
// CHECK: return
func.func @variance_of_some(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %q = call @multiply(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = call @sum(%q) : (tensor<4x8xf32>) -> tensor<4xf32>
  %m = call @divide(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %count = arith.constant dense<8.0> : tensor<f32>
  %none = tensor.empty() : tensor<i1>
  %some = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%count : tensor<f32>) outs(%none : tensor<i1>) {
  ^bb0(%a: f32, %out: i1):
    %y = arith.cmpf ogt, %a, %zero : f32
    linalg.yield %y : i1
  } -> tensor<i1>
  %has = tensor.extract %some[] : tensor<i1>
  %e = tensor.empty() : tensor<4xf32>
  %v = linalg.generic {indexing_maps = [#r1, #r1], iterator_types = ["parallel"]} ins(%m : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %y = arith.select %has, %a, %nan : f32
    linalg.yield %y : f32
  } -> tensor<4xf32>
  %r = call @rsqrt(%v) : (tensor<4xf32>) -> tensor<4xf32>
  %n = call @scale(%x, %r) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %n : tensor<4x8xf32>
}

func.func private @multiply(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.mul ins(%a, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

func.func private @add(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.add ins(%a, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

func.func private @sum(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  return %y : tensor<4xf32>
}

func.func private @divide(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#r1, #r1], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %n = arith.constant 8.0 : f32
    %t = arith.divf %a, %n : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func private @rsqrt(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#r1, #r1], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %eps = arith.constant 1.0e-6 : f32
    %s = arith.addf %a, %eps : f32
    %t = math.rsqrt %s : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func private @scale(%x: tensor<4x8xf32>, %r: tensor<4xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

func.func private @center(%x: tensor<4x8xf32>, %m: tensor<4xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %t = arith.subf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

func.func private @gain(%x: tensor<4x8xf32>, %g: tensor<8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %g : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
