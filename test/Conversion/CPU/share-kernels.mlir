// RUN: attn-opt %s --split-input-file --attn-share-kernels | FileCheck %s

// Three equal loops are one kernel. Weights and sizes are its arguments;
// constants are in it, wherever each loop has them from. The last loop reads
// what it writes, which the others do not.
// CHECK-LABEL: func.func @layers(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[X:.*]]: memref<8xf32>, %[[A:.*]]: memref<8xf32>, %[[B:.*]]: memref<8xf32>, %[[C:.*]]: memref<8xf32>, %[[N:.*]]: index)
// CHECK: %[[S0:.*]] = call @layers__shared0(%[[CTX]], %[[N]], %[[A]], %[[X]])
// CHECK-NEXT: call @attn.return_if_failed(%[[S0]])
// CHECK: call @layers__shared0(%[[CTX]], %[[N]], %[[B]], %[[X]])
// CHECK: call @layers__shared0(%[[CTX]], %[[N]], %[[C]], %[[X]])
// CHECK: scf.forall
// CHECK-LABEL: func.func private @layers__shared0(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %[[COUNT:.*]]: index, %[[W:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>) -> i32
// CHECK: %[[TWO:.*]] = arith.constant 2.0
// CHECK: scf.forall (%[[I:.*]]) in (%[[COUNT]])
// CHECK: %[[E:.*]] = memref.load %[[W]][%[[I]]]
// CHECK: %[[P:.*]] = arith.mulf %[[E]], %[[TWO]]
// CHECK: memref.store %[[P]], %[[Y]][%[[I]]]
// CHECK: return
// CHECK-NOT: __shared1
func.func @layers(%ctx: !llvm.ptr, %x: memref<8xf32>, %a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>, %n: index) -> i32 {
  %two = arith.constant 2.0 : f32
  scf.forall (%i) in (%n) {
    %e = memref.load %a[%i] : memref<8xf32>
    %p = arith.mulf %e, %two : f32
    memref.store %p, %x[%i] : memref<8xf32>
  }
  scf.forall (%i) in (%n) {
    %e = memref.load %b[%i] : memref<8xf32>
    %p = arith.mulf %e, %two : f32
    memref.store %p, %x[%i] : memref<8xf32>
  }
  %again = arith.constant 2.0 : f32
  scf.forall (%i) in (%n) {
    %e = memref.load %c[%i] : memref<8xf32>
    %p = arith.mulf %e, %again : f32
    memref.store %p, %x[%i] : memref<8xf32>
  }
  scf.forall (%i) in (%n) {
    %e = memref.load %x[%i] : memref<8xf32>
    %p = arith.mulf %e, %two : f32
    memref.store %p, %x[%i] : memref<8xf32>
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

// Another constant, another attribute, another layout, values in another
// order, a value from outside in the place of one from inside: no two are
// equal.
// CHECK-LABEL: func.func @different(
// CHECK-NOT: __shared
func.func @different(%ctx: !llvm.ptr, %x: memref<8xf32>, %y: memref<8xf32>, %s: memref<8xf32, strided<[2]>>, %f: f32) -> i32 {
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  scf.forall (%i) in (8) {
    %e = memref.load %x[%i] : memref<8xf32>
    %p = arith.subf %e, %two : f32
    memref.store %p, %y[%i] : memref<8xf32>
  }
  scf.forall (%i) in (8) {
    %e = memref.load %x[%i] : memref<8xf32>
    %p = arith.subf %e, %three : f32
    memref.store %p, %y[%i] : memref<8xf32>
  }
  scf.forall (%i) in (8) {
    %e = memref.load %x[%i] : memref<8xf32>
    %p = arith.subf %e, %two fastmath<contract> : f32
    memref.store %p, %y[%i] : memref<8xf32>
  }
  scf.forall (%i) in (8) {
    %e = memref.load %s[%i] : memref<8xf32, strided<[2]>>
    %p = arith.subf %e, %two : f32
    memref.store %p, %y[%i] : memref<8xf32>
  }
  scf.forall (%i) in (8) {
    %e = memref.load %x[%i] : memref<8xf32>
    %p = arith.subf %two, %e : f32
    memref.store %p, %y[%i] : memref<8xf32>
  }
  scf.forall (%i) in (8) {
    %e = memref.load %x[%i] : memref<8xf32>
    %p = arith.subf %e, %f : f32
    memref.store %p, %y[%i] : memref<8xf32>
  }
  scf.forall (%i) in (8) {
    %e = memref.load %x[%i] : memref<8xf32>
    %p = arith.subf %f, %e : f32
    memref.store %p, %y[%i] : memref<8xf32>
  }
  scf.forall (%i) in (7) {
    %e = memref.load %x[%i] : memref<8xf32>
    %p = arith.subf %e, %two : f32
    memref.store %p, %y[%i] : memref<8xf32>
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

// A loop of the host that has no equal is searched, what works on elements in
// it is not; functions without a context have no kernels.
// CHECK-LABEL: func.func @steps(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: call @steps__shared0(
// CHECK: call @steps__shared0(
// CHECK-LABEL: func.func private @steps__shared0(
// CHECK-LABEL: func.func @host(
// CHECK: scf.for
// CHECK: scf.for
func.func @steps(%ctx: !llvm.ptr, %x: memref<8xf32>, %y: memref<8xf32>, %n: index) -> i32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  scf.for %step = %zero to %n step %one {
    scf.for %i = %zero to %n step %one {
      memref.store %f, %x[%i] : memref<8xf32>
    }
    scf.for %i = %zero to %n step %one {
      memref.store %f, %y[%i] : memref<8xf32>
    }
    scf.forall (%i) in (8) {
      memref.store %f, %x[%i] : memref<8xf32>
    }
    scf.forall (%i) in (8) {
      memref.store %f, %y[%i] : memref<8xf32>
    }
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}
func.func @host(%x: memref<8xf32>, %y: memref<8xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  scf.for %i = %zero to %n step %one {
    memref.store %f, %x[%i] : memref<8xf32>
  }
  scf.for %i = %zero to %n step %one {
    memref.store %f, %y[%i] : memref<8xf32>
  }
  return
}

// -----

// So is what one side of a choice does, where the other has a result, too.
// CHECK-LABEL: func.func @copies(
// CHECK: scf.if
// CHECK: call @copies__shared0(
// CHECK: scf.if
// CHECK: call @copies__shared0(
// CHECK-LABEL: func.func private @copies__shared0(
// CHECK: linalg.copy
func.func @copies(%ctx: !llvm.ptr, %is: i1, %x: memref<8xf32>, %y: memref<8xf32>, %s: memref<8xf32>, %t: memref<8xf32>) -> i32 {
  %a = scf.if %is -> memref<8xf32> {
    scf.yield %x : memref<8xf32>
  } else {
    linalg.copy ins(%x : memref<8xf32>) outs(%s : memref<8xf32>)
    scf.yield %s : memref<8xf32>
  }
  %b = scf.if %is -> memref<8xf32> {
    scf.yield %y : memref<8xf32>
  } else {
    linalg.copy ins(%y : memref<8xf32>) outs(%t : memref<8xf32>)
    scf.yield %t : memref<8xf32>
  }
  memref.copy %a, %b : memref<8xf32> to memref<8xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}
