// RUN: attn-opt %s --attn-raise-rope --verify-diagnostics | FileCheck %s

// What is turned by angles that attn.rope does not have, or is not all of a tensor.

// Tables may be what they are; none of these is one of a formula.
// CHECK-NOT: attn.rope {{.*}}ins({{[^)]*}}) {{ *[op]}}

#ij = affine_map<(i, j) -> (i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>

// Cosines and sines that are arguments may be any.
func.func @given_tables(%x: tensor<6x8xf32>, %cos: tensor<6x8xf32>, %sin: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %lo = tensor.extract_slice %x[0, 0] [6, 4] [1, 1] : tensor<6x8xf32> to tensor<6x4xf32>
  %hi = tensor.extract_slice %x[0, 4] [6, 4] [1, 1] : tensor<6x8xf32> to tensor<6x4xf32>
  %eh = tensor.empty() : tensor<6x4xf32>
  %neg = linalg.negf ins(%hi : tensor<6x4xf32>) outs(%eh : tensor<6x4xf32>) -> tensor<6x4xf32>
  %turned = tensor.concat dim(1) %neg, %lo : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x8xf32>
  %e = tensor.empty() : tensor<6x8xf32>
  // expected-remark @+1 {{[attn-r141] raised to attn.rope half_split with its cosines and sines as tables: its table of angles, or its positions, are not computed here from the rows' numbers}}
  %y = linalg.generic {indexing_maps = [#ij, #ij, #ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %turned, %cos, %sin : tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>) outs(%e : tensor<6x8xf32>) {
  ^bb0(%a: f32, %r: f32, %c: f32, %s: f32, %out: f32):
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// Angles with a frequency that is no power of one base, as models with extended
// contexts have it.
func.func @other_frequency(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %frequencies = arith.constant dense<[1.0, 0.1, 0.01, 0.0005, 1.0, 0.1, 0.01, 0.0005]> : tensor<8xf32>
  %lo = tensor.extract_slice %x[0, 0] [6, 4] [1, 1] : tensor<6x8xf32> to tensor<6x4xf32>
  %hi = tensor.extract_slice %x[0, 4] [6, 4] [1, 1] : tensor<6x8xf32> to tensor<6x4xf32>
  %eh = tensor.empty() : tensor<6x4xf32>
  %neg = linalg.negf ins(%hi : tensor<6x4xf32>) outs(%eh : tensor<6x4xf32>) -> tensor<6x4xf32>
  %turned = tensor.concat dim(1) %neg, %lo : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x8xf32>
  %e = tensor.empty() : tensor<6x8xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: row 1 does not turn by the angles that the second one lets expect}}
  %y = linalg.generic {indexing_maps = [#ij, #ij, affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<6x8xf32>, tensor<6x8xf32>, tensor<8xf32>) outs(%e : tensor<6x8xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %i = linalg.index 0 : index
    %ii = arith.index_cast %i : index to i64
    %p = arith.sitofp %ii : i64 to f32
    %w = arith.mulf %p, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// The halves are joined without a sign: a reflection, not a rotation.
func.func @reflection(%x: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0] [6, 2] [1, 1] : tensor<6x4xf32> to tensor<6x2xf32>
  %hi = tensor.extract_slice %x[0, 2] [6, 2] [1, 1] : tensor<6x4xf32> to tensor<6x2xf32>
  %turned = tensor.concat dim(1) %hi, %lo : (tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<6x4xf32>
  %e = tensor.empty() : tensor<6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: row 1 does not turn by the angles that the second one lets expect}}
  %y = linalg.generic {indexing_maps = [#ij, #ij, affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<6x4xf32>, tensor<6x4xf32>, tensor<4xf32>) outs(%e : tensor<6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %i = linalg.index 0 : index
    %ii = arith.index_cast %i : index to i64
    %p = arith.sitofp %ii : i64 to f32
    %w = arith.mulf %p, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// Elements are clamped on the way, to more than the numbers they are tried with.
func.func @clamped_input(%x: tensor<2x6x4xf32>) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: more than factors is applied to its elements}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %limit = arith.constant 10.0 : f32
    %a1 = arith.minimumf %a, %limit : f32
    %q = arith.sitofp %i : i64 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a1, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// Angles are rounded to bf16 before their sines.
func.func @narrow_angles(%x: tensor<2x6x4xf32>) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: its positions, or angles, are cast to other numbers}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %q = arith.sitofp %i : i64 to f32
    %w0 = arith.mulf %q, %f : f32
    %w1 = arith.truncf %w0 : f32 to bf16
    %w = arith.extf %w1 : bf16 to f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// Only %n of the rows are taken, which may be less than there are.
func.func @some_rows(%x: tensor<2x?x4xf32>, %n: index) -> tensor<2x?x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %part = tensor.extract_slice %x[0, 0, 0] [2, %n, 4] [1, 1, 1] : tensor<2x?x4xf32> to tensor<2x?x4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, %n, 2] [1, 1, 1] : tensor<2x?x4xf32> to tensor<2x?x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, %n, 2] [1, 1, 1] : tensor<2x?x4xf32> to tensor<2x?x2xf32>
  %eh = tensor.empty(%n) : tensor<2x?x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x?x2xf32>) outs(%eh : tensor<2x?x2xf32>) -> tensor<2x?x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x?x2xf32>, tensor<2x?x2xf32>) -> tensor<2x?x4xf32>
  %e = tensor.empty(%n) : tensor<2x?x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: the sizes of input and result may differ}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%part, %turned, %frequencies : tensor<2x?x4xf32>, tensor<2x?x4xf32>, tensor<4xf32>) outs(%e : tensor<2x?x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %q = arith.sitofp %i : i64 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x?x4xf32>
  return %y : tensor<2x?x4xf32>
}

// A slow pair turns by 6e-7 where 1e-6 would be due.
func.func @slow_pair(%x: tensor<2x6x8xf32>, %past: i64) -> tensor<2x6x8xf32> {
  %frequencies = arith.constant dense<[1.0, 0.001, 6.0e-7, 1.0e-9, 1.0, 0.001, 6.0e-7, 1.0e-9]> : tensor<8xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 4] [1, 1, 1] : tensor<2x6x8xf32> to tensor<2x6x4xf32>
  %hi = tensor.extract_slice %x[0, 0, 4] [2, 6, 4] [1, 1, 1] : tensor<2x6x8xf32> to tensor<2x6x4xf32>
  %eh = tensor.empty() : tensor<2x6x4xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x4xf32>) outs(%eh : tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x8xf32>
  %e = tensor.empty() : tensor<2x6x8xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: row 0 does not turn by the angles that the second one lets expect}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x6x8xf32>, tensor<2x6x8xf32>, tensor<8xf32>) outs(%e : tensor<2x6x8xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %k = arith.addi %i, %past : i64
    %q = arith.sitofp %k : i64 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x8xf32>
  return %y : tensor<2x6x8xf32>
}
