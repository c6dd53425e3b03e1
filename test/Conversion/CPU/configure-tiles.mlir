// RUN: attn-opt %s --split-input-file --attn-configure-tiles | FileCheck %s

// A body of a parallel loop configures the unit once, before the first of its ops that uses tiles, and releases it behind
// the last; what stands before and after does without. Palette 1, rows of 64 bytes, 16 of them.
// CHECK: llvm.mlir.global internal constant @attn.tile_configuration("\01\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00@\00@\00@\00@\00@\00@\00@\00@\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\10\10\10\10\10\10\10\10\00\00\00\00\00\00\00\00")
// CHECK-LABEL: func.func @body
// CHECK: scf.forall
// CHECK: memref.alloc
// CHECK-NEXT: %[[C:.*]] = llvm.mlir.addressof @attn.tile_configuration
// CHECK-NEXT: llvm.call_intrinsic "llvm.x86.ldtilecfg"(%[[C]])
// CHECK-NEXT: scf.for
// CHECK: tilezero
// CHECK: memref.store
// CHECK: scf.for
// CHECK: tilezero
// CHECK: }
// CHECK-NEXT: llvm.call_intrinsic "llvm.x86.tilerelease"()
// CHECK-NEXT: memref.store
// CHECK-NOT: tilecfg
func.func @body(%m: memref<8xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = llvm.mlir.constant(3 : i8) : i8
  scf.forall (%i) in (%n) {
    %s = memref.alloc() : memref<8xf32>
    scf.for %j = %c0 to %n step %c1 {
      llvm.call_intrinsic "llvm.x86.tilezero"(%t) : (i8) -> ()
    }
    memref.store %x, %s[%c0] : memref<8xf32>
    scf.for %j = %c0 to %n step %c1 {
      llvm.call_intrinsic "llvm.x86.tilezero"(%t) : (i8) -> ()
    }
    memref.store %x, %m[%i] : memref<8xf32>
  }
  return
}

// -----

// Beside a parallel loop, whose tasks may run on this thread, and beside a call, the unit is not in use: not even within a
// loop that has one of them. A loop inside of a parallel body is a part of it.
// CHECK-LABEL: func.func @function
// CHECK: ldtilecfg
// CHECK-NEXT: llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK-NEXT: llvm.call_intrinsic "llvm.x86.tilerelease"
// CHECK-NEXT: scf.for
// CHECK: ldtilecfg
// CHECK-NEXT: llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK-NEXT: llvm.call_intrinsic "llvm.x86.tilerelease"
// CHECK-NEXT: scf.forall
// CHECK: ldtilecfg
// CHECK-NEXT: scf.forall
// CHECK-NEXT: llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK: }
// CHECK-NEXT: llvm.call_intrinsic "llvm.x86.tilerelease"
// CHECK: ldtilecfg
// CHECK-NEXT: llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK-NEXT: llvm.call_intrinsic "llvm.x86.tilerelease"
// CHECK-NEXT: call @none
func.func @function(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = llvm.mlir.constant(3 : i8) : i8
  llvm.call_intrinsic "llvm.x86.tilezero"(%t) : (i8) -> ()
  scf.for %j = %c0 to %n step %c1 {
    llvm.call_intrinsic "llvm.x86.tilezero"(%t) : (i8) -> ()
    scf.forall (%i) in (%n) {
      scf.forall (%k) in (%n) {
        llvm.call_intrinsic "llvm.x86.tilezero"(%t) : (i8) -> ()
      }
    }
    llvm.call_intrinsic "llvm.x86.tilezero"(%t) : (i8) -> ()
    func.call @none(%n) : (index) -> ()
  }
  return
}
// Where no tile is used there is no configuration.
// CHECK-LABEL: func.func @none
// CHECK-NEXT: return
func.func @none(%n: index) {
  return
}
