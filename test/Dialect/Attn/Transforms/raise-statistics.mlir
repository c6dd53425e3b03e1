// A kurtosis and the largest magnitude, as frameworks spell them.
//
// RUN: attn-opt %s --attn-raise-statistics --canonicalize --cse | FileCheck %s
// RUN: attn-opt %s --attn-raise-statistics 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: attn-run %s --entry=largest --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=kurtosis --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=standardised --check | FileCheck %s --check-prefix=VALUE
// RUN: attn-run %s --entry=whole --check | FileCheck %s --check-prefix=VALUE
// VALUE: out0 against f64 reference: match
// REMARK: remark: [attn-r171] raised to attn.statistics infinity_norm
// REMARK: remark: [attn-r171] raised to attn.statistics kurtosis

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = affine_map<(i, j) -> ()>
#i = affine_map<(i) -> (i)>

// max |x| of each row.
// CHECK-LABEL: @largest(
// CHECK-NOT: linalg
// CHECK: attn.statistics infinity_norm axes [1] ins(%arg0 : tensor<6x40xf32>) outs(%{{.*}} : tensor<6xf32>)
func.func @largest(%x: tensor<6x40xf32>) -> tensor<6xf32> {
  %low = arith.constant 0xFF800000 : f32
  %e2 = tensor.empty() : tensor<6x40xf32>
  %e1 = tensor.empty() : tensor<6xf32>
  %z = linalg.fill ins(%low : f32) outs(%e1 : tensor<6xf32>) -> tensor<6xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<6x40xf32>) outs(%e2 : tensor<6x40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %y = math.absf %x0 : f32
    linalg.yield %y : f32
  } -> tensor<6x40xf32>
  %m = linalg.reduce { arith.maximumf } ins(%a : tensor<6x40xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  return %m : tensor<6xf32>
}

// Of a whole tensor, from 0 on.
// CHECK-LABEL: @whole(
// CHECK-NOT: linalg
// CHECK: attn.statistics infinity_norm ins(%arg0 : tensor<6x40xf32>) outs(%{{.*}} : tensor<f32>)
func.func @whole(%x: tensor<6x40xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %m = linalg.generic {indexing_maps = [#id, #one], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<6x40xf32>) outs(%z : tensor<f32>) {
  ^bb0(%x0: f32, %old: f32):
    %a = math.absf %x0 : f32
    %y = arith.maximumf %a, %old : f32
    linalg.yield %y : f32
  } -> tensor<f32>
  return %m : tensor<f32>
}

// The mean fourth power over the squared variance.
// CHECK-LABEL: @kurtosis(
// CHECK-NOT: linalg
// CHECK: attn.statistics kurtosis axes [1] ins(%arg0 : tensor<6x40xf32>) outs(%{{.*}} : tensor<6xf32>)
func.func @kurtosis(%x: tensor<6x40xf32>) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 40.0 : f32
  %m = arith.constant 40.0 : f32
  %eps = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<6x40xf32>
  %e1 = tensor.empty() : tensor<6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<6x40xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<6x40xf32>, tensor<6xf32>) outs(%e2 : tensor<6x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %mu = arith.divf %x1, %n : f32
    %y = arith.subf %x0, %mu : f32
    linalg.yield %y : f32
  } -> tensor<6x40xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<6x40xf32>) outs(%e2 : tensor<6x40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %y = arith.mulf %x0, %x0 : f32
    linalg.yield %y : f32
  } -> tensor<6x40xf32>
  %v = linalg.reduce { arith.addf } ins(%q : tensor<6x40xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %f = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<6x40xf32>) outs(%e2 : tensor<6x40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %y = arith.mulf %x0, %x0 : f32
    linalg.yield %y : f32
  } -> tensor<6x40xf32>
  %g = linalg.reduce { arith.addf } ins(%f : tensor<6x40xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %k = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%g, %v : tensor<6xf32>, tensor<6xf32>) outs(%e1 : tensor<6xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %a = arith.divf %x0, %n : f32
    %w = arith.divf %x1, %m : f32
    %b = arith.mulf %w, %w : f32
    %y = arith.divf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<6xf32>
  return %k : tensor<6xf32>
}

// The mean fourth power of what was divided by the deviation.
// CHECK-LABEL: @standardised(
// CHECK-NOT: linalg
// CHECK: attn.statistics kurtosis axes [1]
func.func @standardised(%x: tensor<6x40xf32>) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 40.0 : f32
  %m = arith.constant 40.0 : f32
  %eps = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<6x40xf32>
  %e1 = tensor.empty() : tensor<6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<6x40xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<6x40xf32>, tensor<6xf32>) outs(%e2 : tensor<6x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %mu = arith.divf %x1, %n : f32
    %y = arith.subf %x0, %mu : f32
    linalg.yield %y : f32
  } -> tensor<6x40xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<6x40xf32>) outs(%e2 : tensor<6x40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %y = arith.mulf %x0, %x0 : f32
    linalg.yield %y : f32
  } -> tensor<6x40xf32>
  %v = linalg.reduce { arith.addf } ins(%q : tensor<6x40xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %t = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %v : tensor<6x40xf32>, tensor<6xf32>) outs(%e2 : tensor<6x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %w = arith.divf %x1, %m : f32
    %r = math.rsqrt %w : f32
    %y = arith.mulf %x0, %r : f32
    linalg.yield %y : f32
  } -> tensor<6x40xf32>
  %f = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<6x40xf32>) outs(%e2 : tensor<6x40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %a = arith.mulf %x0, %x0 : f32
    %y = arith.mulf %a, %a : f32
    linalg.yield %y : f32
  } -> tensor<6x40xf32>
  %g = linalg.reduce { arith.addf } ins(%f : tensor<6x40xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %k = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%g : tensor<6xf32>) outs(%e1 : tensor<6xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %y = arith.divf %x0, %n : f32
    linalg.yield %y : f32
  } -> tensor<6xf32>
  return %k : tensor<6xf32>
}

// An unbiased variance is another number.
// CHECK-LABEL: @unbiased(
// CHECK-NOT: attn.statistics
// CHECK: linalg.reduce
// CHECK: return
func.func @unbiased(%x: tensor<6x40xf32>) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 40.0 : f32
  %m = arith.constant 39.0 : f32
  %eps = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<6x40xf32>
  %e1 = tensor.empty() : tensor<6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<6x40xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<6x40xf32>, tensor<6xf32>) outs(%e2 : tensor<6x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %mu = arith.divf %x1, %n : f32
    %y = arith.subf %x0, %mu : f32
    linalg.yield %y : f32
  } -> tensor<6x40xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<6x40xf32>) outs(%e2 : tensor<6x40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %y = arith.mulf %x0, %x0 : f32
    linalg.yield %y : f32
  } -> tensor<6x40xf32>
  %v = linalg.reduce { arith.addf } ins(%q : tensor<6x40xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %f = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<6x40xf32>) outs(%e2 : tensor<6x40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %y = arith.mulf %x0, %x0 : f32
    linalg.yield %y : f32
  } -> tensor<6x40xf32>
  %g = linalg.reduce { arith.addf } ins(%f : tensor<6x40xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %k = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%g, %v : tensor<6xf32>, tensor<6xf32>) outs(%e1 : tensor<6xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %a = arith.divf %x0, %n : f32
    %w = arith.divf %x1, %m : f32
    %b = arith.mulf %w, %w : f32
    %y = arith.divf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<6xf32>
  return %k : tensor<6xf32>
}

// So is one with an eps.
// CHECK-LABEL: @guarded(
// CHECK-NOT: attn.statistics
// CHECK: linalg.reduce
// CHECK: return
func.func @guarded(%x: tensor<6x40xf32>) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 40.0 : f32
  %m = arith.constant 40.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e2 = tensor.empty() : tensor<6x40xf32>
  %e1 = tensor.empty() : tensor<6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<6x40xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<6x40xf32>, tensor<6xf32>) outs(%e2 : tensor<6x40xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %mu = arith.divf %x1, %n : f32
    %y = arith.subf %x0, %mu : f32
    linalg.yield %y : f32
  } -> tensor<6x40xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<6x40xf32>) outs(%e2 : tensor<6x40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %y = arith.mulf %x0, %x0 : f32
    linalg.yield %y : f32
  } -> tensor<6x40xf32>
  %v = linalg.reduce { arith.addf } ins(%q : tensor<6x40xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %f = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<6x40xf32>) outs(%e2 : tensor<6x40xf32>) {
  ^bb0(%x0: f32, %old: f32):
    %y = arith.mulf %x0, %x0 : f32
    linalg.yield %y : f32
  } -> tensor<6x40xf32>
  %g = linalg.reduce { arith.addf } ins(%f : tensor<6x40xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %k = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%g, %v : tensor<6xf32>, tensor<6xf32>) outs(%e1 : tensor<6xf32>) {
  ^bb0(%x0: f32, %x1: f32, %old: f32):
    %a = arith.divf %x0, %n : f32
    %w = arith.divf %x1, %m : f32
    %u = arith.addf %w, %eps : f32
    %b = arith.mulf %u, %u : f32
    %y = arith.divf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<6xf32>
  return %k : tensor<6xf32>
}
