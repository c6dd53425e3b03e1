// RUN: attn-opt %s --attn-decompose --canonicalize --cse | FileCheck %s

// The order of the steps: scores, maximum, weights, sums, values, end of rows.
// The output is written into the given destination; layouts stay as they are
// and grouped heads are index arithmetic, so nothing is transposed or copied.
// CHECK-DAG: #[[Q:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>
// CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1 floordiv 4, d4)>
// CHECK-DAG: #[[S:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>

// CHECK-LABEL: @grouped_heads
// CHECK-SAME: (%[[QUERY:[^:]*]]: tensor<?x?x8x64xf32>, %[[KEY:[^:]*]]: tensor<?x?x2x64xf32>, %[[VALUE:[^:]*]]: tensor<?x?x2x32xf32>, %[[DEST:[^:]*]]: tensor<?x?x8x32xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {indexing_maps = [#[[Q]], #[[K]], #[[S]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%[[QUERY]], %[[KEY]] :
// CHECK: linalg.generic {indexing_maps = [#[[ID]]],
// CHECK: %[[MAX:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK: arith.cmpf ogt
// CHECK: %[[WEIGHTS:.*]] = linalg.generic {{.*}} ins(%[[MAX]] :
// CHECK: math.exp
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[WEIGHTS]] :
// CHECK: %[[ACC:.*]] = linalg.generic {indexing_maps = [#[[S]], #[[K]], #{{.*}}], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%[[WEIGHTS]], %[[VALUE]] :
// CHECK: %[[FACTOR:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]}
// CHECK: %[[RESULT:.*]] = linalg.generic {indexing_maps = [#[[ID]], #{{.*}}, #[[OUT]]], {{.*}} ins(%[[ACC]], %[[FACTOR]] : {{.*}} outs(%[[DEST]] :
// CHECK: return %[[RESULT]]
func.func @grouped_heads(%q: tensor<?x?x8x64xf32>, %k: tensor<?x?x2x64xf32>, %v: tensor<?x?x2x32xf32>, %o: tensor<?x?x8x32xf32>) -> tensor<?x?x8x32xf32> {
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      indexing_maps [affine_map<(b, h, m, n, d, e) -> (b, m, h, d)>, affine_map<(b, h, m, n, d, e) -> (b, n, h floordiv 4, d)>,
                     affine_map<(b, h, m, n, d, e) -> (b, n, h floordiv 4, e)>, affine_map<(b, h, m, n, d, e) -> (b, m, h, e)>]
      ins(%q, %k, %v : tensor<?x?x8x64xf32>, tensor<?x?x2x64xf32>, tensor<?x?x2x32xf32>)
      outs(%o : tensor<?x?x8x32xf32>) -> tensor<?x?x8x32xf32>
  return %0 : tensor<?x?x8x32xf32>
}

// Narrow elements are widened when read and rounded once, at the end; scores,
// weights, sums and lse are f32.
// CHECK-LABEL: @narrow
// CHECK: ^bb0(%[[A:.*]]: bf16, %[[B:.*]]: bf16, %{{.*}}: f32):
// CHECK-DAG: arith.extf %[[A]] : bf16 to f32
// CHECK-DAG: arith.extf %[[B]] : bf16 to f32
// CHECK-NOT: arith.truncf
// CHECK: %[[END:.*]]:2 = linalg.generic {{.*}} outs(%{{.*}}, %arg3 : tensor<2x4xf32>, tensor<2x4xf32>)
// CHECK: %[[Z:.*]] = math.log
// CHECK-NEXT: arith.addf %{{.*}}, %[[Z]] : f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @narrow(%q: tensor<2x4x64xbf16>, %k: tensor<2x6x64xbf16>, %o: tensor<2x4x64xbf16>, %l: tensor<2x4xf32>) -> (tensor<2x4x64xbf16>, tensor<2x4xf32>) {
  %0:2 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xbf16>, tensor<2x6x64xbf16>, tensor<2x6x64xbf16>)
      outs(%o, %l : tensor<2x4x64xbf16>, tensor<2x4xf32>) -> tensor<2x4x64xbf16>, tensor<2x4xf32>
  return %0#0, %0#1 : tensor<2x4x64xbf16>, tensor<2x4xf32>
}

// f64 stays f64 throughout.
// CHECK-LABEL: @double
// CHECK-NOT: f32
// CHECK: return
func.func @double(%q: tensor<2x4x64xf64>, %k: tensor<2x6x64xf64>, %o: tensor<2x4x64xf64>) -> tensor<2x4x64xf64> {
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax1)
      ins(%q, %k, %k : tensor<2x4x64xf64>, tensor<2x6x64xf64>, tensor<2x6x64xf64>)
      outs(%o : tensor<2x4x64xf64>) -> tensor<2x4x64xf64>
  return %0 : tensor<2x4x64xf64>
}

// Cosine similarity: rows of query and key times 1 / max(norm, eps), once a row;
// a zero row stays zero. The key has its own heads, each of which is normalised
// once.
// CHECK-LABEL: @cosine
// CHECK-DAG: %[[EPS:.*]] = arith.constant 9.99999997E-7 : f32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<4x5x64xf32>)
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} outs(%{{.*}} : tensor<4x5xf32>)
// CHECK: ^bb0(%[[SQUARES:.*]]: f32):
// CHECK-NEXT: %[[ROOT:.*]] = math.sqrt %[[SQUARES]] : f32
// CHECK-NEXT: %[[BELOW:.*]] = arith.cmpf ogt, %[[EPS]], %[[ROOT]] : f32
// CHECK-NEXT: %[[NORM:.*]] = arith.select %[[BELOW]], %[[EPS]], %[[ROOT]] : f32
// CHECK-NEXT: %[[IS_ZERO:.*]] = arith.cmpf oeq, %[[NORM]], %[[ZERO]] : f32
// CHECK-NEXT: %[[INVERSE:.*]] = arith.divf %[[ONE]], %[[NORM]] : f32
// CHECK-NEXT: arith.select %[[IS_ZERO]], %[[ZERO]], %[[INVERSE]] : f32
// CHECK: linalg.generic {{.*}} ins(%arg0, %{{.*}} : tensor<4x5x64xf32>, tensor<4x5xf32>)
// CHECK: ^bb0(%[[X:.*]]: f32, %[[FACTOR:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.mulf %[[X]], %[[FACTOR]] : f32
// CHECK: linalg.generic {{.*}} ins(%arg1, %{{.*}} : tensor<2x6x64xf32>, tensor<2x6xf32>)
func.func @cosine(%q: tensor<4x5x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<4x5x64xf32>) -> tensor<4x5x64xf32> {
  %0 = attn.attention scale(#attn.constant<10.0>) similarity(#attn.cosine<eps = 1.0e-6, mode = max_norm>) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<4x5x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<4x5x64xf32>) -> tensor<4x5x64xf32>
  return %0 : tensor<4x5x64xf32>
}
