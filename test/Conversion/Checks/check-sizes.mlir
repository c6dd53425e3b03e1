// RUN: attn-opt %s --split-input-file --attn-check-sizes | FileCheck %s
// RUN: attn-opt %s --split-input-file --attn-check-sizes=inside=false | FileCheck %s --check-prefix=ENTRY

// Elementwise ops on tensors tie the sizes of their operands; a sum of rows has
// the sizes of what is not summed. Neither needs an assertion.
// CHECK-LABEL: func.func @operands(
// CHECK-SAME: attn.dim_classes = array<i64: 0, 1>
// CHECK-SAME: attn.dim_classes = array<i64: 0, 1>
// CHECK-SAME: attn.dim_classes = array<i64: 0>
// CHECK-NOT: cf.assert
func.func @operands(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %s = arith.addf %a, %b : tensor<?x?xf32>
  %r = attn.statistics kurtosis axes [1] ins(%s : tensor<?x?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Query heads are twice the heads of the keys: said once for key and value.
// CHECK-LABEL: func.func @heads(
// CHECK: %[[TWICE:.*]] = affine.apply
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[TWICE]]
// CHECK: cf.assert %[[SAME]], "heads: {{.*}}: 'attn.attention': 2 times dimension 1 of input 1 must equal dimension 1 of input 0" {attn.entry_check, attn.status = 5 : i32}
// CHECK-NOT: cf.assert
#q = affine_map<(b, h, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, m, n, d, e) -> (b, h floordiv 2, n, d)>
#v = affine_map<(b, h, m, n, d, e) -> (b, h floordiv 2, n, e)>
#o = affine_map<(b, h, m, n, d, e) -> (b, h, m, e)>
func.func @heads(%q: tensor<1x?x8x16xf32>, %k: tensor<1x?x8x16xf32>, %o: tensor<1x?x8x16xf32>) -> tensor<1x?x8x16xf32> {
  %r = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) indexing_maps [#q, #k, #v, #o]
      ins(%q, %k, %k : tensor<1x?x8x16xf32>, tensor<1x?x8x16xf32>, tensor<1x?x8x16xf32>) outs(%o : tensor<1x?x8x16xf32>) -> tensor<1x?x8x16xf32>
  return %r : tensor<1x?x8x16xf32>
}

// -----

// What a loop carries keeps its size, so the caches behind it are the arguments.
// CHECK-LABEL: func.func @carried(
// CHECK-SAME: attn.dim_classes = array<i64: 0, 1>
// CHECK-SAME: attn.dim_classes = array<i64: 0, 2>
func.func @carried(%k: tensor<?x8xf32>, %v: tensor<?x8xf32>, %row: tensor<1x8xf32>, %n: index) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %k, %b = %v) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
    // CHECK: scf.for
    // CHECK: cf.assert %{{.*}} "carried: {{.*}}: 'tensor.insert_slice': the offset of the slice in dimension 0 must be at least 0 and at most dimension 0 of operand 1 less the size" {attn.status = 9 : i32}
    %x = tensor.insert_slice %row into %a[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<?x8xf32>
    %y = tensor.insert_slice %row into %b[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<?x8xf32>
    scf.yield %x, %y : tensor<?x8xf32>, tensor<?x8xf32>
  }
  %s = linalg.add ins(%r#0, %r#1 : tensor<?x8xf32>, tensor<?x8xf32>) outs(%r#0 : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %s : tensor<?x8xf32>
}

// -----

// The window of a convolution has to lie inside of its input, unless there is
// nothing to compute.
// CHECK-LABEL: func.func @window(
// CHECK: %[[NONE:.*]] = arith.ori
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult
// CHECK: %[[FINE:.*]] = arith.ori %[[NONE]], %[[INSIDE]]
// CHECK: cf.assert %[[FINE]], "window: {{.*}}: 'linalg.conv_1d': the index into dimension 0 of input 0 must be at least 0 and below dimension 0 of input 0" {attn.entry_check, attn.status = 5 : i32}
func.func @window(%x: tensor<?xf32>, %w: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.conv_1d ins(%x, %w : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A position that is an argument's element is looked at before the kernel has
// written anything; it is not the entry's to look at.
// CHECK-LABEL: func.func @position(
// CHECK: tensor.extract
// CHECK: cf.assert %{{.*}} "position: {{.*}}: 'tensor.insert_slice': the offset of the slice {{.*}}" {attn.status = 9 : i32}
// CHECK: tensor.insert_slice
// ENTRY-LABEL: func.func @position(
// ENTRY: cf.assert %{{.*}} "position: {{.*}}: the size of the slice in dimension 0 {{.*}}" {attn.entry_check, attn.status = 5 : i32}
// ENTRY-NOT: cf.assert
func.func @position(%x: tensor<?x4xf32>, %row: tensor<1x4xf32>, %at: tensor<i32>) -> tensor<?x4xf32> {
  %a = tensor.extract %at[] : tensor<i32>
  %i = arith.index_cast %a : i32 to index
  %r = tensor.insert_slice %row into %x[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// An index from data is looked at for each element, one of the loops once.
// CHECK-LABEL: func.func @rows_by_number(
// ENTRY-LABEL: func.func @rows_by_number(
// CHECK: cf.assert %{{.*}} "rows_by_number: {{.*}}: 'tensor.extract': the index into dimension 1 of input 0 {{.*}}" {attn.entry_check, attn.status = 5 : i32}
// CHECK: linalg.generic
// CHECK: arith.cmpi ult
// CHECK-NEXT: cf.assert %{{.*}} "rows_by_number: {{.*}}: 'tensor.extract': the index into dimension 0 of input 0 {{.*}}" {attn.status = 9 : i32}
// CHECK-NOT: cf.assert
func.func @rows_by_number(%t: tensor<?x?xf32>, %i: tensor<?xi64>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<?xi64>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%k: i64, %old: f32):
    %x = arith.index_cast %k : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%x, %j] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Nobody divides by 0, or the smallest number by -1.
// CHECK-LABEL: func.func @quotients(
// CHECK: linalg.generic
// CHECK: cf.assert %{{.*}} "quotients: {{.*}}: 'arith.divsi': the divisor must not be 0" {attn.status = 9 : i32}
// CHECK: cf.assert %{{.*}} "quotients: {{.*}}: 'arith.divsi': the quotient of the smallest number and -1 does not exist" {attn.status = 9 : i32}
// CHECK: arith.divsi
func.func @quotients(%a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?xi32> {
  %r = arith.divsi %a, %b : tensor<?xi32>
  return %r : tensor<?xi32>
}

// -----

// Without a sign no quotient is too large.
// CHECK-LABEL: func.func @unsigned_quotients(
// CHECK: cf.assert %{{.*}} "unsigned_quotients: {{.*}}: 'arith.divui': the divisor must not be 0" {attn.status = 9 : i32}
// CHECK-NOT: cf.assert
// CHECK: arith.divui
func.func @unsigned_quotients(%a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?xi32> {
  %r = arith.divui %a, %b : tensor<?xi32>
  return %r : tensor<?xi32>
}

// -----

// Sizes that are known prove everything.
// CHECK-LABEL: func.func @known(
// CHECK-NOT: cf.assert
func.func @known(%x: tensor<8x4xf32>, %row: tensor<1x4xf32>) -> tensor<8x4xf32> {
  %r = tensor.insert_slice %row into %x[7, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
  %s = arith.addf %r, %x : tensor<8x4xf32>
  return %s : tensor<8x4xf32>
}

// -----

// A slice of no elements may begin anywhere; of another one the first and the last position are inside.
// CHECK-LABEL: func.func @no_elements(
// CHECK-COUNT-2: the size of the slice in dimension 0 must be at least 0
// CHECK: the offset of the slice in dimension 0 must be at least 0 and below
// CHECK: the last position of the slice in dimension 0 must be at least 0 and below
// CHECK-NOT: cf.assert
func.func @no_elements(%x: tensor<?x8xf32>, %i: index) -> (tensor<0x8xf32>, tensor<3x8xf32>) {
  %none = tensor.extract_slice %x[%i, 0] [0, 8] [2, 1] : tensor<?x8xf32> to tensor<0x8xf32>
  %some = tensor.extract_slice %x[%i, 0] [3, 8] [2, 1] : tensor<?x8xf32> to tensor<3x8xf32>
  return %none, %some : tensor<0x8xf32>, tensor<3x8xf32>
}
