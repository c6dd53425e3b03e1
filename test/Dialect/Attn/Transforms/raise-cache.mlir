// RUN: attn-opt %s --attn-raise-cache --canonicalize --cse 2>/dev/null | FileCheck %s
// RUN: attn-opt %s --attn-raise-cache -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: attn-run %s --entry=selected_row --check | FileCheck %s --check-prefix=NUMBERS
// RUN: attn-run %s --entry=selected_row_of_each --check | FileCheck %s --check-prefix=NUMBERS
// RUN: attn-run %s --entry=jax_selected_row --check | FileCheck %s --check-prefix=NUMBERS
// RUN: attn-run %s --entry=read_before --check | FileCheck %s --check-prefix=NUMBERS
// RUN: attn-run %s --entry=scattered --check | FileCheck %s --check-prefix=NUMBERS
// RUN: attn-run %s --entry=moved_behind --check | FileCheck %s --check-prefix=NUMBERS
// RUN: attn-run %s --entry=steps --check | FileCheck %s --check-prefix=NUMBERS
// RUN: attn-run %s --entry=branches --check | FileCheck %s --check-prefix=NUMBER
// RUN: attn-run %s --entry=other_branches --check | FileCheck %s --check-prefix=NUMBER
// RUN: attn-run %s --entry=two_new_values --check | FileCheck %s --check-prefix=NUMBERS
// NUMBER: out0 against f64 reference: match
// NUMBERS: out0 against f64 reference: match
// NUMBERS: out1 against f64 reference: match

// Positions are random numbers: outside of the cache nothing is written.
// REMARK-COUNT-8: [attn-r161] argument {{[0-9]}} is a cache: result {{[0-9]}} is its new value, in its memory
// REMARK: [attn-r161] argument 1 is a cache: result 0
// REMARK: [attn-r162] argument 1 is copied to result 1: its memory takes another result
// REMARK: [attn-r161] argument 1 is a cache: result 1
// REMARK: [attn-r161] argument 1 is a cache: result 1
// REMARK-NOT: attn-r161
// REMARK-NOT: attn-r162

#all = affine_map<(b, h, j, d) -> (b, h, j, d)>
#row = affine_map<(b, h, j, d) -> (b, h, 0, d)>
#at = affine_map<(b, h, j, d) -> (j)>
#each = affine_map<(b, h, j, d) -> (b, j)>
#jall = affine_map<(b, j, h, d) -> (b, j, h, d)>
#v = affine_map<(j) -> (j)>
#one = affine_map<(j) -> (0)>
#none = affine_map<(j) -> ()>
#vb = affine_map<(b, j) -> (b, j)>
#vj = affine_map<(b, j) -> (j)>
#ob = affine_map<(b, j) -> (b)>

// One row, where the caller says.
// CHECK-LABEL: @inserted
// CHECK-SAME: %{{.*}}: tensor<1x2x16x8xf32> {attn.inout = 1 : index}, %{{.*}}: tensor<1x2x16x8xf32> {attn.inout = 0 : index}, %{{.*}}: index)
func.func @inserted(%q: tensor<1x2x1x8xf32>, %keys: tensor<1x2x16x8xf32>, %values: tensor<1x2x16x8xf32>, %at: index)
    -> (tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x1x8xf32>) {
  %k = tensor.insert_slice %q into %keys[0, 0, %at, 0] [1, 2, 1, 8] [1, 1, 1, 1] : tensor<1x2x1x8xf32> into tensor<1x2x16x8xf32>
  %v = tensor.insert_slice %q into %values[0, 0, %at, 0] [1, 2, 1, 8] [1, 1, 1, 1] : tensor<1x2x1x8xf32> into tensor<1x2x16x8xf32>
  %e = tensor.empty() : tensor<1x2x1x8xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) outs(%e : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  return %v, %k, %o : tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x1x8xf32>
}

// The comparison of an iota with the position, as torch.where has it. A position
// outside of the cache writes what the nearest row holds.
// CHECK-LABEL: @selected_row(
// CHECK-SAME: %[[Q:.*]]: tensor<1x2x1x8xf32>, %[[K:.*]]: tensor<1x2x16x8xf32> {attn.inout = 1 : index}, %[[P:.*]]: tensor<1xi64>)
// CHECK: %[[I64:.*]] = tensor.extract %[[P]]
// CHECK: %[[AT:.*]] = arith.index_cast %[[I64]]
// CHECK: %[[LEAST:.*]] = arith.maxsi %[[AT]], %c0
// CHECK: %[[IN:.*]] = arith.minsi %[[LEAST]], %c15
// CHECK: %[[IS:.*]] = arith.cmpi eq, %[[AT]], %[[IN]]
// CHECK: %[[OLD:.*]] = tensor.extract_slice %[[K]][0, 0, %[[IN]], 0] [1, 2, 1, 8]
// CHECK: %[[NEW:.*]] = linalg.generic {{.*}} outs(%[[OLD]]
// CHECK: arith.select %[[IS]]
// CHECK: %[[KEYS:.*]] = tensor.insert_slice %[[NEW]] into %[[K]][0, 0, %[[IN]], 0]
// CHECK: ins(%[[Q]], %[[KEYS]], %[[KEYS]]
func.func @selected_row(%q: tensor<1x2x1x8xf32>, %keys: tensor<1x2x16x8xf32>, %p: tensor<1xi64>) -> (tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>) {
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
    %s = arith.select %c, %new, %old : f32
    linalg.yield %s : f32
  } -> tensor<1x2x16x8xf32>
  %e = tensor.empty() : tensor<1x2x1x8xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) outs(%e : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  return %o, %k : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>
}

// Each sequence has its own position, and the old row stands where it is not.
// CHECK-LABEL: @selected_row_of_each(
// CHECK-SAME: tensor<3x2x16x8xf32> {attn.inout = 1 : index}
// CHECK: scf.for %[[B:.*]] = %c0 to %c3 {{.*}} iter_args(%[[K:.*]] = %arg1)
// CHECK: tensor.extract %arg2[%[[B]]]
// CHECK: tensor.insert_slice %{{.*}} into %[[K]][%[[B]], 0, %{{.*}}, 0] [1, 2, 1, 8]
func.func @selected_row_of_each(%q: tensor<3x2x1x8xf32>, %keys: tensor<3x2x16x8xf32>, %p: tensor<3xi64>) -> (tensor<3x2x1x8xf32>, tensor<3x2x16x8xf32>) {
  %me = tensor.empty() : tensor<3x16xi1>
  %is = linalg.generic {indexing_maps = [#ob, #vb], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<3xi64>) outs(%me : tensor<3x16xi1>) {
  ^bb0(%x: i64, %out: i1):
    %j = linalg.index 1 : index
    %i = arith.index_cast %j : index to i64
    %c = arith.cmpi ne, %i, %x : i64
    linalg.yield %c : i1
  } -> tensor<3x16xi1>
  %ke = tensor.empty() : tensor<3x2x16x8xf32>
  %k = linalg.generic {indexing_maps = [#each, #row, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%is, %q, %keys : tensor<3x16xi1>, tensor<3x2x1x8xf32>, tensor<3x2x16x8xf32>) outs(%ke : tensor<3x2x16x8xf32>) {
  ^bb0(%c: i1, %new: f32, %old: f32, %out: f32):
    %s = arith.select %c, %old, %new : f32
    linalg.yield %s : f32
  } -> tensor<3x2x16x8xf32>
  %e = tensor.empty() : tensor<3x2x1x8xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<3x2x1x8xf32>, tensor<3x2x16x8xf32>, tensor<3x2x16x8xf32>) outs(%e : tensor<3x2x1x8xf32>) -> tensor<3x2x1x8xf32>
  return %o, %k : tensor<3x2x1x8xf32>, tensor<3x2x16x8xf32>
}

// JAX's layout, with the rows broadcast first, and the next position.
// CHECK-LABEL: @jax_selected_row(
// CHECK-SAME: tensor<1x16x2x8xf32> {attn.inout = 1 : index}
// CHECK: tensor.insert_slice %{{.*}} into %arg1[0, %{{.*}}, 0, 0] [1, 1, 2, 8]
func.func @jax_selected_row(%q: tensor<1x1x2x8xf32>, %keys: tensor<1x16x2x8xf32>, %p: tensor<i32>) -> (tensor<1x1x2x8xf32>, tensor<1x16x2x8xf32>) {
  %c1 = arith.constant 1 : i32
  %me = tensor.empty() : tensor<16xi1>
  %is = linalg.generic {indexing_maps = [#none, #v], iterator_types = ["parallel"]} ins(%p : tensor<i32>) outs(%me : tensor<16xi1>) {
  ^bb0(%x: i32, %out: i1):
    %j = linalg.index 0 : index
    %i = arith.index_cast %j : index to i32
    %n = arith.addi %x, %c1 : i32
    %c = arith.cmpi eq, %i, %n : i32
    linalg.yield %c : i1
  } -> tensor<16xi1>
  %ke = tensor.empty() : tensor<1x16x2x8xf32>
  %rows = linalg.generic {indexing_maps = [affine_map<(b, j, h, d) -> (b, 0, h, d)>, #jall], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%q : tensor<1x1x2x8xf32>) outs(%ke : tensor<1x16x2x8xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<1x16x2x8xf32>
  %k = linalg.generic {indexing_maps = [affine_map<(b, j, h, d) -> (j)>, #jall, #jall, #jall], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%is, %rows, %keys : tensor<16xi1>, tensor<1x16x2x8xf32>, tensor<1x16x2x8xf32>) outs(%ke : tensor<1x16x2x8xf32>) {
  ^bb0(%c: i1, %new: f32, %old: f32, %out: f32):
    %s = arith.select %c, %new, %old : f32
    linalg.yield %s : f32
  } -> tensor<1x16x2x8xf32>
  %e = tensor.empty() : tensor<1x1x2x8xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      indexing_maps [affine_map<(b, h, i, j, d, v) -> (b, i, h, d)>, affine_map<(b, h, i, j, d, v) -> (b, j, h, d)>,
        affine_map<(b, h, i, j, d, v) -> (b, j, h, v)>, affine_map<(b, h, i, j, d, v) -> (b, i, h, v)>]
      ins(%q, %k, %k : tensor<1x1x2x8xf32>, tensor<1x16x2x8xf32>, tensor<1x16x2x8xf32>) outs(%e : tensor<1x1x2x8xf32>) -> tensor<1x1x2x8xf32>
  return %o, %k : tensor<1x1x2x8xf32>, tensor<1x16x2x8xf32>
}

// What needs the old rows comes first.
// CHECK-LABEL: @read_before(
// CHECK-SAME: tensor<1x2x16x8xf32> {attn.inout = 1 : index}
func.func @read_before(%q: tensor<1x2x1x8xf32>, %keys: tensor<1x2x16x8xf32>) -> (tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>) {
  %old = tensor.extract_slice %keys[0, 0, 0, 0] [1, 2, 7, 8] [1, 1, 1, 1] : tensor<1x2x16x8xf32> to tensor<1x2x7x8xf32>
  %e = tensor.empty() : tensor<1x2x1x8xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %old, %old : tensor<1x2x1x8xf32>, tensor<1x2x7x8xf32>, tensor<1x2x7x8xf32>) outs(%e : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  %k = tensor.insert_slice %o into %keys[0, 0, 3, 0] [1, 2, 1, 8] [1, 1, 1, 1] : tensor<1x2x1x8xf32> into tensor<1x2x16x8xf32>
  return %o, %k : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>
}

// A loop over rows, as tm_tensor.scatter and index_put become, and one insertion more.
// CHECK-LABEL: @scattered(
// CHECK-SAME: tensor<1x2x16x8xf32> {attn.inout = 1 : index}
func.func @scattered(%q: tensor<1x2x1x8xf32>, %keys: tensor<1x2x16x8xf32>) -> (tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %first = tensor.insert_slice %q into %keys[0, 0, 3, 0] [1, 2, 1, 8] [1, 1, 1, 1] : tensor<1x2x1x8xf32> into tensor<1x2x16x8xf32>
  %k = scf.for %h = %c0 to %c2 step %c1 iter_args(%to = %first) -> (tensor<1x2x16x8xf32>) {
    %row = tensor.extract_slice %q[0, %h, 0, 0] [1, 1, 1, 8] [1, 1, 1, 1] : tensor<1x2x1x8xf32> to tensor<1x1x1x8xf32>
    %next = tensor.insert_slice %row into %to[0, %h, %h, 0] [1, 1, 1, 8] [1, 1, 1, 1] : tensor<1x1x1x8xf32> into tensor<1x2x16x8xf32>
    scf.yield %next : tensor<1x2x16x8xf32>
  }
  %e = tensor.empty() : tensor<1x2x1x8xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) outs(%e : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  return %o, %k : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>
}

// JAX's caller gives the memory up: no attention is asked for.
// CHECK-LABEL: @donated
// CHECK-SAME: tensor<16x8xf32> {attn.inout = 0 : index, tf.aliasing_output = 0 : i32}
func.func @donated(%row: tensor<1x8xf32>, %to: tensor<16x8xf32> {tf.aliasing_output = 0 : i32}, %at: index) -> tensor<16x8xf32> {
  %r = tensor.insert_slice %row into %to[%at, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// CHECK-LABEL: @donor
// CHECK-SAME: tensor<16x8xf32> {attn.inout = 0 : index, jax.buffer_donor = true}
func.func @donor(%row: tensor<1x8xf32>, %to: tensor<16x8xf32> {jax.buffer_donor = true}, %at: index) -> tensor<16x8xf32> {
  %r = tensor.insert_slice %row into %to[%at, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// The first one has the argument's memory, after the other one was copied from it.
// CHECK-LABEL: @two_new_values(
// CHECK-SAME: tensor<1x2x16x8xf32> {attn.inout = 0 : index}
func.func @two_new_values(%q: tensor<1x2x1x8xf32>, %keys: tensor<1x2x16x8xf32>) -> (tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x1x8xf32>) {
  %k = tensor.insert_slice %q into %keys[0, 0, 3, 0] [1, 2, 1, 8] [1, 1, 1, 1] : tensor<1x2x1x8xf32> into tensor<1x2x16x8xf32>
  %v = tensor.insert_slice %q into %keys[0, 0, 4, 0] [1, 2, 1, 8] [1, 1, 1, 1] : tensor<1x2x1x8xf32> into tensor<1x2x16x8xf32>
  %e = tensor.empty() : tensor<1x2x1x8xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) outs(%e : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  return %k, %v, %o : tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x1x8xf32>
}

// The attention sees the old rows, and comes behind the insertion, which moves
// behind it.
// CHECK-LABEL: @moved_behind(
// CHECK-SAME: tensor<1x2x16x8xf32> {attn.inout = 1 : index}
// CHECK: attn.attention
// CHECK: tensor.insert_slice
func.func @moved_behind(%q: tensor<1x2x1x8xf32>, %keys: tensor<1x2x16x8xf32>) -> (tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>) {
  %k = tensor.insert_slice %q into %keys[0, 0, 3, 0] [1, 2, 1, 8] [1, 1, 1, 1] : tensor<1x2x1x8xf32> into tensor<1x2x16x8xf32>
  %e = tensor.empty() : tensor<1x2x1x8xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %keys, %keys : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) outs(%e : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  return %o, %k : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>
}

// Steps in a loop, as JAX's scan over tokens becomes.
// CHECK-LABEL: @steps(
// CHECK-SAME: tensor<1x2x16x8xf32> {attn.inout = 1 : index}
func.func @steps(%q: tensor<1x2x1x8xf32>, %keys: tensor<1x2x16x8xf32>) -> (tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r:3 = scf.while (%i = %c0, %cache = %keys, %x = %q) : (index, tensor<1x2x16x8xf32>, tensor<1x2x1x8xf32>) -> (index, tensor<1x2x16x8xf32>, tensor<1x2x1x8xf32>) {
    %more = arith.cmpi ult, %i, %c4 : index
    scf.condition(%more) %i, %cache, %x : index, tensor<1x2x16x8xf32>, tensor<1x2x1x8xf32>
  } do {
  ^bb0(%i: index, %cache: tensor<1x2x16x8xf32>, %x: tensor<1x2x1x8xf32>):
    %k = tensor.insert_slice %x into %cache[0, 0, %i, 0] [1, 2, 1, 8] [1, 1, 1, 1] : tensor<1x2x1x8xf32> into tensor<1x2x16x8xf32>
    %e = tensor.empty() : tensor<1x2x1x8xf32>
    %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
        ins(%x, %k, %k : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) outs(%e : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
    %n = arith.addi %i, %c1 : index
    scf.yield %n, %k, %o : index, tensor<1x2x16x8xf32>, tensor<1x2x1x8xf32>
  }
  return %r#2, %r#1 : tensor<1x2x1x8xf32>, tensor<1x2x16x8xf32>
}

// Rows that are put together by a branch for each element, as JAX's concatenation
// becomes, lie in two tensors.
// CHECK-LABEL: @branches(
// CHECK: %[[K:.*]] = tensor.concat dim(1) %arg1, %arg0
// CHECK: ins(%arg0, %[[K]], %[[K]]
func.func @branches(%q: tensor<2x1x8xf32>, %keys: tensor<2x16x8xf32>) -> tensor<2x1x8xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %ke = tensor.empty() : tensor<2x17x8xf32>
  %k = linalg.generic {indexing_maps = [affine_map<(h, j, d) -> (h, j, d)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%ke : tensor<2x17x8xf32>) {
  ^bb0(%out: f32):
    %h = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = linalg.index 2 : index
    %is = arith.cmpi ult, %j, %c16 : index
    %x = scf.if %is -> (f32) {
      %old = tensor.extract %keys[%h, %j, %d] : tensor<2x16x8xf32>
      scf.yield %old : f32
    } else {
      %i = arith.subi %j, %c16 : index
      %new = tensor.extract %q[%h, %i, %d] : tensor<2x1x8xf32>
      scf.yield %new : f32
    }
    linalg.yield %x : f32
  } -> tensor<2x17x8xf32>
  %e = tensor.empty() : tensor<2x1x8xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x1x8xf32>, tensor<2x17x8xf32>, tensor<2x17x8xf32>) outs(%e : tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  return %o : tensor<2x1x8xf32>
}

// Of one tensor the branch takes every other row.
// CHECK-LABEL: @other_branches(
// CHECK-NOT: tensor.concat
func.func @other_branches(%q: tensor<2x1x8xf32>, %keys: tensor<2x32x8xf32>) -> tensor<2x1x8xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %ke = tensor.empty() : tensor<2x17x8xf32>
  %k = linalg.generic {indexing_maps = [affine_map<(h, j, d) -> (h, j, d)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%ke : tensor<2x17x8xf32>) {
  ^bb0(%out: f32):
    %h = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = linalg.index 2 : index
    %is = arith.cmpi ult, %j, %c16 : index
    %x = scf.if %is -> (f32) {
      %j2 = arith.muli %j, %c2 : index
      %old = tensor.extract %keys[%h, %j2, %d] : tensor<2x32x8xf32>
      scf.yield %old : f32
    } else {
      %i = arith.subi %j, %c16 : index
      %new = tensor.extract %q[%h, %i, %d] : tensor<2x1x8xf32>
      scf.yield %new : f32
    }
    linalg.yield %x : f32
  } -> tensor<2x17x8xf32>
  %e = tensor.empty() : tensor<2x1x8xf32>
  %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x1x8xf32>, tensor<2x17x8xf32>, tensor<2x17x8xf32>) outs(%e : tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  return %o : tensor<2x1x8xf32>
}
