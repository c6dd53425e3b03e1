// RUN: attn-opt %s --attn-raise-rope --verify-diagnostics | FileCheck %s

// Slices of tables that are computed, which do not have the angles of their rows.

// Tables may be what they are; none of these is one of a formula.
// CHECK-NOT: attn.rope {{.*}}ins({{[^)]*}}) {{ *[op]}}

#ij = affine_map<(i, j) -> (i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#tab = affine_map<(b, i, j) -> (i, j)>

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
  // expected-remark @+1 {{[attn-r141] raised to attn.rope half_split with its cosines and sines as tables: its table of angles, or its positions, are not computed here from the rows' numbers}}
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
  // expected-remark @+1 {{[attn-r141] raised to attn.rope half_split with its cosines and sines as tables: row 0 does not turn by the angles that the second one lets expect}}
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
  // expected-remark @+1 {{[attn-r141] raised to attn.rope half_split with its cosines and sines as tables: row 5 of the slice from 36 on does not turn by the angles that the second one lets expect}}
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
  // expected-remark @+1 {{[attn-r142] not raised to attn.rope: all rows turn alike}}
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
  // expected-remark @+1 {{[attn-r141] raised to attn.rope half_split with its cosines and sines as tables: row 0 of the slice from 1 on does not turn by the angles that the second one lets expect}}
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
  // expected-remark @+1 {{[attn-r141] raised to attn.rope half_split with its cosines and sines as tables: row 0 does not turn by the angles that the second one lets expect}}
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
  // expected-remark @+1 {{[attn-r141] raised to attn.rope half_split with its cosines and sines as tables: row 0 of the slice from 8001 on does not turn by the angles that the second one lets expect}}
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
