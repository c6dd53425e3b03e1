// RUN: attn-opt %s --attn-to-cpu=target=cpu:x86-64-v4 --mlir-print-ir-after=attn-verify-kernel -o /dev/null 2>&1 | FileCheck %s
// RUN: attn-opt %s --attn-to-cpu="target=cpu:x86-64-v4 portable-only" --mlir-print-ir-after=attn-verify-kernel -o /dev/null 2>&1 | FileCheck %s --check-prefix=PORTABLE

// No memory for the sines and cosines of all positions, only of a block; the
// portable path has tables, one number for each position and pair.
// CHECK-NOT: memref.alloc(){{.*}} : memref<2048x
// CHECK: scf.forall
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<32x128xf32>
// CHECK-NOT: memref.alloc(){{.*}} : memref<2048x
// PORTABLE-COUNT-2: memref.alloc() {{.*}}: memref<2048x64xf32>
// PORTABLE-NOT: memref.alloc(){{.*}} : memref<2048x
func.func @rope(%x: tensor<4x8x2048x128xf32>) -> tensor<4x8x2048x128xf32> {
  %e = tensor.empty() : tensor<4x8x2048x128xf32>
  %y = attn.rope pairs(half_split) ins(%x : tensor<4x8x2048x128xf32>) outs(%e : tensor<4x8x2048x128xf32>) -> tensor<4x8x2048x128xf32>
  return %y : tensor<4x8x2048x128xf32>
}
