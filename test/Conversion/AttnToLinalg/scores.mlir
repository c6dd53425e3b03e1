// RUN: attn-opt %s --attn-decompose --canonicalize --cse | FileCheck %s

// What happens to a scaled score: softcap, biases, region, masks, in this order.

// c tanh(s / c). The sum is f64, so that it has its sign where f32 has no number
// for it.
// CHECK-LABEL: @softcap
// CHECK-DAG: %[[CAP:.*]] = arith.constant 3.000000e+01 : f32
// CHECK-DAG: %[[INV:.*]] = arith.constant 0.0333333351 : f32
// CHECK-DAG: %[[SCALE:.*]] = arith.constant 1.250000e-01 : f32
// CHECK-DAG: %[[MAX:.*]] = arith.constant 3.40282347E+38 : f32
// CHECK: arith.addf %{{.*}} : f64
// CHECK: %[[X:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: arith.cmpf olt, %[[MAX]], %[[X]]
// CHECK: arith.cmpf ogt
// CHECK: %[[S:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK-NEXT: %[[A:.*]] = arith.mulf %[[S]], %[[SCALE]]
// CHECK-NEXT: %[[B:.*]] = arith.mulf %[[A]], %[[INV]]
// CHECK-NEXT: %[[T:.*]] = math.tanh %[[B]]
// CHECK-NEXT: %[[R:.*]] = arith.mulf %[[T]], %[[CAP]]
// CHECK-NEXT: linalg.yield %[[R]]
func.func @softcap(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) softcap(30.0)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// A bias of rank 2 takes (row, key); it is added after the softcap.
// CHECK-LABEL: @dense_bias
// CHECK-DAG: %[[I:.*]] = linalg.index 1
// CHECK-DAG: %[[J:.*]] = linalg.index 2
// CHECK: %[[T:.*]] = math.tanh
// CHECK: %[[D:.*]] = arith.mulf %[[T]]
// CHECK: %[[E:.*]] = tensor.extract %arg3[%[[I]], %[[J]]] : tensor<4x6xf16>
// CHECK: %[[W:.*]] = arith.extf %[[E]] : f16 to f32
// CHECK: arith.addf %[[D]], %[[W]] : f32
func.func @dense_bias(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>, %b: tensor<4x6xf16>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) bias [#attn.dense_bias] softcap(2.0)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>) params(%b : tensor<4x6xf16>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// -slope |i + 6 - 4 - j|. Of 2 heads the exponents are -8 (h + 1) / 2, and those past
// the largest power of two take every second one of twice as many.
// CHECK-LABEL: @alibi
// CHECK-DAG: %[[H:.*]] = linalg.index 0
// CHECK-DAG: %[[I:.*]] = linalg.index 1
// CHECK-DAG: %[[J:.*]] = linalg.index 2
// CHECK-DAG: %[[P:.*]] = arith.addi %[[I]], %c2 : index
// CHECK: %[[DIST:.*]] = arith.subi %[[P]], %[[J]] : index
// CHECK: %[[NEG:.*]] = arith.subi %c0, %[[DIST]] : index
// CHECK: %[[ABS:.*]] = arith.maxsi %[[DIST]], %[[NEG]] : index
// CHECK: %[[F:.*]] = arith.sitofp
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[H]], %c2 : index
// CHECK: %[[NUM:.*]] = arith.select %[[IN]], %{{.*}}, %{{.*}} : index
// CHECK: %[[SLOPE:.*]] = math.exp2
// CHECK: %[[DOWN:.*]] = arith.mulf %[[SLOPE]], %{{.*}} : f32
// CHECK: %[[TERM:.*]] = arith.mulf %[[DOWN]], %[[F]] : f32
// CHECK: arith.addf %{{.*}}, %[[TERM]] : f32
func.func @alibi(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) align(bottom_right) bias [#attn.alibi]
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// Slopes that are given are read per head.
// CHECK-LABEL: @alibi_operand
// CHECK-NOT: math.ctlz
// CHECK: tensor.extract %arg3[%{{.*}}] : tensor<2xf32>
// CHECK-NOT: math.ctlz
func.func @alibi_operand(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>, %s: tensor<2xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) align(top_left) bias [#attn.alibi<slopes = operand>]
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>) params(%s : tensor<2xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// The region is cloned with absolute indices.
// CHECK-LABEL: @region
// CHECK-DAG: %[[I:.*]] = linalg.index 1
// CHECK-DAG: %[[J:.*]] = linalg.index 2
// CHECK: %[[S:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: %[[DIAGONAL:.*]] = arith.cmpi eq, %[[I]], %[[J]] : index
// CHECK: %[[R:.*]] = arith.select %[[DIAGONAL]], %{{.*}}, %[[S]] : f32
// CHECK-NEXT: linalg.yield %[[R]] : f32
func.func @region(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %diagonal = arith.cmpi eq, %i, %j : index
        %five = arith.constant 5.0 : f32
        %r = arith.select %diagonal, %five, %s : f32
        attn.yield %r : f32
      } -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// Hidden scores become -inf; the value beside a hidden key becomes 0 before the
// product, because 0 times NaN is NaN.
// CHECK-LABEL: @causal
// CHECK-DAG: %[[HIDDEN:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[VISIBLE:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4x6xi1>)
// CHECK-DAG: %[[I:.*]] = linalg.index 1
// CHECK-DAG: %[[J:.*]] = linalg.index 2
// CHECK: %[[V:.*]] = arith.cmpi sle, %[[J]], %[[I]] : index
// CHECK-NEXT: linalg.yield %[[V]] : i1
// CHECK: %[[SCORES:.*]] = linalg.generic {{.*}} ins(%[[VISIBLE]] : tensor<2x4x6xi1>)
// CHECK: ^bb0(%[[IN:.*]]: i1, %{{.*}}: f32):
// CHECK: arith.select %[[IN]], %{{.*}}, %[[HIDDEN]] : f32
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %arg1, %[[VISIBLE]] :
// CHECK: ^bb0(%{{.*}}: f32, %[[VALUE:.*]]: f32, %[[IN2:.*]]: i1, %{{.*}}: f32):
// CHECK-NEXT: arith.select %[[IN2]], %[[VALUE]], %[[ZERO]] : f32
func.func @causal(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// p - 1 <= j <= p + 2 at p = i + 6 - 4.
// CHECK-LABEL: @window
// CHECK-DAG: %[[I:.*]] = linalg.index 1
// CHECK-DAG: %[[J:.*]] = linalg.index 2
// CHECK-DAG: %[[LEFT:.*]] = arith.addi %[[I]], %c1 : index
// CHECK-DAG: arith.cmpi sge, %[[J]], %[[LEFT]] : index
// CHECK-DAG: %[[RIGHT:.*]] = arith.addi %[[I]], %c4 : index
// CHECK-DAG: arith.cmpi sle, %[[J]], %[[RIGHT]] : index
// CHECK: arith.andi
func.func @window(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) align(bottom_right) masks [#attn.window<left = 1, right = 2>]
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// -1 leaves a side open.
// CHECK-LABEL: @open_window
// CHECK: arith.cmpi sge
// CHECK-NOT: arith.cmpi sle
// CHECK: linalg.yield %{{.*}} : i1
func.func @open_window(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) align(top_left) masks [#attn.window<left = 1, right = -1>]
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// bottom_right counts from the end of the batch's keys: p = i + length - 4.
// CHECK-LABEL: @lengths_and_causal
// CHECK: %[[E:.*]] = tensor.extract %arg3[%{{.*}}] : tensor<2xi64>
// CHECK: %[[L:.*]] = arith.index_cast %[[E]] : i64 to index
// CHECK: %[[MIN:.*]] = arith.minsi %[[L]], %c6 : index
// CHECK: %[[KEYS:.*]] = arith.maxsi %[[MIN]], %c0 : index
// CHECK: %[[SHIFT:.*]] = arith.subi %[[KEYS]], %c4 : index
// CHECK: %[[P:.*]] = arith.addi %{{.*}}, %[[SHIFT]] : index
// CHECK-DAG: arith.cmpi sle, %{{.*}}, %[[P]] : index
// CHECK-DAG: arith.cmpi slt, %{{.*}}, %[[L]] : index
func.func @lengths_and_causal(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>, %l: tensor<2xi64>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) align(bottom_right) masks [#attn.causal, #attn.kv_lengths]
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>) params(%l : tensor<2xi64>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// Ids of rows and keys must agree.
// CHECK-LABEL: @segment_ids
// CHECK: %[[A:.*]] = tensor.extract %arg3[%[[I:.*]]] : tensor<4xi32>
// CHECK: %[[B:.*]] = tensor.extract %arg4[%[[J:.*]]] : tensor<6xi32>
// CHECK: arith.cmpi eq
func.func @segment_ids(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>, %a: tensor<4xi32>, %b: tensor<6xi32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) masks [#attn.segment_ids]
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>) params(%a, %b : tensor<4xi32>, tensor<6xi32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// A byte is true unless it is 0; a size of 1 is read at 0 for all heads.
// CHECK-LABEL: @dense_mask
// CHECK: %[[E:.*]] = tensor.extract %arg3[%c0, %{{.*}}, %{{.*}}] : tensor<1x4x6xi8>
// CHECK: arith.cmpi ne, %[[E]], %c0_i8 : i8
func.func @dense_mask(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>, %m: tensor<1x4x6xi8>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) masks [#attn.dense_mask]
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>) params(%m : tensor<1x4x6xi8>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// An entry of -inf hides, any other is added.
// CHECK-LABEL: @additive_mask
// CHECK-DAG: %[[HIDDEN:.*]] = arith.constant 0xFF800000 : f32
// CHECK: arith.cmpf une, %{{.*}}, %[[HIDDEN]] : f32
// CHECK-NEXT: linalg.yield %{{.*}} : i1
// CHECK: %[[S:.*]] = arith.addf %out,
// CHECK-NEXT: arith.select %{{.*}}, %[[S]], %[[HIDDEN]] : f32
func.func @additive_mask(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>, %m: tensor<4x6xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) masks [#attn.additive_mask]
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>) params(%m : tensor<4x6xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}
