// RUN: attn-opt %s --attn-decompose --canonicalize --cse | FileCheck %s

// What n counts, by log_length with base 2: the argument of the logarithm.

// The number of keys, here known: log2(6) / 8.
// CHECK-LABEL: @keys
// CHECK: arith.constant 0.323120326 : f32
func.func @keys(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.log_length<base = 2.0, n = keys>) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// With kv lengths, the batch's, which is taken to lie in [0, 6].
// CHECK-LABEL: @kv_lengths
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: %[[E:.*]] = tensor.extract %arg3[%{{.*}}] : tensor<2xi32>
// CHECK: %[[L:.*]] = arith.index_cast %[[E]] : i32 to index
// CHECK: %[[BELOW:.*]] = arith.minsi %[[L]], %c6 : index
// CHECK: %[[N:.*]] = arith.maxsi %[[BELOW]], %c0 : index
// CHECK: %[[AT_LEAST:.*]] = arith.maxsi %[[N]], %c1 : index
// CHECK: arith.index_cast %[[AT_LEAST]] : index to i64
// CHECK: math.log
func.func @kv_lengths(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>, %l: tensor<2xi32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.log_length<base = 2.0, n = keys>) softmax(#attn.softmax) masks [#attn.kv_lengths]
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>) params(%l : tensor<2xi32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// i + 1.
// CHECK-LABEL: @position_top_left
// CHECK: %[[I:.*]] = linalg.index 1
// CHECK: %[[N:.*]] = arith.addi %[[I]], %c1 : index
// CHECK: %[[AT_LEAST:.*]] = arith.maxsi %[[N]], %c1 : index
// CHECK: arith.index_cast %[[AT_LEAST]] : index to i64
// CHECK: math.log
func.func @position_top_left(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.log_length<base = 2.0, n = position>) softmax(#attn.softmax) align(top_left)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// i + 6 - 4 + 1.
// CHECK-LABEL: @position_bottom_right
// CHECK: %[[I:.*]] = linalg.index 1
// CHECK: %[[N:.*]] = arith.addi %[[I]], %c3 : index
// CHECK: %[[AT_LEAST:.*]] = arith.maxsi %[[N]], %c1 : index
// CHECK: arith.index_cast %[[AT_LEAST]] : index to i64
// CHECK: math.log
func.func @position_bottom_right(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.log_length<base = 2.0, n = position>) softmax(#attn.softmax) align(bottom_right)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// The position is given.
// CHECK-LABEL: @position_operand
// CHECK: %[[I:.*]] = linalg.index 1
// CHECK: %[[E:.*]] = tensor.extract %arg3[%[[I]]] : tensor<4xi64>
// CHECK: %[[P:.*]] = arith.index_cast %[[E]] : i64 to index
// CHECK: %[[AT_MOST:.*]] = arith.minsi %[[P]], %c2147483646 : index
// CHECK: %[[N:.*]] = arith.addi %[[AT_MOST]], %c1 : index
// CHECK: %[[AT_LEAST:.*]] = arith.maxsi %[[N]], %c1 : index
// CHECK: arith.index_cast %[[AT_LEAST]] : index to i64
// CHECK: math.log
func.func @position_operand(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>, %p: tensor<4xi64>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.log_length<base = 2.0, n = position_operand>) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>) params(%p : tensor<4xi64>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// Positions restart where the row's segment starts: the smallest key of the same id.
// A row whose id no key has counts from itself.
// CHECK-LABEL: @position_in_segment
// CHECK-DAG: %[[NONE:.*]] = arith.constant 9223372036854775807 : index
// CHECK: linalg.generic
// CHECK: %[[STARTS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4xindex>)
// CHECK: ^bb0({{.*}}%[[OLD:[a-z0-9_]*]]: index):
// CHECK: %[[SAME:.*]] = arith.cmpi eq
// CHECK: %[[LEAST:.*]] = arith.minsi %[[OLD]], %{{.*}} : index
// CHECK: arith.select %[[SAME]], %[[LEAST]], %[[OLD]] : index
// CHECK: linalg.generic {{.*}} ins(%[[STARTS]] : tensor<2x4xindex>)
// CHECK: ^bb0(%[[S:.*]]: index, %{{.*}}: f32):
// CHECK: %[[I:.*]] = linalg.index 1
// CHECK: %[[P:.*]] = arith.addi %[[I]], %c1 : index
// CHECK: %[[FOUND:.*]] = arith.cmpi ne, %[[S]], %[[NONE]] : index
// CHECK: %[[FROM:.*]] = arith.select %[[FOUND]], %[[S]], %[[I]] : index
// CHECK: %[[N:.*]] = arith.subi %[[P]], %[[FROM]] : index
// CHECK: %[[AT_LEAST:.*]] = arith.maxsi %[[N]], %c1 : index
// CHECK: arith.index_cast %[[AT_LEAST]] : index to i64
// CHECK: math.log
func.func @position_in_segment(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>, %a: tensor<4xi32>, %b: tensor<6xi32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.log_length<base = 2.0, n = position>) softmax(#attn.softmax) align(top_left) masks [#attn.segment_ids]
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>) params(%a, %b : tensor<4xi32>, tensor<6xi32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// min(i + 1, 6) - max(i - 2, 0).
// CHECK-LABEL: @visible
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: %[[I:.*]] = linalg.index 1
// CHECK-DAG: %[[P:.*]] = arith.addi %[[I]], %c1 : index
// CHECK-DAG: %[[LEFT:.*]] = arith.subi %[[I]], %c2 : index
// CHECK-DAG: %[[LOWER:.*]] = arith.maxsi %[[LEFT]], %c0 : index
// CHECK: %[[N:.*]] = arith.subi %{{.*}}, %[[LOWER]] : index
// CHECK: %[[AT_LEAST:.*]] = arith.maxsi %[[N]], %c1 : index
// CHECK: arith.index_cast %[[AT_LEAST]] : index to i64
// CHECK: math.log
func.func @visible(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.log_length<base = 2.0, n = visible>) softmax(#attn.softmax) align(top_left) masks [#attn.causal, #attn.window<left = 2, right = 0>]
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// L / 2 = 1024, a number: log2(1024) / 8.
// CHECK-LABEL: @half_max
// CHECK: arith.constant 1.250000e+00 : f32
func.func @half_max(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.log_length<base = 2.0, n = half_max(2048)>) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}
