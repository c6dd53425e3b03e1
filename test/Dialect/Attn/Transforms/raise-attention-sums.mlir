// What is added to a sum of exponentials, by its logarithm or by one more key, and sums that have nothing but fills.

// RUN: attn-opt %s --inline --symbol-dce --canonicalize --cse --attn-raise-attention --canonicalize --cse 2>&1 | FileCheck %s
// RUN: attn-run %s --entry=sum_of_exponentials --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=larger_and_distance --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=infinite_or_not --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=other_distance --check | FileCheck %s --check-prefix=SAME
// RUN: attn-run %s --entry=column_of_zeros --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=whole_maximum --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=half_maximum --check | FileCheck %s --check-prefix=SAME
// RUN: attn-run %s --entry=counted_positions --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=log_softmax --check --remarks | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=logarithm_beside_fills --check | FileCheck %s --check-prefix=SAME

// MATCH: match
// MATCH: [attn-r101] raised to attn.attention
// SAME: match

#mn = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>
#m = affine_map<(m, n) -> (m)>
#m0 = affine_map<(m, n) -> (m, 0)>
#zero = affine_map<(m, n) -> (0)>

// CHECK: remark: [attn-r102] not raised to attn.attention: the extra term of the denominator is not a constant number of keys
// CHECK: remark: [attn-r102] not raised to attn.attention: hidden scores are replaced by a finite number, a row may have no other, and its maximum is not taken from its scores
// CHECK: remark: [attn-r102] not raised to attn.attention: hidden scores are replaced by a finite number, a row may have no other, and is divided by its sum as a logarithm

// The logarithm of the sum of the row and of a sink.
// CHECK-LABEL: @sum_of_exponentials
// CHECK: attn.attention {{.*}} softmax(#attn.sink)
func.func @sum_of_exponentials(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %sink: tensor<1xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %l = call @logsumexp(%s) : (tensor<6x12xf32>) -> tensor<6x1xf32>
  %e_t = tensor.empty() : tensor<6x1xf32>
  %t = linalg.generic {indexing_maps = [#m0, #zero, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%l, %sink : tensor<6x1xf32>, tensor<1xf32>) outs(%e_t : tensor<6x1xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %x = math.exp %a : f32
    %y = math.exp %b : f32
    %z = arith.addf %x, %y : f32
    %r = math.log %z : f32
    linalg.yield %r : f32
  } -> tensor<6x1xf32>
  %e_p = tensor.empty() : tensor<6x12xf32>
  %p = linalg.generic {indexing_maps = [#mn, #m0, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %t : tensor<6x12xf32>, tensor<6x1xf32>) outs(%e_p : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @values(%p, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// The same as frameworks compute it, without large exponentials.
// CHECK-LABEL: @larger_and_distance
// CHECK: attn.attention {{.*}} softmax(#attn.sink)
func.func @larger_and_distance(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %sink: tensor<1xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %l = call @logsumexp(%s) : (tensor<6x12xf32>) -> tensor<6x1xf32>
  %e_t = tensor.empty() : tensor<6x1xf32>
  %t = linalg.generic {indexing_maps = [#m0, #zero, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%l, %sink : tensor<6x1xf32>, tensor<1xf32>) outs(%e_t : tensor<6x1xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %x = arith.maximumf %a, %b : f32
    %d = arith.subf %a, %b : f32
    %n = math.absf %d : f32
    %g = arith.negf %n : f32
    %y = math.exp %g : f32
    %z = math.log1p %y : f32
    %r = arith.addf %x, %z : f32
    linalg.yield %r : f32
  } -> tensor<6x1xf32>
  %e_p = tensor.empty() : tensor<6x12xf32>
  %p = linalg.generic {indexing_maps = [#mn, #m0, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %t : tensor<6x12xf32>, tensor<6x1xf32>) outs(%e_p : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @values(%p, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// PyTorch takes an infinite number as it is.
// CHECK-LABEL: @infinite_or_not
// CHECK: attn.attention {{.*}} softmax(#attn.sink)
func.func @infinite_or_not(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %sink: tensor<1xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %l = call @logsumexp(%s) : (tensor<6x12xf32>) -> tensor<6x1xf32>
  %e_t = tensor.empty() : tensor<6x1xf32>
  %t = linalg.generic {indexing_maps = [#m0, #zero, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%l, %sink : tensor<6x1xf32>, tensor<1xf32>) outs(%e_t : tensor<6x1xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %x = arith.maximumf %a, %b : f32
    %d = arith.subf %a, %b : f32
    %n = math.absf %d : f32
    %g = arith.negf %n : f32
    %y = math.exp %g : f32
    %z = math.log1p %y : f32
    %w = arith.addf %x, %z : f32
    %u = math.absf %x : f32
    %i = arith.constant 0x7F800000 : f32
    %c = arith.cmpf oeq, %u, %i : f32
    %r = arith.select %c, %x, %w : f32
    linalg.yield %r : f32
  } -> tensor<6x1xf32>
  %e_p = tensor.empty() : tensor<6x12xf32>
  %p = linalg.generic {indexing_maps = [#mn, #m0, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %t : tensor<6x12xf32>, tensor<6x1xf32>) outs(%e_p : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @values(%p, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// The distance of the sum from 0, not from the sink.
// CHECK-LABEL: @other_distance
// CHECK-NOT: attn.attention
func.func @other_distance(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %sink: tensor<1xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %l = call @logsumexp(%s) : (tensor<6x12xf32>) -> tensor<6x1xf32>
  %e_t = tensor.empty() : tensor<6x1xf32>
  %t = linalg.generic {indexing_maps = [#m0, #zero, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%l, %sink : tensor<6x1xf32>, tensor<1xf32>) outs(%e_t : tensor<6x1xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %x = arith.maximumf %a, %b : f32
    %d = arith.subf %a, %b : f32
    %n = math.absf %a : f32
    %g = arith.negf %n : f32
    %y = math.exp %g : f32
    %z = math.log1p %y : f32
    %r = arith.addf %x, %z : f32
    linalg.yield %r : f32
  } -> tensor<6x1xf32>
  %e_p = tensor.empty() : tensor<6x12xf32>
  %p = linalg.generic {indexing_maps = [#mn, #m0, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %t : tensor<6x12xf32>, tensor<6x1xf32>) outs(%e_p : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @values(%p, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// A column of zeros is one more key, outside of the mask. That the row is no further than its last key is not what hides
// the column.
// CHECK-LABEL: @column_of_zeros
// CHECK: attn.attention {{.*}} softmax(#attn.softmax1) {{.*}}masks [#attn.causal, #attn.window<left = 2, right = 0>]
func.func @column_of_zeros(%q: tensor<6x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %o0 = arith.constant 0.0 : f32
  %e_k = tensor.empty() : tensor<8x6xf32>
  %kt = linalg.transpose ins(%k : tensor<6x8xf32>) outs(%e_k : tensor<8x6xf32>) permutation = [1, 0]
  %e_s = tensor.empty() : tensor<6x6xf32>
  %i_s = linalg.fill ins(%o0 : f32) outs(%e_s : tensor<6x6xf32>) -> tensor<6x6xf32>
  %s = linalg.matmul ins(%q, %kt : tensor<6x8xf32>, tensor<8x6xf32>) outs(%i_s : tensor<6x6xf32>) -> tensor<6x6xf32>
  %e_t = tensor.empty() : tensor<6x6xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x6xf32>) outs(%e_t : tensor<6x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %two = arith.constant 2 : index
    %d = arith.subi %i, %two : index
    %x = arith.cmpi sge, %j, %d : index
    %y = arith.cmpi sle, %j, %i : index
    %z = arith.andi %x, %y : i1
    %f = arith.constant 0xFF800000 : f32
    %r = arith.select %z, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x6xf32>
  %zero = arith.constant dense<0.0> : tensor<6x1xf32>
  %c = tensor.concat dim(1) %t, %zero : (tensor<6x6xf32>, tensor<6x1xf32>) -> tensor<6x7xf32>
  %e_w = tensor.empty() : tensor<6x7xf32>
  %w = linalg.softmax dimension(1) ins(%c : tensor<6x7xf32>) outs(%e_w : tensor<6x7xf32>) -> tensor<6x7xf32>
  %p = tensor.extract_slice %w[0, 0] [6, 6] [1, 1] : tensor<6x7xf32> to tensor<6x6xf32>
  %e_o = tensor.empty() : tensor<6x4xf32>
  %i_o = linalg.fill ins(%o0 : f32) outs(%e_o : tensor<6x4xf32>) -> tensor<6x4xf32>
  %o = linalg.matmul ins(%p, %v : tensor<6x6xf32>, tensor<6x4xf32>) outs(%i_o : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// Rows of nothing but fills are the mean of the values, so that there is no NaN to replace.
// CHECK-LABEL: @whole_maximum
// CHECK: attn.attention
func.func @whole_maximum(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %two = arith.constant 2 : index
    %d = arith.addi %j, %two : index
    %z = arith.cmpi slt, %d, %i : index
    %f = arith.constant -1.0e+09 : f32
    %r = arith.select %z, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %l = call @maximum(%t) : (tensor<6x12xf32>) -> tensor<6x1xf32>
  %e_w = tensor.empty() : tensor<6x12xf32>
  %w = linalg.generic {indexing_maps = [#mn, #m0, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%t, %l : tensor<6x12xf32>, tensor<6x1xf32>) outs(%e_w : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %n = call @total(%w) : (tensor<6x12xf32>) -> tensor<6x1xf32>
  %e_p = tensor.empty() : tensor<6x12xf32>
  %p = linalg.generic {indexing_maps = [#mn, #m0, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%w, %n : tensor<6x12xf32>, tensor<6x1xf32>) outs(%e_p : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %x = arith.divf %a, %b : f32
    %y = arith.cmpf uno, %x, %x : f32
    %z = arith.constant 0.0 : f32
    %r = arith.select %y, %z, %x : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @values(%p, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// Half of the maximum leaves a sum of 0 there, and a NaN that is replaced.
// CHECK-LABEL: @half_maximum
// CHECK-NOT: attn.attention
func.func @half_maximum(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %two = arith.constant 2 : index
    %d = arith.addi %j, %two : index
    %z = arith.cmpi slt, %d, %i : index
    %f = arith.constant -1.0e+09 : f32
    %r = arith.select %z, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %l = call @maximum(%t) : (tensor<6x12xf32>) -> tensor<6x1xf32>
  %e_w = tensor.empty() : tensor<6x12xf32>
  %w = linalg.generic {indexing_maps = [#mn, #m0, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%t, %l : tensor<6x12xf32>, tensor<6x1xf32>) outs(%e_w : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %h = arith.constant 5.0e-01 : f32
    %x = arith.mulf %b, %h : f32
    %d = arith.subf %a, %x : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %n = call @total(%w) : (tensor<6x12xf32>) -> tensor<6x1xf32>
  %e_p = tensor.empty() : tensor<6x12xf32>
  %p = linalg.generic {indexing_maps = [#mn, #m0, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%w, %n : tensor<6x12xf32>, tensor<6x1xf32>) outs(%e_p : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %x = arith.divf %a, %b : f32
    %y = arith.cmpf uno, %x, %x : f32
    %z = arith.constant 0.0 : f32
    %r = arith.select %y, %z, %x : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @values(%p, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// Rows of nothing but fills, by log softmax.
// CHECK-LABEL: @log_softmax
// CHECK: attn.attention
func.func @log_softmax(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %two = arith.constant 2 : index
    %d = arith.addi %j, %two : index
    %z = arith.cmpi slt, %d, %i : index
    %f = arith.constant -3.40282347E+38 : f32
    %r = arith.select %z, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %m = call @maximum(%t) : (tensor<6x12xf32>) -> tensor<6x1xf32>
  %e_x = tensor.empty() : tensor<6x12xf32>
  %x = linalg.generic {indexing_maps = [#mn, #m0, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%t, %m : tensor<6x12xf32>, tensor<6x1xf32>) outs(%e_x : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %e_w = tensor.empty() : tensor<6x12xf32>
  %w = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<6x12xf32>) outs(%e_w : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %n = call @total(%w) : (tensor<6x12xf32>) -> tensor<6x1xf32>
  %e_p = tensor.empty() : tensor<6x12xf32>
  %p = linalg.generic {indexing_maps = [#mn, #m0, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %n : tensor<6x12xf32>, tensor<6x1xf32>) outs(%e_p : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %g = math.log %b : f32
    %y = arith.subf %a, %g : f32
    %r = math.exp %y : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @values(%p, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// The logarithm of a number of keys is lost beside the fill that it is added to: each weight is 1 there.
// CHECK-LABEL: @logarithm_beside_fills
// CHECK-NOT: attn.attention
func.func @logarithm_beside_fills(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %two = arith.constant 2 : index
    %d = arith.addi %j, %two : index
    %z = arith.cmpi slt, %d, %i : index
    %f = arith.constant -3.40282347E+38 : f32
    %r = arith.select %z, %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %l = call @logsumexp(%t) : (tensor<6x12xf32>) -> tensor<6x1xf32>
  %e_p = tensor.empty() : tensor<6x12xf32>
  %p = linalg.generic {indexing_maps = [#mn, #m0, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%t, %l : tensor<6x12xf32>, tensor<6x1xf32>) outs(%e_p : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %o = call @values(%p, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// The number of keys so far is a sum, too, and no score.
// CHECK-LABEL: @counted_positions
// CHECK: attn.attention {{.*}}bias [#attn.dense_bias]
func.func @counted_positions(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %m: tensor<12xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %f0 = arith.constant 0.0 : f32
  %e_c = tensor.empty() : tensor<12xf32>
  %i_c = linalg.fill ins(%f0 : f32) outs(%e_c : tensor<12xf32>) -> tensor<12xf32>
  %c = linalg.generic {indexing_maps = [#n, #m], iterator_types = ["parallel", "reduction"]}
      ins(%m : tensor<12xf32>) outs(%i_c : tensor<12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %x = arith.cmpi sle, %j, %i : index
    %y = arith.select %x, %a, %f0 : f32
    %z = arith.addf %out, %y : f32
    linalg.yield %z : f32
  } -> tensor<12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %c : tensor<6x12xf32>, tensor<12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %e_p = tensor.empty() : tensor<6x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<6x12xf32>) outs(%e_p : tensor<6x12xf32>) -> tensor<6x12xf32>
  %o = call @values(%p, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// As a factor it is a scale of each key.
// CHECK-LABEL: @counted_scale
// CHECK-NOT: attn.attention
// CHECK: return
func.func @counted_scale(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>, %v: tensor<12x4xf32>, %m: tensor<12xf32>) -> tensor<6x4xf32> {
  %s = call @dot(%q, %k) : (tensor<6x8xf32>, tensor<12x8xf32>) -> tensor<6x12xf32>
  %f0 = arith.constant 0.0 : f32
  %e_c = tensor.empty() : tensor<12xf32>
  %i_c = linalg.fill ins(%f0 : f32) outs(%e_c : tensor<12xf32>) -> tensor<12xf32>
  %c = linalg.generic {indexing_maps = [#n, #m], iterator_types = ["parallel", "reduction"]}
      ins(%m : tensor<12xf32>) outs(%i_c : tensor<12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %x = arith.cmpi sle, %j, %i : index
    %y = arith.select %x, %a, %f0 : f32
    %z = arith.addf %out, %y : f32
    linalg.yield %z : f32
  } -> tensor<12xf32>
  %e_t = tensor.empty() : tensor<6x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %c : tensor<6x12xf32>, tensor<12xf32>) outs(%e_t : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %e_p = tensor.empty() : tensor<6x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<6x12xf32>) outs(%e_p : tensor<6x12xf32>) -> tensor<6x12xf32>
  %o = call @values(%p, %v) : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

func.func private @maximum(%x: tensor<6x12xf32>) -> tensor<6x1xf32> {
  %f = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<6x1xf32>
  %i = linalg.fill ins(%f : f32) outs(%e : tensor<6x1xf32>) -> tensor<6x1xf32>
  %r = linalg.generic {indexing_maps = [#mn, #m0], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<6x12xf32>) outs(%i : tensor<6x1xf32>) {
  ^bb0(%a: f32, %out: f32):
    %b = arith.maximumf %a, %out : f32
    linalg.yield %b : f32
  } -> tensor<6x1xf32>
  return %r : tensor<6x1xf32>
}

func.func private @total(%x: tensor<6x12xf32>) -> tensor<6x1xf32> {
  %f = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x1xf32>
  %i = linalg.fill ins(%f : f32) outs(%e : tensor<6x1xf32>) -> tensor<6x1xf32>
  %r = linalg.generic {indexing_maps = [#mn, #m0], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<6x12xf32>) outs(%i : tensor<6x1xf32>) {
  ^bb0(%a: f32, %out: f32):
    %b = arith.addf %a, %out : f32
    linalg.yield %b : f32
  } -> tensor<6x1xf32>
  return %r : tensor<6x1xf32>
}

func.func private @logsumexp(%s: tensor<6x12xf32>) -> tensor<6x1xf32> {
  %m = call @maximum(%s) : (tensor<6x12xf32>) -> tensor<6x1xf32>
  %e_w = tensor.empty() : tensor<6x12xf32>
  %w = linalg.generic {indexing_maps = [#mn, #m0, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %m : tensor<6x12xf32>, tensor<6x1xf32>) outs(%e_w : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<6x12xf32>
  %n = call @total(%w) : (tensor<6x12xf32>) -> tensor<6x1xf32>
  %e_l = tensor.empty() : tensor<6x1xf32>
  %l = linalg.generic {indexing_maps = [#m0, #m0, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%n, %m : tensor<6x1xf32>, tensor<6x1xf32>) outs(%e_l : tensor<6x1xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %x = math.log %a : f32
    %r = arith.addf %x, %b : f32
    linalg.yield %r : f32
  } -> tensor<6x1xf32>
  return %l : tensor<6x1xf32>
}

func.func private @dot(%q: tensor<6x8xf32>, %k: tensor<12x8xf32>) -> tensor<6x12xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x12xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<6x12xf32>) -> tensor<6x12xf32>
  %kt = tensor.empty() : tensor<8x12xf32>
  %t = linalg.transpose ins(%k : tensor<12x8xf32>) outs(%kt : tensor<8x12xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %t : tensor<6x8xf32>, tensor<8x12xf32>) outs(%i : tensor<6x12xf32>) -> tensor<6x12xf32>
  return %s : tensor<6x12xf32>
}

func.func private @values(%p: tensor<6x12xf32>, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>
  %o = linalg.matmul ins(%p, %v : tensor<6x12xf32>, tensor<12x4xf32>) outs(%i : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}
