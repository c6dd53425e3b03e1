// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-lower-to-vector | FileCheck %s

// The sum of a chunk, and its powers around its own mean, in f64, while the next
// chunk is asked for; then all chunks in order.
// CHECK-LABEL: @kurtosis
// CHECK: %[[PARTS:.*]] = memref.alloc({{.*}}) {alignment = 64 : i64} : memref<?x?x5xf64>
// CHECK: scf.forall
// CHECK: vector.load %{{.*}} : memref<100x512xf32>, vector<8xf32>
// CHECK: arith.extf %{{.*}} : vector<8xf32> to vector<8xf64>
// CHECK: memref.prefetch
// CHECK: math.fma %{{.*}} : vector<8xf64>
// CHECK: memref.store %{{.*}}, %[[PARTS]]
// CHECK: scf.forall
// CHECK: memref.load %[[PARTS]]
// CHECK: memref.store %{{.*}}, %{{.*}}[] : memref<f32>
// CHECK: memref.dealloc %[[PARTS]]
func.func @kurtosis(%x: memref<100x512xf32>, %y: memref<f32>) {
  attn.statistics kurtosis schedule(#attn.statistics_schedule<chunks = 32, lines = 8, columns = 4096, lanes = 8, unroll = 4>)
      ins(%x : memref<100x512xf32>) outs(%y : memref<f32>)
  return
}

// Magnitudes are compared as integers, where NaN is the largest.
// CHECK-LABEL: @largest
// CHECK: vector.load %{{.*}} : memref<8x5000xbf16>, vector<16xbf16>
// CHECK: math.absf
// CHECK: arith.maxui %{{.*}} : vector<16xi32>
// CHECK: vector.maskedload
// CHECK: memref.store %{{.*}} : memref<8xf32>
func.func @largest(%x: memref<8x5000xbf16>, %y: memref<8xf32>) {
  attn.statistics infinity_norm axes [1] schedule(#attn.statistics_schedule<chunks = 32, lines = 1, columns = 8192, lanes = 16, unroll = 4>)
      ins(%x : memref<8x5000xbf16>) outs(%y : memref<8xf32>)
  return
}
