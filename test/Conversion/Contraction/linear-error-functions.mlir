// An error function of the sum may be less accurate far below 0 (afn), and keeps the flags that it had. One of an extra alone,
// whose digits may all be good, may not.

// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-lower-contractions | FileCheck %s

// CHECK-LABEL: @layer
// CHECK: math.erf %{{[0-9]+}} fastmath<nnan,afn> : vector<32xf32>
// CHECK: math.erfc %{{[0-9]+}} : vector<32xf32>
// CHECK: math.erfc %{{[0-9]+}} fastmath<afn> : vector<32xf32>
// CHECK: math.exp %{{[0-9]+}} : vector<32xf32>
func.func @layer(%x: memref<32x64xf32>, %w: memref<64x32xf32>, %r: memref<32x32xf32>, %y: memref<32x32xf32>) {
  attn.linear schedule(#attn.contraction_schedule<rows = 32, depth = 64, panels = 1, lanes = 16, mr = 8, nr = 2>)
      ins(%x, %w : memref<32x64xf32>, memref<64x32xf32>) extras(%r : memref<32x32xf32>) outs(%y : memref<32x32xf32>) epilogue {
  ^bb0(%s: f32, %e: f32):
    %a = math.erf %s fastmath<nnan> : f32
    %b = math.erfc %e : f32
    %c = arith.mulf %a, %b : f32
    %d = math.erfc %c : f32
    %f = math.exp %d : f32
    attn.yield %f : f32
  }
  return
}
