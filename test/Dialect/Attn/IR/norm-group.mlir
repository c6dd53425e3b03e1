// attn.norm group: its text, what it demands, what raises to it, and numbers.

// RUN: mkdir -p %t
// RUN: split-file %s %t
// RUN: attn-opt %t/ops.mlir --verify-roundtrip | FileCheck %s
// RUN: attn-opt %t/errors.mlir --split-input-file --verify-diagnostics
// RUN: attn-run %t/ops.mlir --check --remarks 2>&1 | FileCheck %s --check-prefix=FAST
// RUN: attn-run %t/ops.mlir --check --portable | FileCheck %s --check-prefix=PORTABLE
// RUN: attn-opt %t/spelled.mlir --inline --symbol-dce --attn-raise-norm --canonicalize --cse 2>/dev/null | FileCheck %s --check-prefix=RAISED
// RUN: attn-run %t/spelled.mlir --entry=groups --check --remarks 2>&1 | FileCheck %s --check-prefix=FAST

// CHECK: attn.norm group axes [2, 3] eps(1.000000e-05) affine_axes [1, 2]

// The norm has the groups and their channels as dimensions, and gamma and beta in it.
// RAISED-LABEL: @groups
// RAISED: %[[X:.*]] = tensor.expand_shape %arg0 {{.*}} into tensor<2x3x4x5x7xf32>
// RAISED: attn.norm group axes [2, 3, 4] eps(1.000000e-05) affine_axes [1, 2]
// RAISED-SAME: gamma(%{{.*}} : tensor<3x4xf32>) beta(%{{.*}} : tensor<3x4xf32>)
// RAISED: tensor.collapse_shape
// RAISED-NOT: linalg.generic
// Numbers that belong to the places of a picture are no channels.
// RAISED-LABEL: @places
// RAISED: attn.norm layer
// RAISED-NOT: attn.norm group

// FAST-DAG: remark: {{.*}}fast path
// FAST-DAG: {{: match}}
// PORTABLE: match

//--- ops.mlir
func.func @group(%x: tensor<2x3x5x35xf32>, %gamma: tensor<3x5xf32>, %beta: tensor<3x5xf32>) -> tensor<2x3x5x35xf32> {
  %init = tensor.empty() : tensor<2x3x5x35xf32>
  %y = attn.norm group axes [2, 3] eps(1.0e-05) affine_axes [1, 2] ins(%x : tensor<2x3x5x35xf32>)
      gamma(%gamma : tensor<3x5xf32>) beta(%beta : tensor<3x5xf32>) outs(%init : tensor<2x3x5x35xf32>) -> tensor<2x3x5x35xf32>
  return %y : tensor<2x3x5x35xf32>
}

//--- errors.mlir
// Which dimensions gamma has does not follow from the kind.
func.func @norm_c4(%x: tensor<2x3x5x35xf32>, %gamma: tensor<3x5xf32>) {
  // expected-error @+1 {{norm_c4: group norm with gamma or beta must state affine_axes}}
  %y = attn.norm group axes [2, 3] eps(1.0e-05) ins(%x : tensor<2x3x5x35xf32>) gamma(%gamma : tensor<3x5xf32>)
      outs(%x : tensor<2x3x5x35xf32>) -> tensor<2x3x5x35xf32>
  return
}

// -----

// A row that is loaded has no groups.
func.func @row_norm(%q: tensor<2x16x8xf32>) {
  // expected-error @+1 {{a row norm is layer, rms or l2, not group}}
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) load_query [#attn.row_norm<group, eps = 1.0e-06>]
      ins(%q, %q, %q : tensor<2x16x8xf32>, tensor<2x16x8xf32>, tensor<2x16x8xf32>) outs(%q : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
  return
}

//--- spelled.mlir
#id = affine_map<(b, g, e) -> (b, g, e)>
#row = affine_map<(b, g, e) -> (b, g)>
#r2 = affine_map<(b, g) -> (b, g)>
#image = affine_map<(b, c, h, w) -> (b, c, h, w)>
#channel = affine_map<(b, c, h, w) -> (c)>
#place = affine_map<(b, c, h, w) -> (h)>

func.func private @normalise(%x: tensor<2x12x5x7xf32>) -> tensor<2x12x5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %flat = tensor.collapse_shape %x [[0], [1, 2, 3]] : tensor<2x12x5x7xf32> into tensor<2x420xf32>
  %v = tensor.expand_shape %flat [[0], [1, 2]] output_shape [2, 3, 140] : tensor<2x420xf32> into tensor<2x3x140xf32>
  %rows = tensor.empty() : tensor<2x3xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<2x3xf32>) -> tensor<2x3xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v : tensor<2x3x140xf32>) outs(%zeros : tensor<2x3xf32>) {
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    linalg.yield %t : f32
  } -> tensor<2x3xf32>
  %mean = linalg.generic {indexing_maps = [#r2, #r2], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<2x3xf32>) outs(%rows : tensor<2x3xf32>) {
  ^bb0(%a: f32, %out: f32):
    %n = arith.constant 140.0 : f32
    %t = arith.divf %a, %n : f32
    linalg.yield %t : f32
  } -> tensor<2x3xf32>
  %empty = tensor.empty() : tensor<2x3x140xf32>
  %centred = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v, %mean : tensor<2x3x140xf32>, tensor<2x3xf32>) outs(%empty : tensor<2x3x140xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %t = arith.subf %a, %m : f32
    linalg.yield %t : f32
  } -> tensor<2x3x140xf32>
  %squares = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%centred : tensor<2x3x140xf32>) outs(%zeros : tensor<2x3xf32>) {
  ^bb0(%a: f32, %c: f32):
    %s = arith.mulf %a, %a : f32
    %t = arith.addf %s, %c : f32
    linalg.yield %t : f32
  } -> tensor<2x3xf32>
  %factor = linalg.generic {indexing_maps = [#r2, #r2], iterator_types = ["parallel", "parallel"]}
      ins(%squares : tensor<2x3xf32>) outs(%rows : tensor<2x3xf32>) {
  ^bb0(%a: f32, %out: f32):
    %n = arith.constant 140.0 : f32
    %eps = arith.constant 1.0e-05 : f32
    %t = arith.divf %a, %n : f32
    %e = arith.addf %t, %eps : f32
    %r = math.rsqrt %e : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%centred, %factor : tensor<2x3x140xf32>, tensor<2x3xf32>) outs(%empty : tensor<2x3x140xf32>) {
  ^bb0(%a: f32, %r: f32, %out: f32):
    %t = arith.mulf %a, %r : f32
    linalg.yield %t : f32
  } -> tensor<2x3x140xf32>
  %back = tensor.collapse_shape %y [[0], [1, 2]] : tensor<2x3x140xf32> into tensor<2x420xf32>
  %image = tensor.expand_shape %back [[0], [1, 2, 3]] output_shape [2, 12, 5, 7] : tensor<2x420xf32> into tensor<2x12x5x7xf32>
  return %image : tensor<2x12x5x7xf32>
}

func.func @groups(%x: tensor<2x12x5x7xf32>, %gamma: tensor<12xf32>, %beta: tensor<12xf32>) -> tensor<2x12x5x7xf32> {
  %n = call @normalise(%x) : (tensor<2x12x5x7xf32>) -> tensor<2x12x5x7xf32>
  %empty = tensor.empty() : tensor<2x12x5x7xf32>
  %scaled = linalg.generic {indexing_maps = [#image, #channel, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%n, %gamma : tensor<2x12x5x7xf32>, tensor<12xf32>) outs(%empty : tensor<2x12x5x7xf32>) {
  ^bb0(%a: f32, %g: f32, %out: f32):
    %t = arith.mulf %a, %g : f32
    linalg.yield %t : f32
  } -> tensor<2x12x5x7xf32>
  %y = linalg.generic {indexing_maps = [#image, #channel, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%scaled, %beta : tensor<2x12x5x7xf32>, tensor<12xf32>) outs(%empty : tensor<2x12x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<2x12x5x7xf32>
  return %y : tensor<2x12x5x7xf32>
}

func.func @places(%x: tensor<2x12x5x7xf32>, %gamma: tensor<5xf32>) -> tensor<2x12x5x7xf32> {
  %n = call @normalise(%x) : (tensor<2x12x5x7xf32>) -> tensor<2x12x5x7xf32>
  %empty = tensor.empty() : tensor<2x12x5x7xf32>
  %y = linalg.generic {indexing_maps = [#image, #place, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%n, %gamma : tensor<2x12x5x7xf32>, tensor<5xf32>) outs(%empty : tensor<2x12x5x7xf32>) {
  ^bb0(%a: f32, %g: f32, %out: f32):
    %t = arith.mulf %a, %g : f32
    linalg.yield %t : f32
  } -> tensor<2x12x5x7xf32>
  return %y : tensor<2x12x5x7xf32>
}
