// RUN: attn-opt %s --attn-raise-rope --verify-diagnostics | FileCheck %s

// An offset of the positions that is used otherwise than attn.rope does, or in types in which the sum may wrap.

// CHECK-NOT: attn.rope

#id = affine_map<(b, i, j) -> (b, i, j)>

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
