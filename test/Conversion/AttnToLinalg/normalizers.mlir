// RUN: attn-opt %s --attn-decompose --canonicalize --cse | FileCheck %s

// The end of a row for each normaliser. With Z the sum of weights relative to
// the maximum m, e0 enters relative to max(m, log e0).

// Nothing enters; where no key is visible Z is 0, and so is the factor on acc.
// CHECK-LABEL: @softmax
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %[[Z:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[EMPTY:.*]] = arith.cmpf oeq, %[[Z]], %[[ZERO]] : f32
// CHECK-NEXT: %[[Q:.*]] = arith.divf %[[ONE]], %[[Z]] : f32
// CHECK-NEXT: arith.select %[[EMPTY]], %[[ZERO]], %[[Q]] : f32
func.func @softmax(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>, %m: tensor<4x6xi1>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax) masks [#attn.dense_mask]
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>) params(%m : tensor<4x6xi1>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// log e0 = 0.
// CHECK-LABEL: @softmax1
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(
// CHECK-NEXT: ^bb0(%[[M:.*]]: f32, %[[SUM:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[GREATER:.*]] = arith.cmpf ogt, %[[ZERO]], %[[M]] : f32
// CHECK-NEXT: %[[TOP:.*]] = arith.select %[[GREATER]], %[[ZERO]], %[[M]] : f32
// CHECK-NEXT: %[[NONE:.*]] = arith.cmpf oeq, %[[TOP]], %[[LOWEST]] : f32
// CHECK-NEXT: %[[BASE:.*]] = arith.select %[[NONE]], %[[ZERO]], %[[TOP]] : f32
// CHECK-NEXT: %[[DM:.*]] = arith.subf %[[M]], %[[BASE]] : f32
// CHECK-NEXT: %[[RM:.*]] = math.exp %[[DM]] : f32
// CHECK-NEXT: %[[SAME:.*]] = arith.cmpf oeq, %[[ZERO]], %[[BASE]] : f32
// CHECK-NEXT: %[[DE:.*]] = arith.subf %[[ZERO]], %[[BASE]] : f32
// CHECK-NEXT: %[[D:.*]] = arith.select %[[SAME]], %[[ZERO]], %[[DE]] : f32
// CHECK-NEXT: %[[E:.*]] = math.exp %[[D]] : f32
// CHECK-NEXT: %[[Z:.*]] = math.fma %[[SUM]], %[[RM]], %[[E]] : f32
// CHECK: arith.divf %[[RM]], %[[Z]] : f32
func.func @softmax1(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax1)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// log 3 = 1.0986.
// CHECK-LABEL: @softmax_n
// CHECK: arith.constant 1.0986{{[0-9]*}} : f32
func.func @softmax_n(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax_n<3.0>)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// t_h, read per head. A sink of +inf takes all the weight.
// CHECK-LABEL: @sink
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[X:.*]] = tensor.extract %arg3[%{{.*}}] : tensor<2xf32>
// CHECK: %[[GREATER:.*]] = arith.cmpf ogt, %[[X]], %[[M:.*]] : f32
// CHECK: %[[TOP:.*]] = arith.select %[[GREATER]], %[[X]], %[[M]] : f32
// CHECK: %[[BASE:.*]] = arith.select %{{.*}}, %[[ZERO]], %[[TOP]] : f32
// CHECK: %[[ALL:.*]] = arith.cmpf oeq, %[[X]], %[[BASE]] : f32
// CHECK: %[[D:.*]] = arith.subf %[[X]], %[[BASE]] : f32
// CHECK: %[[P:.*]] = arith.select %[[ALL]], %[[ZERO]], %[[D]] : f32
// CHECK: math.exp %[[P]] : f32
func.func @sink(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>, %t: tensor<2xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.none) softmax(#attn.sink)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>) params(%t : tensor<2xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}
