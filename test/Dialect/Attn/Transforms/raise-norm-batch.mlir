// RUN: attn-opt %s --attn-raise-pipeline 2>/dev/null | FileCheck %s
// RUN: attn-opt %s --attn-raise-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: attn-run %s --entry=batch --check | FileCheck %s --check-prefix=MATCH
// MATCH: f64 reference: match

// A batch norm that is spelled out: a mean and a variance for each channel, over the samples and their rows.

#id = affine_map<(n, c, s) -> (n, c, s)>
#channel = affine_map<(n, c, s) -> (c)>
#own = affine_map<(c) -> (c)>

// CHECK-LABEL: @batch
// CHECK-NOT: linalg.
// CHECK: attn.norm batch axes [0, 2] eps(1.000000e-05) ins(%arg0 : tensor<8x16x64xf32>) gamma(%arg1 : tensor<16xf32>) beta(%arg2 : tensor<16xf32>)
// CHECK-NOT: linalg.
// CHECK: return
// REMARK: remark: [attn-r111] raised to attn.norm batch with gamma and beta
func.func @batch(%x: tensor<8x16x64xf32>, %gamma: tensor<16xf32>, %beta: tensor<16xf32>) -> tensor<8x16x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %f = tensor.empty() : tensor<8x16x64xf32>
  %none = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %sum = linalg.generic {indexing_maps = [#id, #channel], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<8x16x64xf32>) outs(%none : tensor<16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %t = arith.addf %a, %out : f32
    linalg.yield %t : f32
  } -> tensor<16xf32>
  %mean = linalg.generic {indexing_maps = [#own, #own], iterator_types = ["parallel"]}
      ins(%sum : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %count = arith.constant 512.0 : f32
    %t = arith.divf %a, %count : f32
    linalg.yield %t : f32
  } -> tensor<16xf32>
  %c = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %mean : tensor<8x16x64xf32>, tensor<16xf32>) outs(%f : tensor<8x16x64xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %t = arith.subf %a, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x16x64xf32>
  %q = linalg.generic {indexing_maps = [#id, #channel], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%c : tensor<8x16x64xf32>) outs(%none : tensor<16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.mulf %a, %a : f32
    %t = arith.addf %s, %out : f32
    linalg.yield %t : f32
  } -> tensor<16xf32>
  %r = linalg.generic {indexing_maps = [#own, #own], iterator_types = ["parallel"]}
      ins(%q : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %count = arith.constant 512.0 : f32
    %eps = arith.constant 1.0e-5 : f32
    %v = arith.divf %a, %count : f32
    %w = arith.addf %v, %eps : f32
    %t = math.rsqrt %w : f32
    linalg.yield %t : f32
  } -> tensor<16xf32>
  %y = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c, %r : tensor<8x16x64xf32>, tensor<16xf32>) outs(%f : tensor<8x16x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<8x16x64xf32>
  %z = linalg.generic {indexing_maps = [#id, #channel, #channel, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y, %gamma, %beta : tensor<8x16x64xf32>, tensor<16xf32>, tensor<16xf32>) outs(%f : tensor<8x16x64xf32>) {
  ^bb0(%a: f32, %g: f32, %b: f32, %out: f32):
    %s = arith.mulf %a, %g : f32
    %t = arith.addf %s, %b : f32
    linalg.yield %t : f32
  } -> tensor<8x16x64xf32>
  return %z : tensor<8x16x64xf32>
}

// Without gamma and beta nothing tells channels from rows.
// CHECK-LABEL: @bare
// CHECK-NOT: linalg.
// CHECK: attn.norm layer axes [0, 2] eps(1.000000e-05) ins(%arg0 : tensor<8x16x64xf32>)
// CHECK-NOT: linalg.
// CHECK: return
// REMARK: remark: [attn-r111] raised to attn.norm layer
func.func @bare(%x: tensor<8x16x64xf32>) -> tensor<8x16x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %f = tensor.empty() : tensor<8x16x64xf32>
  %none = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %sum = linalg.generic {indexing_maps = [#id, #channel], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<8x16x64xf32>) outs(%none : tensor<16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %t = arith.addf %a, %out : f32
    linalg.yield %t : f32
  } -> tensor<16xf32>
  %mean = linalg.generic {indexing_maps = [#own, #own], iterator_types = ["parallel"]}
      ins(%sum : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %count = arith.constant 512.0 : f32
    %t = arith.divf %a, %count : f32
    linalg.yield %t : f32
  } -> tensor<16xf32>
  %c = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %mean : tensor<8x16x64xf32>, tensor<16xf32>) outs(%f : tensor<8x16x64xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %t = arith.subf %a, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x16x64xf32>
  %q = linalg.generic {indexing_maps = [#id, #channel], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%c : tensor<8x16x64xf32>) outs(%none : tensor<16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.mulf %a, %a : f32
    %t = arith.addf %s, %out : f32
    linalg.yield %t : f32
  } -> tensor<16xf32>
  %r = linalg.generic {indexing_maps = [#own, #own], iterator_types = ["parallel"]}
      ins(%q : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %count = arith.constant 512.0 : f32
    %eps = arith.constant 1.0e-5 : f32
    %v = arith.divf %a, %count : f32
    %w = arith.addf %v, %eps : f32
    %t = math.rsqrt %w : f32
    linalg.yield %t : f32
  } -> tensor<16xf32>
  %y = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c, %r : tensor<8x16x64xf32>, tensor<16xf32>) outs(%f : tensor<8x16x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<8x16x64xf32>
  return %y : tensor<8x16x64xf32>
}

// The variance that is kept for use divides by 511, that of a batch by 512.
// CHECK-LABEL: @unbiased
// CHECK-NOT: attn.norm
// CHECK: return
// REMARK: remark: [attn-r112] not raised to attn.norm: the variance is unbiased: divided by the count less one
func.func @unbiased(%x: tensor<8x16x64xf32>, %gamma: tensor<16xf32>, %beta: tensor<16xf32>) -> tensor<8x16x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %f = tensor.empty() : tensor<8x16x64xf32>
  %none = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %sum = linalg.generic {indexing_maps = [#id, #channel], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<8x16x64xf32>) outs(%none : tensor<16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %t = arith.addf %a, %out : f32
    linalg.yield %t : f32
  } -> tensor<16xf32>
  %mean = linalg.generic {indexing_maps = [#own, #own], iterator_types = ["parallel"]}
      ins(%sum : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %count = arith.constant 512.0 : f32
    %t = arith.divf %a, %count : f32
    linalg.yield %t : f32
  } -> tensor<16xf32>
  %c = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %mean : tensor<8x16x64xf32>, tensor<16xf32>) outs(%f : tensor<8x16x64xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %t = arith.subf %a, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x16x64xf32>
  %q = linalg.generic {indexing_maps = [#id, #channel], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%c : tensor<8x16x64xf32>) outs(%none : tensor<16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.mulf %a, %a : f32
    %t = arith.addf %s, %out : f32
    linalg.yield %t : f32
  } -> tensor<16xf32>
  %r = linalg.generic {indexing_maps = [#own, #own], iterator_types = ["parallel"]}
      ins(%q : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %count = arith.constant 511.0 : f32
    %eps = arith.constant 1.0e-5 : f32
    %v = arith.divf %a, %count : f32
    %w = arith.addf %v, %eps : f32
    %t = math.rsqrt %w : f32
    linalg.yield %t : f32
  } -> tensor<16xf32>
  %y = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c, %r : tensor<8x16x64xf32>, tensor<16xf32>) outs(%f : tensor<8x16x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<8x16x64xf32>
  %z = linalg.generic {indexing_maps = [#id, #channel, #channel, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y, %gamma, %beta : tensor<8x16x64xf32>, tensor<16xf32>, tensor<16xf32>) outs(%f : tensor<8x16x64xf32>) {
  ^bb0(%a: f32, %g: f32, %b: f32, %out: f32):
    %s = arith.mulf %a, %g : f32
    %t = arith.addf %s, %b : f32
    linalg.yield %t : f32
  } -> tensor<8x16x64xf32>
  return %z : tensor<8x16x64xf32>
}
