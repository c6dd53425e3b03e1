// RUN: attn-opt %s --attn-raise-pipeline 2>/dev/null | FileCheck %s
// RUN: attn-opt %s --attn-raise-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: attn-run %s --entry=group --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=other_list --check | FileCheck %s --check-prefix=MATCH
// RUN: %python -c "import numpy as np; r = np.random.default_rng(0); f = lambda *s: r.standard_normal(s, np.float32); np.savez('%t.npz', arg0=f(2, 4, 3), arg1=f(4), arg2=f(4)**2 + 1, arg3=f(4), arg4=f(4))"
// RUN: attn-run %s --entry=given --check --inputs=%t.npz | FileCheck %s --check-prefix=MATCH
// MATCH: f64 reference: match

// Norms with one gain and one shift for each channel, as torch-mlir writes them.

#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
#map = affine_map<(n, c, h, w) -> (n, c)>
#two = affine_map<(n, c) -> (n, c)>
#all = affine_map<(n, g, c) -> (n, g, c)>
#sample = affine_map<(n, g, c) -> (n, g)>
#channels = affine_map<(n, g, c) -> (g, c)>
#item = affine_map<(n, c, s) -> (n, c, s)>
#channel = affine_map<(n, c, s) -> (c)>
#row = affine_map<(n, c, s) -> (s)>

// x r gamma + (beta - mean r gamma): statistics of groups of channels, the
// variance in f64.
// CHECK-LABEL: @group
// CHECK-NOT: linalg.
// CHECK: attn.norm group axes [2, 3, 4] eps(1.000000e-05) affine_axes [1, 2] ins(%{{.*}} : tensor<2x2x2x3x2xf32>) gamma(%{{.*}} : tensor<2x2xf32>) beta(%{{.*}} : tensor<2x2xf32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @group(%x: tensor<2x4x3x2xf32>, %gamma: tensor<4xf32>, %beta: tensor<4xf32>) -> tensor<2x4x3x2xf32> {
  %rows = tensor.collapse_shape %x [[0], [1], [2, 3]] : tensor<2x4x3x2xf32> into tensor<2x4x6xf32>
  %groups = tensor.expand_shape %rows [[0], [1, 2], [3]] output_shape [2, 2, 2, 6] : tensor<2x4x6xf32> into tensor<2x2x2x6xf32>
  %e = tensor.empty() : tensor<2x2x2x6xf64>
  %e2 = tensor.empty() : tensor<2x2xf64>
  %e3 = tensor.empty() : tensor<2x2xf32>
  %wide = linalg.map ins(%groups : tensor<2x2x2x6xf32>) outs(%e : tensor<2x2x2x6xf64>)
      (%i: f32, %out: f64) {
    %o = arith.extf %i : f32 to f64
    linalg.yield %o : f64
  }
  %zero = arith.constant dense<0.0> : tensor<2x2xf64>
  %none = arith.constant dense<0.0> : tensor<2x2xf32>
  %sum = linalg.reduce { arith.addf } ins(%wide : tensor<2x2x2x6xf64>) outs(%zero : tensor<2x2xf64>) dimensions = [2, 3]
  %count = arith.constant dense<12.0> : tensor<2x2xf64>
  %own = linalg.map { arith.divf } ins(%sum, %count : tensor<2x2xf64>, tensor<2x2xf64>) outs(%e2 : tensor<2x2xf64>)
  %spread = linalg.broadcast ins(%own : tensor<2x2xf64>) outs(%e : tensor<2x2x2x6xf64>) dimensions = [2, 3]
  %c = linalg.map { arith.subf } ins(%wide, %spread : tensor<2x2x2x6xf64>, tensor<2x2x2x6xf64>) outs(%e : tensor<2x2x2x6xf64>)
  %square = linalg.map { arith.mulf } ins(%c, %c : tensor<2x2x2x6xf64>, tensor<2x2x2x6xf64>) outs(%e : tensor<2x2x2x6xf64>)
  %squares = linalg.reduce { arith.addf } ins(%square : tensor<2x2x2x6xf64>) outs(%zero : tensor<2x2xf64>) dimensions = [2, 3]
  %variance = linalg.map { arith.divf } ins(%squares, %count : tensor<2x2xf64>, tensor<2x2xf64>) outs(%e2 : tensor<2x2xf64>)
  %narrow = linalg.map ins(%variance : tensor<2x2xf64>) outs(%e3 : tensor<2x2xf32>)
      (%i: f64, %out: f32) {
    %o = arith.truncf %i : f64 to f32
    linalg.yield %o : f32
  }
  %eps = arith.constant dense<1.0e-5> : tensor<2x2xf32>
  %v = linalg.map { arith.addf } ins(%narrow, %eps : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e3 : tensor<2x2xf32>)
  %r = linalg.map { math.rsqrt } ins(%v : tensor<2x2xf32>) outs(%e3 : tensor<2x2xf32>)
  %sum32 = linalg.reduce { arith.addf } ins(%groups : tensor<2x2x2x6xf32>) outs(%none : tensor<2x2xf32>) dimensions = [2, 3]
  %count32 = arith.constant dense<12.0> : tensor<2x2xf32>
  %mean = linalg.map { arith.divf } ins(%sum32, %count32 : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e3 : tensor<2x2xf32>)
  // x a + b: a and b for each sample and channel, as groups and their channels.
  %g = tensor.expand_shape %gamma [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %h = tensor.expand_shape %beta [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %ea = tensor.empty() : tensor<2x2x2xf32>
  %a = linalg.generic {indexing_maps = [#sample, #channels, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r, %g : tensor<2x2xf32>, tensor<2x2xf32>) outs(%ea : tensor<2x2x2xf32>) {
  ^bb0(%s: f32, %t: f32, %out: f32):
    %u = arith.mulf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<2x2x2xf32>
  %b = linalg.generic {indexing_maps = [#sample, #all, #channels, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%mean, %a, %h : tensor<2x2xf32>, tensor<2x2x2xf32>, tensor<2x2xf32>) outs(%ea : tensor<2x2x2xf32>) {
  ^bb0(%m: f32, %s: f32, %t: f32, %out: f32):
    %minus = arith.negf %m : f32
    %u = arith.mulf %minus, %s : f32
    %w = arith.addf %u, %t : f32
    linalg.yield %w : f32
  } -> tensor<2x2x2xf32>
  // Copied by lists of indices.
  %samples = arith.constant dense<[[0, 0, 0, 0], [1, 1, 1, 1]]> : tensor<2x4xi64>
  %first = arith.constant dense<[[0, 0, 1, 1], [0, 0, 1, 1]]> : tensor<2x4xi64>
  %second = arith.constant dense<[[0, 1, 0, 1], [0, 1, 0, 1]]> : tensor<2x4xi64>
  %el = tensor.empty() : tensor<2x4xf32>
  %al = linalg.generic {indexing_maps = [#two, #two, #two, #two], iterator_types = ["parallel", "parallel"]}
      ins(%samples, %first, %second : tensor<2x4xi64>, tensor<2x4xi64>, tensor<2x4xi64>) outs(%el : tensor<2x4xf32>) {
  ^bb0(%i: i64, %j: i64, %k: i64, %out: f32):
    %i0 = arith.index_cast %i : i64 to index
    %j0 = arith.index_cast %j : i64 to index
    %k0 = arith.index_cast %k : i64 to index
    %t = tensor.extract %a[%i0, %j0, %k0] : tensor<2x2x2xf32>
    linalg.yield %t : f32
  } -> tensor<2x4xf32>
  %bl = linalg.generic {indexing_maps = [#two, #two, #two, #two], iterator_types = ["parallel", "parallel"]}
      ins(%samples, %first, %second : tensor<2x4xi64>, tensor<2x4xi64>, tensor<2x4xi64>) outs(%el : tensor<2x4xf32>) {
  ^bb0(%i: i64, %j: i64, %k: i64, %out: f32):
    %i0 = arith.index_cast %i : i64 to index
    %j0 = arith.index_cast %j : i64 to index
    %k0 = arith.index_cast %k : i64 to index
    %t = tensor.extract %b[%i0, %j0, %k0] : tensor<2x2x2xf32>
    linalg.yield %t : f32
  } -> tensor<2x4xf32>
  %ey = tensor.empty() : tensor<2x4x3x2xf32>
  %y = linalg.generic {indexing_maps = [#id, #map, #map, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %al, %bl : tensor<2x4x3x2xf32>, tensor<2x4xf32>, tensor<2x4xf32>) outs(%ey : tensor<2x4x3x2xf32>) {
  ^bb0(%s: f32, %t: f32, %u: f32, %out: f32):
    %w = arith.mulf %s, %t : f32
    %z = arith.addf %w, %u : f32
    linalg.yield %z : f32
  } -> tensor<2x4x3x2xf32>
  return %y : tensor<2x4x3x2xf32>
}

// One channel of one sample has the statistics of the other group.
// CHECK-LABEL: @other_list
// CHECK-NOT: attn.norm
// CHECK: return
func.func @other_list(%x: tensor<2x4x3x2xf32>, %gamma: tensor<4xf32>, %beta: tensor<4xf32>) -> tensor<2x4x3x2xf32> {
  %rows = tensor.collapse_shape %x [[0], [1], [2, 3]] : tensor<2x4x3x2xf32> into tensor<2x4x6xf32>
  %groups = tensor.expand_shape %rows [[0], [1, 2], [3]] output_shape [2, 2, 2, 6] : tensor<2x4x6xf32> into tensor<2x2x2x6xf32>
  %e = tensor.empty() : tensor<2x2x2x6xf64>
  %e2 = tensor.empty() : tensor<2x2xf64>
  %e3 = tensor.empty() : tensor<2x2xf32>
  %wide = linalg.map ins(%groups : tensor<2x2x2x6xf32>) outs(%e : tensor<2x2x2x6xf64>)
      (%i: f32, %out: f64) {
    %o = arith.extf %i : f32 to f64
    linalg.yield %o : f64
  }
  %zero = arith.constant dense<0.0> : tensor<2x2xf64>
  %none = arith.constant dense<0.0> : tensor<2x2xf32>
  %sum = linalg.reduce { arith.addf } ins(%wide : tensor<2x2x2x6xf64>) outs(%zero : tensor<2x2xf64>) dimensions = [2, 3]
  %count = arith.constant dense<12.0> : tensor<2x2xf64>
  %own = linalg.map { arith.divf } ins(%sum, %count : tensor<2x2xf64>, tensor<2x2xf64>) outs(%e2 : tensor<2x2xf64>)
  %spread = linalg.broadcast ins(%own : tensor<2x2xf64>) outs(%e : tensor<2x2x2x6xf64>) dimensions = [2, 3]
  %c = linalg.map { arith.subf } ins(%wide, %spread : tensor<2x2x2x6xf64>, tensor<2x2x2x6xf64>) outs(%e : tensor<2x2x2x6xf64>)
  %square = linalg.map { arith.mulf } ins(%c, %c : tensor<2x2x2x6xf64>, tensor<2x2x2x6xf64>) outs(%e : tensor<2x2x2x6xf64>)
  %squares = linalg.reduce { arith.addf } ins(%square : tensor<2x2x2x6xf64>) outs(%zero : tensor<2x2xf64>) dimensions = [2, 3]
  %variance = linalg.map { arith.divf } ins(%squares, %count : tensor<2x2xf64>, tensor<2x2xf64>) outs(%e2 : tensor<2x2xf64>)
  %narrow = linalg.map ins(%variance : tensor<2x2xf64>) outs(%e3 : tensor<2x2xf32>)
      (%i: f64, %out: f32) {
    %o = arith.truncf %i : f64 to f32
    linalg.yield %o : f32
  }
  %eps = arith.constant dense<1.0e-5> : tensor<2x2xf32>
  %v = linalg.map { arith.addf } ins(%narrow, %eps : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e3 : tensor<2x2xf32>)
  %r = linalg.map { math.rsqrt } ins(%v : tensor<2x2xf32>) outs(%e3 : tensor<2x2xf32>)
  %sum32 = linalg.reduce { arith.addf } ins(%groups : tensor<2x2x2x6xf32>) outs(%none : tensor<2x2xf32>) dimensions = [2, 3]
  %count32 = arith.constant dense<12.0> : tensor<2x2xf32>
  %mean = linalg.map { arith.divf } ins(%sum32, %count32 : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e3 : tensor<2x2xf32>)
  // x a + b: a and b for each sample and channel, as groups and their channels.
  %g = tensor.expand_shape %gamma [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %h = tensor.expand_shape %beta [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %ea = tensor.empty() : tensor<2x2x2xf32>
  %a = linalg.generic {indexing_maps = [#sample, #channels, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r, %g : tensor<2x2xf32>, tensor<2x2xf32>) outs(%ea : tensor<2x2x2xf32>) {
  ^bb0(%s: f32, %t: f32, %out: f32):
    %u = arith.mulf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<2x2x2xf32>
  %b = linalg.generic {indexing_maps = [#sample, #all, #channels, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%mean, %a, %h : tensor<2x2xf32>, tensor<2x2x2xf32>, tensor<2x2xf32>) outs(%ea : tensor<2x2x2xf32>) {
  ^bb0(%m: f32, %s: f32, %t: f32, %out: f32):
    %minus = arith.negf %m : f32
    %u = arith.mulf %minus, %s : f32
    %w = arith.addf %u, %t : f32
    linalg.yield %w : f32
  } -> tensor<2x2x2xf32>
  // Copied by lists of indices.
  %samples = arith.constant dense<[[0, 0, 0, 0], [1, 1, 1, 1]]> : tensor<2x4xi64>
  %first = arith.constant dense<[[0, 0, 1, 0], [0, 0, 1, 1]]> : tensor<2x4xi64>
  %second = arith.constant dense<[[0, 1, 0, 1], [0, 1, 0, 1]]> : tensor<2x4xi64>
  %el = tensor.empty() : tensor<2x4xf32>
  %al = linalg.generic {indexing_maps = [#two, #two, #two, #two], iterator_types = ["parallel", "parallel"]}
      ins(%samples, %first, %second : tensor<2x4xi64>, tensor<2x4xi64>, tensor<2x4xi64>) outs(%el : tensor<2x4xf32>) {
  ^bb0(%i: i64, %j: i64, %k: i64, %out: f32):
    %i0 = arith.index_cast %i : i64 to index
    %j0 = arith.index_cast %j : i64 to index
    %k0 = arith.index_cast %k : i64 to index
    %t = tensor.extract %a[%i0, %j0, %k0] : tensor<2x2x2xf32>
    linalg.yield %t : f32
  } -> tensor<2x4xf32>
  %bl = linalg.generic {indexing_maps = [#two, #two, #two, #two], iterator_types = ["parallel", "parallel"]}
      ins(%samples, %first, %second : tensor<2x4xi64>, tensor<2x4xi64>, tensor<2x4xi64>) outs(%el : tensor<2x4xf32>) {
  ^bb0(%i: i64, %j: i64, %k: i64, %out: f32):
    %i0 = arith.index_cast %i : i64 to index
    %j0 = arith.index_cast %j : i64 to index
    %k0 = arith.index_cast %k : i64 to index
    %t = tensor.extract %b[%i0, %j0, %k0] : tensor<2x2x2xf32>
    linalg.yield %t : f32
  } -> tensor<2x4xf32>
  %ey = tensor.empty() : tensor<2x4x3x2xf32>
  %y = linalg.generic {indexing_maps = [#id, #map, #map, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %al, %bl : tensor<2x4x3x2xf32>, tensor<2x4xf32>, tensor<2x4xf32>) outs(%ey : tensor<2x4x3x2xf32>) {
  ^bb0(%s: f32, %t: f32, %u: f32, %out: f32):
    %w = arith.mulf %s, %t : f32
    %z = arith.addf %w, %u : f32
    linalg.yield %z : f32
  } -> tensor<2x4x3x2xf32>
  return %y : tensor<2x4x3x2xf32>
}

// A batch norm in use has the mean and variance of its training.
// CHECK-LABEL: @given
// CHECK-NOT: linalg.
// CHECK: attn.norm batch axes [0, 2] eps(1.000000e-05) ins(%arg0 : tensor<2x4x3xf32>) gamma(%arg3 : tensor<4xf32>) beta(%arg4 : tensor<4xf32>) statistics(%arg1, %arg2 : tensor<4xf32>, tensor<4xf32>)
// CHECK-NOT: linalg.
// CHECK: return
func.func @given(%x: tensor<2x4x3xf32>, %mean: tensor<4xf32>, %variance: tensor<4xf32>, %gamma: tensor<4xf32>, %beta: tensor<4xf32>) -> tensor<2x4x3xf32> {
  %e4 = tensor.empty() : tensor<4xf32>
  %eps = arith.constant dense<1.0e-5> : tensor<4xf32>
  %v = linalg.map { arith.addf } ins(%variance, %eps : tensor<4xf32>, tensor<4xf32>) outs(%e4 : tensor<4xf32>)
  %r = linalg.map { math.rsqrt } ins(%v : tensor<4xf32>) outs(%e4 : tensor<4xf32>)
  %e = tensor.empty() : tensor<2x4x3xf32>
  %y = linalg.generic {indexing_maps = [#item, #channel, #channel, #channel, #channel, #item], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %mean, %r, %gamma, %beta : tensor<2x4x3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      outs(%e : tensor<2x4x3xf32>) {
  ^bb0(%s: f32, %m: f32, %f: f32, %g: f32, %b: f32, %out: f32):
    %c = arith.subf %s, %m : f32
    %n = arith.mulf %c, %f : f32
    %w = arith.mulf %n, %g : f32
    %z = arith.addf %w, %b : f32
    linalg.yield %z : f32
  } -> tensor<2x4x3xf32>
  return %y : tensor<2x4x3xf32>
}

// The mean is that of another dimension than the variance.
// CHECK-LABEL: @mean_of_rows
// CHECK-NOT: attn.norm
// CHECK: return
// REMARK: remark: [attn-r112] not raised to attn.norm: no mean goes with the variance that is given
func.func @mean_of_rows(%x: tensor<2x4x3xf32>, %mean: tensor<3xf32>, %variance: tensor<4xf32>, %gamma: tensor<4xf32>, %beta: tensor<4xf32>) -> tensor<2x4x3xf32> {
  %e4 = tensor.empty() : tensor<4xf32>
  %eps = arith.constant dense<1.0e-5> : tensor<4xf32>
  %v = linalg.map { arith.addf } ins(%variance, %eps : tensor<4xf32>, tensor<4xf32>) outs(%e4 : tensor<4xf32>)
  %r = linalg.map { math.rsqrt } ins(%v : tensor<4xf32>) outs(%e4 : tensor<4xf32>)
  %e = tensor.empty() : tensor<2x4x3xf32>
  %y = linalg.generic {indexing_maps = [#item, #row, #channel, #channel, #channel, #item], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %mean, %r, %gamma, %beta : tensor<2x4x3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      outs(%e : tensor<2x4x3xf32>) {
  ^bb0(%s: f32, %m: f32, %f: f32, %g: f32, %b: f32, %out: f32):
    %c = arith.subf %s, %m : f32
    %n = arith.mulf %c, %f : f32
    %w = arith.mulf %n, %g : f32
    %z = arith.addf %w, %b : f32
    linalg.yield %z : f32
  } -> tensor<2x4x3xf32>
  return %y : tensor<2x4x3xf32>
}

// What is added is no mean.
// CHECK-LABEL: @added
// CHECK-NOT: attn.norm
// CHECK: return
// REMARK: remark: [attn-r112] not raised to attn.norm: no mean goes with the variance that is given
func.func @added(%x: tensor<2x4x3xf32>, %mean: tensor<4xf32>, %variance: tensor<4xf32>, %gamma: tensor<4xf32>, %beta: tensor<4xf32>) -> tensor<2x4x3xf32> {
  %e4 = tensor.empty() : tensor<4xf32>
  %eps = arith.constant dense<1.0e-5> : tensor<4xf32>
  %v = linalg.map { arith.addf } ins(%variance, %eps : tensor<4xf32>, tensor<4xf32>) outs(%e4 : tensor<4xf32>)
  %r = linalg.map { math.rsqrt } ins(%v : tensor<4xf32>) outs(%e4 : tensor<4xf32>)
  %e = tensor.empty() : tensor<2x4x3xf32>
  %y = linalg.generic {indexing_maps = [#item, #channel, #channel, #channel, #channel, #item], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %mean, %r, %gamma, %beta : tensor<2x4x3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      outs(%e : tensor<2x4x3xf32>) {
  ^bb0(%s: f32, %m: f32, %f: f32, %g: f32, %b: f32, %out: f32):
    %c = arith.addf %s, %m : f32
    %n = arith.mulf %c, %f : f32
    %w = arith.mulf %n, %g : f32
    %z = arith.addf %w, %b : f32
    linalg.yield %z : f32
  } -> tensor<2x4x3xf32>
  return %y : tensor<2x4x3xf32>
}

// Nothing is subtracted: a batch norm has both.
// CHECK-LABEL: @no_mean
// CHECK-NOT: attn.norm
// CHECK: return
// REMARK: remark: [attn-r112] not raised to attn.norm: no mean goes with the variance that is given
func.func @no_mean(%x: tensor<2x4x3xf32>, %mean: tensor<4xf32>, %variance: tensor<4xf32>, %gamma: tensor<4xf32>, %beta: tensor<4xf32>) -> tensor<2x4x3xf32> {
  %e4 = tensor.empty() : tensor<4xf32>
  %eps = arith.constant dense<1.0e-5> : tensor<4xf32>
  %v = linalg.map { arith.addf } ins(%variance, %eps : tensor<4xf32>, tensor<4xf32>) outs(%e4 : tensor<4xf32>)
  %r = linalg.map { math.rsqrt } ins(%v : tensor<4xf32>) outs(%e4 : tensor<4xf32>)
  %e = tensor.empty() : tensor<2x4x3xf32>
  %y = linalg.generic {indexing_maps = [#item, #channel, #channel, #channel, #channel, #item], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %mean, %r, %gamma, %beta : tensor<2x4x3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      outs(%e : tensor<2x4x3xf32>) {
  ^bb0(%s: f32, %m: f32, %f: f32, %g: f32, %b: f32, %out: f32):
    %c = arith.mulf %s, %s : f32
    %n = arith.mulf %c, %f : f32
    %w = arith.mulf %n, %g : f32
    %z = arith.addf %w, %b : f32
    linalg.yield %z : f32
  } -> tensor<2x4x3xf32>
  return %y : tensor<2x4x3xf32>
}
