// RUN: attn-opt %s --attn-raise-rope --verify-diagnostics | FileCheck %s

// Positions that are not those of attn.rope: not one for each row, or changed on the way to the angles.

// CHECK-NOT: attn.rope

#ij = affine_map<(i, j) -> (i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>

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
