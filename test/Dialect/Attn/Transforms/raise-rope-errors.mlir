// RUN: attn-opt %s --attn-raise-rope --verify-diagnostics | FileCheck %s

// CHECK-NOT: attn.rope

#ij = affine_map<(i, j) -> (i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#tab = affine_map<(b, i, j) -> (i, j)>

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

// The number of the batch is added to the rows.
func.func @batch_in_position(%x: tensor<7x6x4xf32>) -> tensor<7x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [7, 6, 2] [1, 1, 1] : tensor<7x6x4xf32> to tensor<7x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [7, 6, 2] [1, 1, 1] : tensor<7x6x4xf32> to tensor<7x6x2xf32>
  %eh = tensor.empty() : tensor<7x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<7x6x2xf32>) outs(%eh : tensor<7x6x2xf32>) -> tensor<7x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<7x6x2xf32>, tensor<7x6x2xf32>) -> tensor<7x6x4xf32>
  %e = tensor.empty() : tensor<7x6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: its table of angles, or its positions, are not computed here from the rows' numbers}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<7x6x4xf32>, tensor<7x6x4xf32>, tensor<4xf32>) outs(%e : tensor<7x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %batch = linalg.index 0 : index
    %g = arith.index_cast %batch : index to i64
    %k = arith.addi %i, %g : i64
    %q = arith.sitofp %k : i64 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<7x6x4xf32>
  return %y : tensor<7x6x4xf32>
}

// All batches use the positions of the first one.
func.func @positions_of_one_batch(%x: tensor<?x6x4xf32>, %p: tensor<?x6xi64>) -> tensor<?x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %b = tensor.dim %x, %c0 : tensor<?x6x4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [%b, 6, 2] [1, 1, 1] : tensor<?x6x4xf32> to tensor<?x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [%b, 6, 2] [1, 1, 1] : tensor<?x6x4xf32> to tensor<?x6x2xf32>
  %eh = tensor.empty(%b) : tensor<?x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<?x6x2xf32>) outs(%eh : tensor<?x6x2xf32>) -> tensor<?x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<?x6x2xf32>, tensor<?x6x2xf32>) -> tensor<?x6x4xf32>
  %e = tensor.empty(%b) : tensor<?x6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: its table of angles, or its positions, are not computed here from the rows' numbers}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (0, i)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies, %p : tensor<?x6x4xf32>, tensor<?x6x4xf32>, tensor<4xf32>, tensor<?x6xi64>) outs(%e : tensor<?x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %k: i64, %out: f32):
    %q = arith.sitofp %k : i64 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<?x6x4xf32>
  return %y : tensor<?x6x4xf32>
}

// Positions are clamped to a context.
func.func @clamped_positions(%x: tensor<2x6x4xf32>, %p: tensor<6xi64>) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: its positions, or angles, are cast to other numbers}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (i)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies, %p : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>, tensor<6xi64>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %k0: i64, %out: f32):
    %limit = arith.constant 1024 : i64
    %k = arith.minsi %k0, %limit : i64
    %q = arith.sitofp %k : i64 to f32
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

// Positions are taken for unsigned ones.
func.func @unsigned_positions(%x: tensor<2x6x4xf32>, %p: tensor<6xi64>) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: its }}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (i)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies, %p : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>, tensor<6xi64>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %k0: i64, %out: f32):
    %q = arith.uitofp %k0 : i64 to f32
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

// Positions are clamped as floats.
func.func @float_clamped_positions(%x: tensor<2x6x4xf32>, %p: tensor<6xi64>) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: the angles are no multiples of the positions}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (i)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies, %p : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>, tensor<6xi64>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %k0: i64, %out: f32):
    %limit = arith.constant 1024.0 : f32
    %q0 = arith.sitofp %k0 : i64 to f32
    %q = arith.minimumf %q0, %limit : f32
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

// Rows beyond a context turn like its last one.
func.func @clamped_rows(%x: tensor<2x?x4xf32>) -> tensor<2x?x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<2x?x4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, %n, 2] [1, 1, 1] : tensor<2x?x4xf32> to tensor<2x?x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, %n, 2] [1, 1, 1] : tensor<2x?x4xf32> to tensor<2x?x2xf32>
  %eh = tensor.empty(%n) : tensor<2x?x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x?x2xf32>) outs(%eh : tensor<2x?x2xf32>) -> tensor<2x?x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x?x2xf32>, tensor<2x?x2xf32>) -> tensor<2x?x4xf32>
  %e = tensor.empty(%n) : tensor<2x?x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: the angles are no multiples of the positions}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x?x4xf32>, tensor<2x?x4xf32>, tensor<4xf32>) outs(%e : tensor<2x?x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %limit = arith.constant 1024 : i64
    %k = arith.minsi %i, %limit : i64
    %q = arith.sitofp %k : i64 to f32
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

// Rows beyond a context start again.
func.func @wrapped_rows(%x: tensor<2x?x4xf32>) -> tensor<2x?x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<2x?x4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, %n, 2] [1, 1, 1] : tensor<2x?x4xf32> to tensor<2x?x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, %n, 2] [1, 1, 1] : tensor<2x?x4xf32> to tensor<2x?x2xf32>
  %eh = tensor.empty(%n) : tensor<2x?x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x?x2xf32>) outs(%eh : tensor<2x?x2xf32>) -> tensor<2x?x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x?x2xf32>, tensor<2x?x2xf32>) -> tensor<2x?x4xf32>
  %e = tensor.empty(%n) : tensor<2x?x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: the angles are no multiples of the positions}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x?x4xf32>, tensor<2x?x4xf32>, tensor<4xf32>) outs(%e : tensor<2x?x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %limit = arith.constant 1024 : i64
    %k = arith.remsi %i, %limit : i64
    %q = arith.sitofp %k : i64 to f32
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

// A second sequence starts at row 9 and ends before the last row.
func.func @two_sequences(%x: tensor<2x16x4xf32>) -> tensor<2x16x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 16, 2] [1, 1, 1] : tensor<2x16x4xf32> to tensor<2x16x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 16, 2] [1, 1, 1] : tensor<2x16x4xf32> to tensor<2x16x2xf32>
  %eh = tensor.empty() : tensor<2x16x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x16x2xf32>) outs(%eh : tensor<2x16x2xf32>) -> tensor<2x16x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x16x2xf32>, tensor<2x16x2xf32>) -> tensor<2x16x4xf32>
  %e = tensor.empty() : tensor<2x16x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: row 9 does not turn by the angles that the second one lets expect}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x16x4xf32>, tensor<2x16x4xf32>, tensor<4xf32>) outs(%e : tensor<2x16x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %from = arith.constant 9 : i64
    %to = arith.constant 15 : i64
    %after = arith.cmpi sge, %i, %from : i64
    %before = arith.cmpi slt, %i, %to : i64
    %inside = arith.andi %after, %before : i1
    %i9 = arith.subi %i, %from : i64
    %k = arith.select %inside, %i9, %i : i64
    %q = arith.sitofp %k : i64 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x16x4xf32>
  return %y : tensor<2x16x4xf32>
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

// Positions that start between two.
func.func @half_a_position(%x: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0] [6, 2] [1, 1] : tensor<6x4xf32> to tensor<6x2xf32>
  %hi = tensor.extract_slice %x[0, 2] [6, 2] [1, 1] : tensor<6x4xf32> to tensor<6x2xf32>
  %eh = tensor.empty() : tensor<6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<6x2xf32>) outs(%eh : tensor<6x2xf32>) -> tensor<6x2xf32>
  %turned = tensor.concat dim(1) %neg, %lo : (tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<6x4xf32>
  %e = tensor.empty() : tensor<6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: the first row turns: no whole number is added to positions}}
  %y = linalg.generic {indexing_maps = [#ij, #ij, affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<6x4xf32>, tensor<6x4xf32>, tensor<4xf32>) outs(%e : tensor<6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i64
    %half = arith.constant 0.5 : f32
    %i0 = arith.sitofp %i : i64 to f32
    %q = arith.addf %i0, %half : f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// Sums in 32 bits may wrap where those of attn.rope do not.
func.func @wrapping_offset(%x: tensor<2x6x4xf32>, %past: i32) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: a sum of its positions may wrap in its type, which has less than 64 bits: add them in 64 bits, or say overflow<nsw>}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i32
    %k = arith.addi %i, %past : i32
    %q = arith.sitofp %k : i32 to f32
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

// An offset of which 16 bits are used.
func.func @narrow_offset(%x: tensor<2x6x4xf32>, %past: i64) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: its }}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %n = arith.trunci %past : i64 to i16
    %p = arith.extsi %n : i16 to i64
    %k = arith.addi %i, %p : i64
    %q = arith.sitofp %k : i64 to f32
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

// Rows turn back by the offset.
func.func @subtracted_offset(%x: tensor<2x6x4xf32>, %past: i64) -> tensor<2x6x4xf32> {
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
    %k = arith.subi %i, %past : i64
    %q = arith.sitofp %k : i64 to f32
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

// An offset is clamped as a float.
func.func @clamped_offset(%x: tensor<2x6x4xf32>, %past: i64) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: the angles are no multiples of the positions}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %limit = arith.constant 8192.0 : f32
    %i0 = arith.sitofp %i : i64 to f32
    %p0 = arith.sitofp %past : i64 to f32
    %p = arith.minimumf %p0, %limit : f32
    %q = arith.addf %i0, %p : f32
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

// Twice the offset is added.
func.func @scaled_offset(%x: tensor<2x6x4xf32>, %past: i64) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: row 0 does not turn by the angles that the second one lets expect}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %two = arith.constant 2.0 : f32
    %i0 = arith.sitofp %i : i64 to f32
    %p0 = arith.sitofp %past : i64 to f32
    %p = arith.mulf %p0, %two : f32
    %q = arith.addf %i0, %p : f32
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

// A number is added beside an offset: attn.rope has one of both.
func.func @offset_and_number(%x: tensor<2x6x4xf32>, %past: i64) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: a number is added to its positions and their offset}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %one = arith.constant 1 : i64
    %k0 = arith.addi %i, %past : i64
    %k = arith.addi %k0, %one : i64
    %q = arith.sitofp %k : i64 to f32
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

// The offsets of a batch that the rows share need not be as many as the batches.
func.func @offset_of_rows(%x: tensor<?x?x4xf32>, %p: tensor<?xi64>) -> tensor<?x?x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %n0 = tensor.dim %x, %c0 : tensor<?x?x4xf32>
  %c1 = arith.constant 1 : index
  %n1 = tensor.dim %x, %c1 : tensor<?x?x4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [%n0, %n1, 2] [1, 1, 1] : tensor<?x?x4xf32> to tensor<?x?x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [%n0, %n1, 2] [1, 1, 1] : tensor<?x?x4xf32> to tensor<?x?x2xf32>
  %eh = tensor.empty(%n0, %n1) : tensor<?x?x2xf32>
  %neg = linalg.negf ins(%hi : tensor<?x?x2xf32>) outs(%eh : tensor<?x?x2xf32>) -> tensor<?x?x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<?x?x2xf32>, tensor<?x?x2xf32>) -> tensor<?x?x4xf32>
  %e = tensor.empty(%n0, %n1) : tensor<?x?x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: its table of angles, or its positions, are not computed here from the rows' numbers}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (0)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies, %p : tensor<?x?x4xf32>, tensor<?x?x4xf32>, tensor<4xf32>, tensor<?xi64>) outs(%e : tensor<?x?x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %length: i64, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %k = arith.addi %i, %length : i64
    %q = arith.sitofp %k : i64 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<?x?x4xf32>
  return %y : tensor<?x?x4xf32>
}

// Millions of positions away, the rounding of angles would hide what a clamp does.
func.func @clamped_far_out(%x: tensor<2x6x4xf32>) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: the angles are no multiples of the positions}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %three = arith.constant 3 : i64
    %start = arith.constant 3000000 : i64
    %m = arith.minsi %i, %three : i64
    %k = arith.addi %m, %start : i64
    %q = arith.sitofp %k : i64 to f32
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

// Frequencies change with the offset, by little.
func.func @product_of_offsets(%x: tensor<2x6x4xf32>, %past: i64) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: the angles are no multiples of the positions}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %k = arith.addi %i, %past : i64
    %q = arith.sitofp %k : i64 to f32
    %po = arith.sitofp %past : i64 to f32
    %eps = arith.constant 1.0e-12 : f32
    %pe = arith.mulf %po, %eps : f32
    %one = arith.constant 1.0 : f32
    %f1 = arith.addf %one, %pe : f32
    %f2 = arith.mulf %f, %f1 : f32
    %w = arith.mulf %q, %f2 : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// What is added is no whole number.
func.func @nearly_seven(%x: tensor<2x6x4xf32>) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: the first row turns: no whole number is added to positions}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %q = arith.sitofp %i : i64 to f32
    %seven = arith.constant 7.0000005 : f32
    %p = arith.addf %q, %seven : f32
    %w = arith.mulf %p, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// The tensor of the offset lives in the body only.
func.func @offset_in_body(%x: tensor<2x6x4xf32>, %past: i64) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: its table of angles, or its positions, are not computed here from the rows' numbers}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %list = tensor.from_elements %past : tensor<1xi64>
    %c0 = arith.constant 0 : index
    %p = tensor.extract %list[%c0] : tensor<1xi64>
    %k = arith.addi %i, %p : i64
    %q = arith.sitofp %k : i64 to f32
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

// Two rows: the second one's sum in 32 bits may wrap.
func.func @two_rows_in_32_bits(%x: tensor<2x2x4xf32>, %past: tensor<i32>) -> tensor<2x2x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 2, 2] [1, 1, 1] : tensor<2x2x4xf32> to tensor<2x2x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 2, 2] [1, 1, 1] : tensor<2x2x4xf32> to tensor<2x2x2xf32>
  %eh = tensor.empty() : tensor<2x2x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x2x2xf32>) outs(%eh : tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x4xf32>
  %e = tensor.empty() : tensor<2x2x4xf32>
  %en = tensor.empty() : tensor<2xi32>
  %iota = arith.constant dense<[0, 1]> : tensor<2xi32>
  %rows = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%iota, %past : tensor<2xi32>, tensor<i32>) outs(%en : tensor<2xi32>) {
  ^bb0(%i: i32, %p: i32, %out: i32):
    %k = arith.addi %i, %p : i32
    linalg.yield %k : i32
  } -> tensor<2xi32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: a sum of its positions may wrap in its type, which has less than 64 bits: add them in 64 bits, or say overflow<nsw>}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (i)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies, %rows : tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<4xf32>, tensor<2xi32>) outs(%e : tensor<2x2x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %k: i32, %out: f32):
    %q = arith.sitofp %k : i32 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x2x4xf32>
  return %y : tensor<2x2x4xf32>
}

// A single row whose number is not 0, in 32 bits.
func.func @second_row_in_32_bits(%x: tensor<2x1x4xf32>, %past: tensor<i32>) -> tensor<2x1x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 1, 2] [1, 1, 1] : tensor<2x1x4xf32> to tensor<2x1x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 1, 2] [1, 1, 1] : tensor<2x1x4xf32> to tensor<2x1x2xf32>
  %eh = tensor.empty() : tensor<2x1x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x1x2xf32>) outs(%eh : tensor<2x1x2xf32>) -> tensor<2x1x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x1x2xf32>, tensor<2x1x2xf32>) -> tensor<2x1x4xf32>
  %e = tensor.empty() : tensor<2x1x4xf32>
  %en = tensor.empty() : tensor<1xi32>
  %iota = arith.constant dense<1> : tensor<1xi32>
  %rows = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%iota, %past : tensor<1xi32>, tensor<i32>) outs(%en : tensor<1xi32>) {
  ^bb0(%i: i32, %p: i32, %out: i32):
    %k = arith.addi %i, %p : i32
    linalg.yield %k : i32
  } -> tensor<1xi32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: the first row turns: no whole number is added to positions}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (i)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies, %rows : tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<4xf32>, tensor<1xi32>) outs(%e : tensor<2x1x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %k: i32, %out: f32):
    %q = arith.sitofp %k : i32 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    %s = math.sin %w : f32
    %u = arith.mulf %a, %c : f32
    %v = arith.mulf %r, %s : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x1x4xf32>
  return %y : tensor<2x1x4xf32>
}

// The rows' number may be any: how many rows there are is not known.
func.func @any_row_in_32_bits(%x: tensor<2x?x4xf32>, %past: i16) -> tensor<2x?x4xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<2x?x4xf32>
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, %n, 2] [1, 1, 1] : tensor<2x?x4xf32> to tensor<2x?x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, %n, 2] [1, 1, 1] : tensor<2x?x4xf32> to tensor<2x?x2xf32>
  %eh = tensor.empty(%n) : tensor<2x?x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x?x2xf32>) outs(%eh : tensor<2x?x2xf32>) -> tensor<2x?x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x?x2xf32>, tensor<2x?x2xf32>) -> tensor<2x?x4xf32>
  %e = tensor.empty(%n) : tensor<2x?x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: a sum of its positions may wrap in its type, which has less than 64 bits: add them in 64 bits, or say overflow<nsw>}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %frequencies : tensor<2x?x4xf32>, tensor<2x?x4xf32>, tensor<4xf32>) outs(%e : tensor<2x?x4xf32>) {
  ^bb0(%a: f32, %r: f32, %f: f32, %out: f32):
    %row = linalg.index 1 : index
    %i = arith.index_cast %row : index to i32
    %p = arith.extsi %past : i16 to i32
    %k = arith.addi %i, %p : i32
    %q = arith.sitofp %k : i32 to f32
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

// Cosines and sines of different positions.
func.func @tables_apart(%x: tensor<2x6x4xf32>, %at: index, %sat: index) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  %et = tensor.empty() : tensor<64x4xf32>
  %cos = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%frequencies : tensor<4xf32>) outs(%et : tensor<64x4xf32>) {
  ^bb0(%f: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %q = arith.sitofp %i : i32 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    linalg.yield %c : f32
  } -> tensor<64x4xf32>
  %sin = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%frequencies : tensor<4xf32>) outs(%et : tensor<64x4xf32>) {
  ^bb0(%f: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %q = arith.sitofp %i : i32 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.sin %w : f32
    linalg.yield %c : f32
  } -> tensor<64x4xf32>
  %c = tensor.extract_slice %cos[%at, 0] [6, 4] [1, 1] : tensor<64x4xf32> to tensor<6x4xf32>
  %s = tensor.extract_slice %sin[%sat, 0] [6, 4] [1, 1] : tensor<64x4xf32> to tensor<6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: its table of angles, or its positions, are not computed here from the rows' numbers}}
  %y = linalg.generic {indexing_maps = [#id, #id, #tab, #tab, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// Every second row of the tables, from an offset on.
func.func @every_second_row(%x: tensor<2x6x4xf32>, %at: index) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  %et = tensor.empty() : tensor<64x4xf32>
  %cos = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%frequencies : tensor<4xf32>) outs(%et : tensor<64x4xf32>) {
  ^bb0(%f: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %q = arith.sitofp %i : i32 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    linalg.yield %c : f32
  } -> tensor<64x4xf32>
  %sin = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%frequencies : tensor<4xf32>) outs(%et : tensor<64x4xf32>) {
  ^bb0(%f: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %q = arith.sitofp %i : i32 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.sin %w : f32
    linalg.yield %c : f32
  } -> tensor<64x4xf32>
  %c = tensor.extract_slice %cos[%at, 0] [6, 4] [2, 1] : tensor<64x4xf32> to tensor<6x4xf32>
  %s = tensor.extract_slice %sin[%at, 0] [6, 4] [2, 1] : tensor<64x4xf32> to tensor<6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: row 0 does not turn by the angles that the second one lets expect}}
  %y = linalg.generic {indexing_maps = [#id, #id, #tab, #tab, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// Positions beyond 40 have the angles of 40.
func.func @clamped_tables(%x: tensor<2x6x4xf32>, %at: index) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  %et = tensor.empty() : tensor<64x4xf32>
  %cos = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%frequencies : tensor<4xf32>) outs(%et : tensor<64x4xf32>) {
  ^bb0(%f: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %q = arith.sitofp %i : i32 to f32
    %limit = arith.constant 40.0 : f32
    %m = arith.minimumf %q, %limit : f32
    %w = arith.mulf %m, %f : f32
    %c = math.cos %w : f32
    linalg.yield %c : f32
  } -> tensor<64x4xf32>
  %sin = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%frequencies : tensor<4xf32>) outs(%et : tensor<64x4xf32>) {
  ^bb0(%f: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %q = arith.sitofp %i : i32 to f32
    %limit = arith.constant 40.0 : f32
    %m = arith.minimumf %q, %limit : f32
    %w = arith.mulf %m, %f : f32
    %c = math.sin %w : f32
    linalg.yield %c : f32
  } -> tensor<64x4xf32>
  %c = tensor.extract_slice %cos[%at, 0] [6, 4] [1, 1] : tensor<64x4xf32> to tensor<6x4xf32>
  %s = tensor.extract_slice %sin[%at, 0] [6, 4] [1, 1] : tensor<64x4xf32> to tensor<6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: row 5 of the slice from 36 on does not turn by the angles that the second one lets expect}}
  %y = linalg.generic {indexing_maps = [#id, #id, #tab, #tab, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// All rows turn by one row of the tables.
func.func @one_row_for_all(%x: tensor<2x6x4xf32>, %at: index) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  %et = tensor.empty() : tensor<64x4xf32>
  %cos = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%frequencies : tensor<4xf32>) outs(%et : tensor<64x4xf32>) {
  ^bb0(%f: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %q = arith.sitofp %i : i32 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    linalg.yield %c : f32
  } -> tensor<64x4xf32>
  %sin = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%frequencies : tensor<4xf32>) outs(%et : tensor<64x4xf32>) {
  ^bb0(%f: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %q = arith.sitofp %i : i32 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.sin %w : f32
    linalg.yield %c : f32
  } -> tensor<64x4xf32>
  %c = tensor.extract_slice %cos[%at, 0] [1, 4] [1, 1] : tensor<64x4xf32> to tensor<4xf32>
  %s = tensor.extract_slice %sin[%at, 0] [1, 4] [1, 1] : tensor<64x4xf32> to tensor<4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: its table of angles, or its positions, are not computed here from the rows' numbers}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// Angles of other elements, from an offset on.
func.func @shifted_elements(%x: tensor<2x6x4xf32>, %at: index) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  %f8 = arith.constant dense<[1.0, 0.01, 1.0, 0.01, 1.0, 0.01, 1.0, 0.01]> : tensor<8xf32>
  %et = tensor.empty() : tensor<64x8xf32>
  %cos = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%f8 : tensor<8xf32>) outs(%et : tensor<64x8xf32>) {
  ^bb0(%f: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %q = arith.sitofp %i : i32 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.cos %w : f32
    linalg.yield %c : f32
  } -> tensor<64x8xf32>
  %sin = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%f8 : tensor<8xf32>) outs(%et : tensor<64x8xf32>) {
  ^bb0(%f: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %q = arith.sitofp %i : i32 to f32
    %w = arith.mulf %q, %f : f32
    %c = math.sin %w : f32
    linalg.yield %c : f32
  } -> tensor<64x8xf32>
  %c = tensor.extract_slice %cos[0, %at] [6, 4] [1, 1] : tensor<64x8xf32> to tensor<6x4xf32>
  %s = tensor.extract_slice %sin[0, %at] [6, 4] [1, 1] : tensor<64x8xf32> to tensor<6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: row 0 of the slice from 1 on does not turn by the angles that the second one lets expect}}
  %y = linalg.generic {indexing_maps = [#id, #id, #tab, #tab, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// The slice starts at what is added to the rows' numbers a second time.
func.func @offset_twice(%x: tensor<2x6x4xf32>, %at: index) -> tensor<2x6x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 6, 2] [1, 1, 1] : tensor<2x6x4xf32> to tensor<2x6x2xf32>
  %eh = tensor.empty() : tensor<2x6x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x6x2xf32>) outs(%eh : tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x6x2xf32>, tensor<2x6x2xf32>) -> tensor<2x6x4xf32>
  %e = tensor.empty() : tensor<2x6x4xf32>
  %et = tensor.empty() : tensor<64x4xf32>
  %cos = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%frequencies : tensor<4xf32>) outs(%et : tensor<64x4xf32>) {
  ^bb0(%f: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %q = arith.sitofp %i : i32 to f32
    %more = arith.index_cast %at : index to i64
    %mf = arith.sitofp %more : i64 to f32
    %m = arith.addf %q, %mf : f32
    %w = arith.mulf %m, %f : f32
    %c = math.cos %w : f32
    linalg.yield %c : f32
  } -> tensor<64x4xf32>
  %sin = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%frequencies : tensor<4xf32>) outs(%et : tensor<64x4xf32>) {
  ^bb0(%f: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %q = arith.sitofp %i : i32 to f32
    %more = arith.index_cast %at : index to i64
    %mf = arith.sitofp %more : i64 to f32
    %m = arith.addf %q, %mf : f32
    %w = arith.mulf %m, %f : f32
    %c = math.sin %w : f32
    linalg.yield %c : f32
  } -> tensor<64x4xf32>
  %c = tensor.extract_slice %cos[%at, 0] [6, 4] [1, 1] : tensor<64x4xf32> to tensor<6x4xf32>
  %s = tensor.extract_slice %sin[%at, 0] [6, 4] [1, 1] : tensor<64x4xf32> to tensor<6x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: row 0 does not turn by the angles that the second one lets expect}}
  %y = linalg.generic {indexing_maps = [#id, #id, #tab, #tab, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>) outs(%e : tensor<2x6x4xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// A step: positions beyond 8000 have the angles of 8000.
func.func @clamped_row_of_tables(%x: tensor<2x1x4xf32>, %at: index) -> tensor<2x1x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 1, 2] [1, 1, 1] : tensor<2x1x4xf32> to tensor<2x1x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 1, 2] [1, 1, 1] : tensor<2x1x4xf32> to tensor<2x1x2xf32>
  %eh = tensor.empty() : tensor<2x1x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x1x2xf32>) outs(%eh : tensor<2x1x2xf32>) -> tensor<2x1x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x1x2xf32>, tensor<2x1x2xf32>) -> tensor<2x1x4xf32>
  %e = tensor.empty() : tensor<2x1x4xf32>
  %et = tensor.empty() : tensor<16384x4xf32>
  %cos = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%frequencies : tensor<4xf32>) outs(%et : tensor<16384x4xf32>) {
  ^bb0(%f: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %q = arith.sitofp %i : i32 to f32
    %limit = arith.constant 8000.0 : f32
    %m = arith.minimumf %q, %limit : f32
    %w = arith.mulf %m, %f : f32
    %c = math.cos %w : f32
    linalg.yield %c : f32
  } -> tensor<16384x4xf32>
  %sin = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%frequencies : tensor<4xf32>) outs(%et : tensor<16384x4xf32>) {
  ^bb0(%f: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %q = arith.sitofp %i : i32 to f32
    %limit = arith.constant 8000.0 : f32
    %m = arith.minimumf %q, %limit : f32
    %w = arith.mulf %m, %f : f32
    %c = math.sin %w : f32
    linalg.yield %c : f32
  } -> tensor<16384x4xf32>
  %c = tensor.extract_slice %cos[%at, 0] [1, 4] [1, 1] : tensor<16384x4xf32> to tensor<4xf32>
  %s = tensor.extract_slice %sin[%at, 0] [1, 4] [1, 1] : tensor<16384x4xf32> to tensor<4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: row 0 of the slice from 8001 on does not turn by the angles that the second one lets expect}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<2x1x4xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x1x4xf32>
  return %y : tensor<2x1x4xf32>
}

// The last row of a table of constants is wrong, which one slice reads.
func.func @wrong_constant(%x: tensor<2x2x4xf32>, %at: index) -> tensor<2x2x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 2, 2] [1, 1, 1] : tensor<2x2x4xf32> to tensor<2x2x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 2, 2] [1, 1, 1] : tensor<2x2x4xf32> to tensor<2x2x2xf32>
  %eh = tensor.empty() : tensor<2x2x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x2x2xf32>) outs(%eh : tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x4xf32>
  %e = tensor.empty() : tensor<2x2x4xf32>
  %cos = arith.constant dense<[[1.00000000e+00, 1.00000000e+00, 1.00000000e+00, 1.00000000e+00],
    [5.40302306e-01, 9.95004165e-01, 5.40302306e-01, 9.95004165e-01],
    [-4.16146837e-01, 9.80066578e-01, -4.16146837e-01, 9.80066578e-01],
    [-9.89992497e-01, 9.55336489e-01, -9.89992497e-01, 9.55336489e-01],
    [-6.53643621e-01, 9.21060994e-01, -6.53643621e-01, 9.21060994e-01],
    [2.83662185e-01, 8.77582562e-01, 2.83662185e-01, 8.77582562e-01],
    [9.60170287e-01, 8.25335615e-01, 9.60170287e-01, 8.25335615e-01],
    [7.53902254e-01, 7.64842187e-01, 7.53902254e-01, 7.64842187e-01]]> : tensor<8x4xf32>
  %sin = arith.constant dense<[[0.00000000e+00, 0.00000000e+00, 0.00000000e+00, 0.00000000e+00],
    [8.41470985e-01, 9.98334166e-02, 8.41470985e-01, 9.98334166e-02],
    [9.09297427e-01, 1.98669331e-01, 9.09297427e-01, 1.98669331e-01],
    [1.41120008e-01, 2.95520207e-01, 1.41120008e-01, 2.95520207e-01],
    [-7.56802495e-01, 3.89418342e-01, -7.56802495e-01, 3.89418342e-01],
    [-9.58924275e-01, 4.79425539e-01, -9.58924275e-01, 4.79425539e-01],
    [-2.79415498e-01, 5.64642473e-01, -2.79415498e-01, 5.64642473e-01],
    [6.56986599e-01, 6.45217687e-01, 6.56986599e-01, 6.44217687e-01]]> : tensor<8x4xf32>
  %c = tensor.extract_slice %cos[%at, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
  %s = tensor.extract_slice %sin[%at, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: row 1 of the slice from 6 on does not turn by the angles that the second one lets expect}}
  %y = linalg.generic {indexing_maps = [#id, #id, #tab, #tab, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) outs(%e : tensor<2x2x4xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x2x4xf32>
  return %y : tensor<2x2x4xf32>
}

// The same in a step.
func.func @wrong_constant_in_step(%x: tensor<2x1x4xf32>, %at: index) -> tensor<2x1x4xf32> {
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, 1, 2] [1, 1, 1] : tensor<2x1x4xf32> to tensor<2x1x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, 1, 2] [1, 1, 1] : tensor<2x1x4xf32> to tensor<2x1x2xf32>
  %eh = tensor.empty() : tensor<2x1x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x1x2xf32>) outs(%eh : tensor<2x1x2xf32>) -> tensor<2x1x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x1x2xf32>, tensor<2x1x2xf32>) -> tensor<2x1x4xf32>
  %e = tensor.empty() : tensor<2x1x4xf32>
  %cos = arith.constant dense<[[1.00000000e+00, 1.00000000e+00, 1.00000000e+00, 1.00000000e+00],
    [5.40302306e-01, 9.95004165e-01, 5.40302306e-01, 9.95004165e-01],
    [-4.16146837e-01, 9.80066578e-01, -4.16146837e-01, 9.80066578e-01],
    [-9.89992497e-01, 9.55336489e-01, -9.89992497e-01, 9.55336489e-01],
    [-6.53643621e-01, 9.21060994e-01, -6.53643621e-01, 9.21060994e-01],
    [2.83662185e-01, 8.77582562e-01, 2.83662185e-01, 8.77582562e-01],
    [9.60170287e-01, 8.25335615e-01, 9.60170287e-01, 8.25335615e-01],
    [7.53902254e-01, 7.65842187e-01, 7.53902254e-01, 7.64842187e-01]]> : tensor<8x4xf32>
  %sin = arith.constant dense<[[0.00000000e+00, 0.00000000e+00, 0.00000000e+00, 0.00000000e+00],
    [8.41470985e-01, 9.98334166e-02, 8.41470985e-01, 9.98334166e-02],
    [9.09297427e-01, 1.98669331e-01, 9.09297427e-01, 1.98669331e-01],
    [1.41120008e-01, 2.95520207e-01, 1.41120008e-01, 2.95520207e-01],
    [-7.56802495e-01, 3.89418342e-01, -7.56802495e-01, 3.89418342e-01],
    [-9.58924275e-01, 4.79425539e-01, -9.58924275e-01, 4.79425539e-01],
    [-2.79415498e-01, 5.64642473e-01, -2.79415498e-01, 5.64642473e-01],
    [6.56986599e-01, 6.44217687e-01, 6.56986599e-01, 6.44217687e-01]]> : tensor<8x4xf32>
  %c = tensor.extract_slice %cos[%at, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
  %s = tensor.extract_slice %sin[%at, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: row 0 of the slice from 7 on does not turn by the angles that the second one lets expect}}
  %y = linalg.generic {indexing_maps = [#id, #id, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<2x1x4xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x1x4xf32>
  return %y : tensor<2x1x4xf32>
}

// How many rows the slices of constants have is not known.
func.func @any_slice_of_constants(%x: tensor<2x?x4xf32>, %at: index) -> tensor<2x?x4xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<2x?x4xf32>
  %frequencies = arith.constant dense<[1.0, 0.01, 1.0, 0.01]> : tensor<4xf32>
  %lo = tensor.extract_slice %x[0, 0, 0] [2, %n, 2] [1, 1, 1] : tensor<2x?x4xf32> to tensor<2x?x2xf32>
  %hi = tensor.extract_slice %x[0, 0, 2] [2, %n, 2] [1, 1, 1] : tensor<2x?x4xf32> to tensor<2x?x2xf32>
  %eh = tensor.empty(%n) : tensor<2x?x2xf32>
  %neg = linalg.negf ins(%hi : tensor<2x?x2xf32>) outs(%eh : tensor<2x?x2xf32>) -> tensor<2x?x2xf32>
  %turned = tensor.concat dim(2) %neg, %lo : (tensor<2x?x2xf32>, tensor<2x?x2xf32>) -> tensor<2x?x4xf32>
  %e = tensor.empty(%n) : tensor<2x?x4xf32>
  %cos = arith.constant dense<[[1.00000000e+00, 1.00000000e+00, 1.00000000e+00, 1.00000000e+00],
    [5.40302306e-01, 9.95004165e-01, 5.40302306e-01, 9.95004165e-01],
    [-4.16146837e-01, 9.80066578e-01, -4.16146837e-01, 9.80066578e-01],
    [-9.89992497e-01, 9.55336489e-01, -9.89992497e-01, 9.55336489e-01],
    [-6.53643621e-01, 9.21060994e-01, -6.53643621e-01, 9.21060994e-01],
    [2.83662185e-01, 8.77582562e-01, 2.83662185e-01, 8.77582562e-01],
    [9.60170287e-01, 8.25335615e-01, 9.60170287e-01, 8.25335615e-01],
    [7.53902254e-01, 7.64842187e-01, 7.53902254e-01, 7.64842187e-01]]> : tensor<8x4xf32>
  %sin = arith.constant dense<[[0.00000000e+00, 0.00000000e+00, 0.00000000e+00, 0.00000000e+00],
    [8.41470985e-01, 9.98334166e-02, 8.41470985e-01, 9.98334166e-02],
    [9.09297427e-01, 1.98669331e-01, 9.09297427e-01, 1.98669331e-01],
    [1.41120008e-01, 2.95520207e-01, 1.41120008e-01, 2.95520207e-01],
    [-7.56802495e-01, 3.89418342e-01, -7.56802495e-01, 3.89418342e-01],
    [-9.58924275e-01, 4.79425539e-01, -9.58924275e-01, 4.79425539e-01],
    [-2.79415498e-01, 5.64642473e-01, -2.79415498e-01, 5.64642473e-01],
    [6.56986599e-01, 6.44217687e-01, 6.56986599e-01, 6.44217687e-01]]> : tensor<8x4xf32>
  %c = tensor.extract_slice %cos[%at, 0] [%n, 4] [1, 1] : tensor<8x4xf32> to tensor<?x4xf32>
  %s = tensor.extract_slice %sin[%at, 0] [%n, 4] [1, 1] : tensor<8x4xf32> to tensor<?x4xf32>
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: the angles are no multiples of the positions}}
  %y = linalg.generic {indexing_maps = [#id, #id, #tab, #tab, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %turned, %c, %s : tensor<2x?x4xf32>, tensor<2x?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<2x?x4xf32>) {
  ^bb0(%a: f32, %r: f32, %ci: f32, %si: f32, %out: f32):
    %u = arith.mulf %a, %ci : f32
    %v = arith.mulf %r, %si : f32
    %t = arith.addf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x?x4xf32>
  return %y : tensor<2x?x4xf32>
}
