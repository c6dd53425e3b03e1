// RUN: attn-opt %s --attn-host-to-llvm --split-input-file --verify-diagnostics

// The first op that has no conversion is named.

func.func @rank(%x: vector<4x8xf32>, %y: vector<4xf32>) -> vector<4xf32> {
  // expected-error @below {{failed to legalize operation 'vector.multi_reduction'}}
  %0 = vector.multi_reduction <add>, %x, %y [1] : vector<4x8xf32> to vector<4xf32>
  return %0 : vector<4xf32>
}

// -----

func.func @metadata(%x: memref<?x8xf32, strided<[?, 1], offset: ?>>, %i: index) -> memref<4x8xf32, strided<[?, 1], offset: ?>> {
  // expected-error @below {{failed to legalize operation 'memref.subview'}}
  %0 = memref.subview %x[%i, 0] [4, 8] [1, 1] : memref<?x8xf32, strided<[?, 1], offset: ?>> to memref<4x8xf32, strided<[?, 1], offset: ?>>
  return %0 : memref<4x8xf32, strided<[?, 1], offset: ?>>
}
