// RUN: attn-opt %s --attn-raise-rope --verify-diagnostics | FileCheck %s

// CHECK-NOT: attn.rope

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
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: its table of angles, or its positions, are not computed here from the rows' numbers}}
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

// Positions that start at 5.
func.func @offset(%x: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %five = arith.constant 5.0 : f32
  %lo = tensor.extract_slice %x[0, 0] [6, 2] [1, 1] : tensor<6x4xf32> to tensor<6x2xf32>
  %hi = tensor.extract_slice %x[0, 2] [6, 2] [1, 1] : tensor<6x4xf32> to tensor<6x2xf32>
  %eh = tensor.empty() : tensor<6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<6x2xf32>) outs(%eh : tensor<6x2xf32>) -> tensor<6x2xf32>
  %turned = tensor.concat dim(1) %neg, %lo : (tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<6x4xf32>
  %e = tensor.empty() : tensor<6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: the first row turns: positions do not start at 0}}
  %y = linalg.generic {indexing_maps = [#ij, #ij, affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<6x4xf32>, tensor<6x4xf32>, tensor<4xf32>) outs(%e : tensor<6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %i = linalg.index 0 : index
    %ii = arith.index_cast %i : index to i64
    %i0 = arith.sitofp %ii : i64 to f32
    %p = arith.addf %i0, %five : f32
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

// The six rows read six of eight positions.
func.func @part_of_the_positions(%x: tensor<2x6x4xf32>, %p: tensor<8xi64>) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: its positions are not one for each row}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = tensor.extract %p[%row] : tensor<8xi64>
    %q = arith.sitofp %i : i64 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}
