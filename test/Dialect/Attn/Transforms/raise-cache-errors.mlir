// RUN: attn-opt %s --attn-raise-cache 2>/dev/null | FileCheck %s --implicit-check-not=attn.inout
// RUN: attn-opt %s --attn-raise-cache -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: attn-run %s --entry=read_after --check | FileCheck %s --check-prefix=NUMBERS
// RUN: attn-run %s --entry=read_after_through_slice --check | FileCheck %s --check-prefix=NUMBERS
// RUN: attn-run %s --entry=old_is_result --check | FileCheck %s --check-prefix=NUMBERS
// NUMBERS: out0 against f64 reference: match
// NUMBERS: out1 against f64 reference: match

#all = affine_map<(b, h, j, d) -> (b, h, j, d)>
#row = affine_map<(b, h, j, d) -> (b, h, 0, d)>
#at = affine_map<(b, h, j, d) -> (j)>
#v = affine_map<(j) -> (j)>
#one = affine_map<(j) -> (0)>

// The attention sees the rows as they were, after they are replaced.
// CHECK-LABEL: @read_after(
// REMARK: [attn-r162] argument 1 is copied to result 1: its old value is needed after rows of it are replaced
func.func @read_after(%q: tensor<1x2x1x8xf32>, %keys: tensor<1x2x16x8xf32>) -> (tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>) {
  %k = tensor.insert_slice %q into %keys[0, 0, 3, 0] [1, 2, 1, 8] [1, 1, 1, 1] : tensor<1x2x1x8xf32> into tensor<1x2x16x8xf32>
  %e = tensor.empty() : tensor<1x2x1x8xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %keys, %k : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) outs(%e : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  return %o, %k : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>
}

// CHECK-LABEL: @read_after_through_slice(
// REMARK: [attn-r162] argument 1 is copied to result 1: its old value is needed after rows of it are replaced
func.func @read_after_through_slice(%q: tensor<1x2x1x8xf32>, %keys: tensor<1x2x16x8xf32>) -> (tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>) {
  %old = tensor.extract_slice %keys[0, 0, 0, 0] [1, 2, 7, 8] [1, 1, 1, 1] : tensor<1x2x16x8xf32> to tensor<1x2x7x8xf32>
  %k = tensor.insert_slice %q into %keys[0, 0, 3, 0] [1, 2, 1, 8] [1, 1, 1, 1] : tensor<1x2x1x8xf32> into tensor<1x2x16x8xf32>
  %new = tensor.extract_slice %k[0, 0, 0, 0] [1, 2, 7, 8] [1, 1, 1, 1] : tensor<1x2x16x8xf32> to tensor<1x2x7x8xf32>
  %e = tensor.empty() : tensor<1x2x1x8xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %new, %old : tensor<1x2x1x8xf32>, tensor<1x2x7x8xf32>, tensor<1x2x7x8xf32>) outs(%e : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  return %o, %k : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>
}

// CHECK-LABEL: @old_is_result(
// REMARK: [attn-r162] argument 1 is copied to result 1: its old value
func.func @old_is_result(%q: tensor<1x2x1x8xf32>, %keys: tensor<1x2x16x8xf32>) -> (tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) {
  %k = tensor.insert_slice %q into %keys[0, 0, 3, 0] [1, 2, 1, 8] [1, 1, 1, 1] : tensor<1x2x1x8xf32> into tensor<1x2x16x8xf32>
  %e = tensor.empty() : tensor<1x2x1x8xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) outs(%e : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  return %o, %k, %keys : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>
}

// CHECK-LABEL: @grown(
// REMARK: [attn-r162] argument 1 is copied to result 1: the result has rows behind those of the argument; give it room, and write them at a position
func.func @grown(%q: tensor<1x2x1x8xf32>, %keys: tensor<1x2x16x8xf32>) -> (tensor<1x2x1x8xf32>, tensor<1x2x17x8xf32>) {
  %k = tensor.concat dim(2) %keys, %q : (tensor<1x2x16x8xf32>, tensor<1x2x1x8xf32>) -> tensor<1x2x17x8xf32>
  %e = tensor.empty() : tensor<1x2x1x8xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<1x2x1x8xf32>, tensor<1x2x17x8xf32>, tensor<1x2x17x8xf32>) outs(%e : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  return %o, %k : tensor<1x2x1x8xf32>, tensor<1x2x17x8xf32>
}

// CHECK-LABEL: @shifted(
// REMARK: [attn-r162] argument 1 is copied to result 1: all of its rows move; write the new ones over the oldest
func.func @shifted(%q: tensor<1x2x1x8xf32>, %keys: tensor<1x2x16x8xf32>) -> (tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>) {
  %rest = tensor.extract_slice %keys[0, 0, 1, 0] [1, 2, 15, 8] [1, 1, 1, 1] : tensor<1x2x16x8xf32> to tensor<1x2x15x8xf32>
  %k = tensor.concat dim(2) %rest, %q : (tensor<1x2x15x8xf32>, tensor<1x2x1x8xf32>) -> tensor<1x2x16x8xf32>
  %e = tensor.empty() : tensor<1x2x1x8xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) outs(%e : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  return %o, %k : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>
}

// A function that others call keeps its results, and so does one without attention.
// REMARK-NOT: attn-r161
// REMARK-NOT: attn-r162
// CHECK-LABEL: @called(
func.func private @called(%q: tensor<1x2x1x8xf32>, %keys: tensor<1x2x16x8xf32>) -> (tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>) {
  %k = tensor.insert_slice %q into %keys[0, 0, 3, 0] [1, 2, 1, 8] [1, 1, 1, 1] : tensor<1x2x1x8xf32> into tensor<1x2x16x8xf32>
  %e = tensor.empty() : tensor<1x2x1x8xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) outs(%e : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  return %o, %k : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>
}

// CHECK-LABEL: @no_attention(
func.func @no_attention(%row: tensor<1x8xf32>, %to: tensor<16x8xf32>, %at: index) -> tensor<16x8xf32> {
  %r = tensor.insert_slice %row into %to[%at, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// Donated for another result.
// CHECK-LABEL: @donated_for_another(
func.func @donated_for_another(%row: tensor<1x8xf32>, %to: tensor<16x8xf32> {tf.aliasing_output = 1 : i32}, %at: index) -> (tensor<16x8xf32>, tensor<1x8xf32>) {
  %r = tensor.insert_slice %row into %to[%at, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<16x8xf32>
  return %r, %row : tensor<16x8xf32>, tensor<1x8xf32>
}

// All rows up to the position, not the one at it.
// CHECK-LABEL: @rows_up_to(
// CHECK-NOT: tensor.insert_slice
func.func @rows_up_to(%q: tensor<1x2x1x8xf32>, %keys: tensor<1x2x16x8xf32>, %p: tensor<1xi64>) -> tensor<1x2x16x8xf32> {
  %me = tensor.empty() : tensor<16xi1>
  %is = linalg.generic {indexing_maps = [#one, #v], iterator_types = ["parallel"]} ins(%p : tensor<1xi64>) outs(%me : tensor<16xi1>) {
  ^bb0(%x: i64, %out: i1):
    %j = linalg.index 0 : index
    %i = arith.index_cast %j : index to i64
    %c = arith.cmpi sle, %i, %x : i64
    linalg.yield %c : i1
  } -> tensor<16xi1>
  %ke = tensor.empty() : tensor<1x2x16x8xf32>
  %k = linalg.generic {indexing_maps = [#at, #row, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%is, %q, %keys : tensor<16xi1>, tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>) outs(%ke : tensor<1x2x16x8xf32>) {
  ^bb0(%c: i1, %new: f32, %old: f32, %out: f32):
    %s = arith.select %c, %new, %old : f32
    linalg.yield %s : f32
  } -> tensor<1x2x16x8xf32>
  return %k : tensor<1x2x16x8xf32>
}

// All rows at positions of their own, one for each element.
// CHECK-LABEL: @position_of_each_key(
// CHECK-NOT: tensor.insert_slice
func.func @position_of_each_key(%q: tensor<1x2x1x8xf32>, %keys: tensor<1x2x16x8xf32>, %p: tensor<16xi64>) -> tensor<1x2x16x8xf32> {
  %me = tensor.empty() : tensor<16xi1>
  %is = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%p : tensor<16xi64>) outs(%me : tensor<16xi1>) {
  ^bb0(%x: i64, %out: i1):
    %j = linalg.index 0 : index
    %i = arith.index_cast %j : index to i64
    %c = arith.cmpi eq, %i, %x : i64
    linalg.yield %c : i1
  } -> tensor<16xi1>
  %ke = tensor.empty() : tensor<1x2x16x8xf32>
  %k = linalg.generic {indexing_maps = [#at, #row, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%is, %q, %keys : tensor<16xi1>, tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>) outs(%ke : tensor<1x2x16x8xf32>) {
  ^bb0(%c: i1, %new: f32, %old: f32, %out: f32):
    %s = arith.select %c, %new, %old : f32
    linalg.yield %s : f32
  } -> tensor<1x2x16x8xf32>
  return %k : tensor<1x2x16x8xf32>
}

// The new row varies along the cache.
// CHECK-LABEL: @as_many_rows(
// CHECK-NOT: tensor.insert_slice
func.func @as_many_rows(%new: tensor<1x2x16x8xf32>, %keys: tensor<1x2x16x8xf32>, %p: tensor<1xi64>) -> tensor<1x2x16x8xf32> {
  %me = tensor.empty() : tensor<16xi1>
  %is = linalg.generic {indexing_maps = [#one, #v], iterator_types = ["parallel"]} ins(%p : tensor<1xi64>) outs(%me : tensor<16xi1>) {
  ^bb0(%x: i64, %out: i1):
    %j = linalg.index 0 : index
    %i = arith.index_cast %j : index to i64
    %c = arith.cmpi eq, %i, %x : i64
    linalg.yield %c : i1
  } -> tensor<16xi1>
  %ke = tensor.empty() : tensor<1x2x16x8xf32>
  %k = linalg.generic {indexing_maps = [#at, #all, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%is, %new, %keys : tensor<16xi1>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) outs(%ke : tensor<1x2x16x8xf32>) {
  ^bb0(%c: i1, %n: f32, %old: f32, %out: f32):
    %s = arith.select %c, %n, %old : f32
    linalg.yield %s : f32
  } -> tensor<1x2x16x8xf32>
  return %k : tensor<1x2x16x8xf32>
}

// The old rows are rounded on the way: all of them change.
// CHECK-LABEL: @rounded_rows(
// CHECK-NOT: tensor.insert_slice
func.func @rounded_rows(%q: tensor<1x2x1x8xf32>, %keys: tensor<1x2x16x8xf32>, %p: tensor<1xi64>) -> tensor<1x2x16x8xf32> {
  %me = tensor.empty() : tensor<16xi1>
  %is = linalg.generic {indexing_maps = [#one, #v], iterator_types = ["parallel"]} ins(%p : tensor<1xi64>) outs(%me : tensor<16xi1>) {
  ^bb0(%x: i64, %out: i1):
    %j = linalg.index 0 : index
    %i = arith.index_cast %j : index to i64
    %c = arith.cmpi eq, %i, %x : i64
    linalg.yield %c : i1
  } -> tensor<16xi1>
  %ke = tensor.empty() : tensor<1x2x16x8xf32>
  %k = linalg.generic {indexing_maps = [#at, #row, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%is, %q, %keys : tensor<16xi1>, tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>) outs(%ke : tensor<1x2x16x8xf32>) {
  ^bb0(%c: i1, %new: f32, %old: f32, %out: f32):
    %narrow = arith.truncf %old : f32 to bf16
    %wide = arith.extf %narrow : bf16 to f32
    %s = arith.select %c, %new, %wide : f32
    linalg.yield %s : f32
  } -> tensor<1x2x16x8xf32>
  return %k : tensor<1x2x16x8xf32>
}

// The new row has another type.
// CHECK-LABEL: @widened_row(
// CHECK-NOT: tensor.insert_slice
func.func @widened_row(%q: tensor<1x2x1x8xbf16>, %keys: tensor<1x2x16x8xf32>, %p: tensor<1xi64>) -> tensor<1x2x16x8xf32> {
  %me = tensor.empty() : tensor<16xi1>
  %is = linalg.generic {indexing_maps = [#one, #v], iterator_types = ["parallel"]} ins(%p : tensor<1xi64>) outs(%me : tensor<16xi1>) {
  ^bb0(%x: i64, %out: i1):
    %j = linalg.index 0 : index
    %i = arith.index_cast %j : index to i64
    %c = arith.cmpi eq, %i, %x : i64
    linalg.yield %c : i1
  } -> tensor<16xi1>
  %ke = tensor.empty() : tensor<1x2x16x8xf32>
  %k = linalg.generic {indexing_maps = [#at, #row, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%is, %q, %keys : tensor<16xi1>, tensor<1x2x1x8xbf16>, tensor<1x2x16x8xf32>) outs(%ke : tensor<1x2x16x8xf32>) {
  ^bb0(%c: i1, %new: bf16, %old: f32, %out: f32):
    %wide = arith.extf %new : bf16 to f32
    %s = arith.select %c, %wide, %old : f32
    linalg.yield %s : f32
  } -> tensor<1x2x16x8xf32>
  return %k : tensor<1x2x16x8xf32>
}
