// RUN: attn-opt %s --attn-decompose --canonicalize --cse | FileCheck %s

// Each scale policy as arithmetic, a constant where lambda is a number. What
// depends on n is computed once per row.

// lambda = 1: similarities are the scores.
// CHECK-LABEL: @none
// CHECK: %[[S:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 :
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[S]] :
func.func @none(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// 1 / sqrt(64).
// CHECK-LABEL: @inv_sqrt_dim
// CHECK-DAG: %[[C:.*]] = arith.constant 1.250000e-01 : f32
// CHECK: arith.mulf %{{.*}}, %[[C]] : f32
func.func @inv_sqrt_dim(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// d is not known: a root at run time, of 1 at least.
// CHECK-LABEL: @inv_sqrt_dim_dynamic
// CHECK: %[[D:.*]] = tensor.dim %arg0
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: %[[MAX:.*]] = arith.maxsi %[[D]], %c1 : index
// CHECK: %[[I:.*]] = arith.index_cast %[[MAX]] : index to i64
// CHECK: %[[F:.*]] = arith.sitofp %[[I]] : i64 to f32
// CHECK: %[[R:.*]] = math.sqrt %[[F]] : f32
// CHECK: arith.divf %{{.*}}, %[[R]] : f32
func.func @inv_sqrt_dim_dynamic(%q: tensor<2x4x?xf32>, %k: tensor<2x6x?xf32>, %o: tensor<2x4x?xf32>) -> tensor<2x4x?xf32> {
  %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x?xf32>, tensor<2x6x?xf32>, tensor<2x6x?xf32>)
      outs(%o : tensor<2x4x?xf32>) -> tensor<2x4x?xf32>
  return %0 : tensor<2x4x?xf32>
}

// 1 / 64.
// CHECK-LABEL: @inv_dim
// CHECK-DAG: %[[C:.*]] = arith.constant 1.562500e-02 : f32
// CHECK: arith.mulf %{{.*}}, %[[C]] : f32
func.func @inv_dim(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.inv_dim) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// Negative numbers are legal.
// CHECK-LABEL: @constant
// CHECK-DAG: %[[C:.*]] = arith.constant -5.000000e-01 : f32
// CHECK: arith.mulf %{{.*}}, %[[C]] : f32
func.func @constant(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.constant<-0.5>) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// One number per (head, row) is read where the row is.
// CHECK-LABEL: @operand
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK-DAG: %[[H:.*]] = linalg.index 0
// CHECK-DAG: %[[I:.*]] = linalg.index 1
// CHECK: tensor.extract %arg3[%[[H]], %[[I]]] : tensor<2x4xf32>
func.func @operand(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>, %c: tensor<2x4xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.operand) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>) params(%c : tensor<2x4xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// A param of a narrow type is widened.
// CHECK-LABEL: @learned
// CHECK: %[[E:.*]] = tensor.extract %arg3[%{{.*}}] : tensor<2xbf16>
// CHECK: arith.extf %[[E]] : bf16 to f32
func.func @learned(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>, %c: tensor<2xbf16>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.learned) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>) params(%c : tensor<2xbf16>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// kappa log(4) / 64 with kappa per head.
// CHECK-LABEL: @entropy_invariant
// CHECK-DAG: %[[LOG:.*]] = arith.constant 1.38629436 : f32
// CHECK-DAG: %[[D:.*]] = arith.constant 1.562500e-02 : f32
// CHECK: %[[K:.*]] = tensor.extract %arg3[%{{.*}}] : tensor<2xf32>
// CHECK: %[[P:.*]] = arith.mulf %[[K]], %[[LOG]] : f32
// CHECK: arith.mulf %[[P]], %[[D]] : f32
func.func @entropy_invariant(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>, %kappa: tensor<2xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.entropy_invariant<n = constant(4)>) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>) params(%kappa : tensor<2xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// 512 keys at base 512: log_512(512) / sqrt(64).
// CHECK-LABEL: @log_length_static
// CHECK: arith.constant 1.250000e-01 : f32
// CHECK-NOT: math.log 
func.func @log_length_static(%q: tensor<2x4x64xf32>, %k: tensor<2x512x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.log_length<base = 512.0, n = keys>) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x512x64xf32>, tensor<2x512x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// n is known at run time: log(max(n, 1)) / log(512) / sqrt(64), once per row.
// CHECK-LABEL: @log_length_dynamic
// CHECK-DAG: %[[BASE:.*]] = arith.constant 0.16029945 : f32
// CHECK-DAG: %[[ROOT:.*]] = arith.constant 1.250000e-01 : f32
// CHECK: %[[N:.*]] = tensor.dim %arg1
// CHECK: %[[AT_LEAST:.*]] = arith.maxsi %[[N]], %c1 : index
// CHECK: %[[L:.*]] = math.log %{{.*}} : f32
// CHECK: %[[Q:.*]] = arith.mulf %[[L]], %[[BASE]] : f32
// CHECK: %[[LAMBDA:.*]] = arith.mulf %[[Q]], %[[ROOT]] : f32
// CHECK: linalg.yield %[[LAMBDA]] : f32
// CHECK-NEXT: -> tensor<2x4xf32>
func.func @log_length_dynamic(%q: tensor<2x4x64xf32>, %k: tensor<2x?x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.log_length<base = 512.0, n = keys>) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// 2.5 / sqrt(64).
// CHECK-LABEL: @gradient_max_blind
// CHECK-DAG: %[[C:.*]] = arith.constant 3.125000e-01 : f32
// CHECK: arith.mulf %{{.*}}, %[[C]] : f32
func.func @gradient_max_blind(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.gradient_max_blind) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// 0.84 sqrt(log n) / sqrt(64).
// CHECK-LABEL: @gradient_max_fit_normal
// CHECK-DAG: %[[ROOT:.*]] = arith.constant 1.250000e-01 : f32
// CHECK-DAG: %[[FACTOR:.*]] = arith.constant 0.839999973 : f32
// CHECK: %[[L:.*]] = math.log
// CHECK: %[[S:.*]] = math.sqrt %[[L]] : f32
// CHECK: %[[A:.*]] = arith.mulf %[[S]], %[[FACTOR]] : f32
// CHECK: arith.mulf %[[A]], %[[ROOT]] : f32
func.func @gradient_max_fit_normal(%q: tensor<2x4x64xf32>, %k: tensor<2x?x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.gradient_max_fit<scores = normal, n = keys>) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// c_64 log(1024): 2.7069 * 6.9315.
// CHECK-LABEL: @gradient_max_fit_cosine
// CHECK: arith.constant 18.76{{[0-9]*}} : f32
func.func @gradient_max_fit_cosine(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.gradient_max_fit<scores = cosine, n = half_max(2048)>) similarity(#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// alpha*(512) / sqrt(64) = 2.008395 / 8.
// CHECK-LABEL: @gradient_max_normal
// CHECK: arith.constant 0.25104937 : f32
func.func @gradient_max_normal(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.gradient_max<scores = normal, n = constant(512)>) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// Five Newton steps for the Lambert function, and 0 where n is 1.
// CHECK-LABEL: @gradient_max_normal_dynamic
// CHECK-DAG: %[[STEPS:.*]] = arith.constant 5 : index
// CHECK-COUNT-2: math.log %
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[STEPS]] step %{{.*}} iter_args(%[[W:.*]] = %
// CHECK-NEXT: math.log %[[W]]
// CHECK: scf.yield
// CHECK: %[[N1:.*]] = arith.cmpi sle, %{{.*}}, %{{.*}} : i64
// CHECK: %[[S:.*]] = math.sqrt
// CHECK: arith.select %[[N1]], %{{.*}}, %[[S]] : f32
func.func @gradient_max_normal_dynamic(%q: tensor<2x4x64xf32>, %k: tensor<2x?x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.gradient_max<scores = normal, n = keys>) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// alpha*(1024) at d = 64 is 19.7651.
// CHECK-LABEL: @gradient_max_cosine
// CHECK: arith.constant 19.765{{[0-9]*}} : f32
func.func @gradient_max_cosine(%q: tensor<2x4x64xf32>, %k: tensor<2x6x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.gradient_max<scores = cosine, n = constant(1024)>) similarity(#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x6x64xf32>, tensor<2x6x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}

// A series in log n, whose value is log alpha*: one logarithm, one exponential,
// in f64 because the exponential multiplies errors.
// CHECK-LABEL: @gradient_max_cosine_dynamic
// CHECK: %[[L:.*]] = math.log %
// CHECK: %[[T:.*]] = math.fma %[[L]],
// CHECK: %[[SUM:.*]]:3 = scf.for
// CHECK: tensor.extract %{{.*}} : tensor<47xf64>
// CHECK-COUNT-2: math.fma
// CHECK: scf.yield
// CHECK: %[[A:.*]] = math.exp %[[SUM]]#2
// CHECK: %[[ALPHA:.*]] = arith.select %{{.*}}, %{{.*}}, %[[A]] : f64
// CHECK-NEXT: arith.truncf %[[ALPHA]] : f64 to f32
func.func @gradient_max_cosine_dynamic(%q: tensor<2x4x64xf32>, %k: tensor<2x?x64xf32>, %o: tensor<2x4x64xf32>) -> tensor<2x4x64xf32> {
  %0 = attn.attention scale(#attn.gradient_max<scores = cosine, n = keys>) similarity(#attn.cosine<eps = 1.0e-6, mode = rsqrt_sum>) softmax(#attn.softmax)
      ins(%q, %k, %k : tensor<2x4x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>)
      outs(%o : tensor<2x4x64xf32>) -> tensor<2x4x64xf32>
  return %0 : tensor<2x4x64xf32>
}
