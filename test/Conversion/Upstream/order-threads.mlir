// RUN: attn-opt %s --attn-order-threads --split-input-file | FileCheck %s

// Rows that data name may be the same: the last thread's stays. What the body
// reads of the result was there before.
// CHECK-LABEL: @scatter
// CHECK-SAME: (%[[C:.*]]: tensor<?x8xf32>, %[[K:.*]]: tensor<?x8xf32>, %[[P:.*]]: tensor<?xi32>)
// CHECK: %[[R:.*]] = scf.for %[[I:.*]] = %c0{{.*}} to %{{.*}} step %c1{{.*}} iter_args(%[[BEFORE:.*]] = %[[C]])
// CHECK: %[[DATA:.*]] = tensor.extract %[[P]][%[[I]]]
// CHECK: %[[AT:.*]] = arith.index_cast %[[DATA]]
// CHECK: %[[OLD:.*]] = tensor.extract_slice %[[C]][%[[AT]], 0] [1, 8] [1, 1]
// CHECK: %[[NEW:.*]] = tensor.extract_slice %[[K]][%[[I]], 0] [1, 8] [1, 1]
// CHECK: %[[SUM:.*]] = arith.addf %[[OLD]], %[[NEW]]
// CHECK: %[[AFTER:.*]] = tensor.insert_slice %[[SUM]] into %[[BEFORE]][%[[AT]], 0] [1, 8] [1, 1]
// CHECK: scf.yield %[[AFTER]]
// CHECK: return %[[R]]
// RUN: attn-run %s --entry=scatter --shape=0:5x8 --shape=1:7x8 --shape=2:7 --remarks --threads=3 --check 2>&1 | FileCheck %s --check-prefix=SCATTER
// SCATTER: match
// SCATTER: [attn-r306] the threads of this scf.forall run one after the other
func.func @scatter(%c: tensor<?x8xf32>, %k: tensor<?x8xf32>, %p: tensor<?xi32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %k, %c0 : tensor<?x8xf32>
  %r = scf.forall (%i) in (%n) shared_outs(%o = %c) -> tensor<?x8xf32> {
    %data = tensor.extract %p[%i] : tensor<?xi32>
    %at = arith.index_cast %data : i32 to index
    %old = tensor.extract_slice %o[%at, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<1x8xf32>
    %new = tensor.extract_slice %k[%i, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<1x8xf32>
    %sum = arith.addf %old, %new : tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %o[%at, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<?x8xf32>
    }
  }
  return %r : tensor<?x8xf32>
}

// -----

// Tiles of up to four rows that begin four apart, in groups of two columns, are
// different places; tiles of five rows are not, nor rows that turn back.
// CHECK-LABEL: @tiles
// CHECK: scf.forall.in_parallel
// CHECK-NOT: scf.forall
// CHECK: return
func.func @tiles(%x: tensor<?x?xf32>, %y: tensor<64x64xf32>, %z: tensor<64x64xf32>) -> (tensor<?x?xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %r = scf.forall (%i, %j) = (0, 0) to (%m, %n) step (4, 2) shared_outs(%o = %x) -> tensor<?x?xf32> {
    %size = affine.min affine_map<(i)[s] -> (4, s - i)>(%i)[%m]
    %width = affine.min affine_map<(i)[s] -> (2, s - i)>(%j)[%n]
    %s = tensor.extract_slice %x[%i, %j] [%size, %width] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
    %e = math.exp %s : tensor<?x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%i, %j] [%size, %width] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
    }
  }
  %t = scf.forall (%i) in (15) shared_outs(%o = %y) -> tensor<64x64xf32> {
    %at = affine.apply affine_map<(i) -> (4 * i)>(%i)
    %s = tensor.extract_slice %y[%at, 0] [5, 64] [1, 1] : tensor<64x64xf32> to tensor<5x64xf32>
    %e = math.exp %s : tensor<5x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%at, 0] [5, 64] [1, 1] : tensor<5x64xf32> into tensor<64x64xf32>
    }
  }
  %u = scf.forall (%i, %j) in (8, 8) shared_outs(%o = %z) -> tensor<64x64xf32> {
    %at = affine.apply affine_map<(i, j) -> (4 * i + j)>(%i, %j)
    %s = tensor.extract_slice %z[%at, 0] [1, 64] [1, 1] : tensor<64x64xf32> to tensor<1x64xf32>
    %e = math.exp %s : tensor<1x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%at, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<64x64xf32>
    }
  }
  return %r, %t, %u : tensor<?x?xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// Each thread reads where another one writes: what was there before.
// CHECK-LABEL: @reversed
// CHECK-SAME: (%[[X:.*]]: tensor<16xf32>)
// CHECK: scf.forall (%[[I:.*]]) in (16) shared_outs(%[[O:.*]] = %[[X]])
// CHECK: %[[K:.*]] = arith.subi %{{.*}}, %[[I]]
// CHECK: tensor.extract_slice %[[X]][%[[K]]] [1] [1]
// CHECK: tensor.extract_slice %[[O]][%[[I]]] [1] [1]
// RUN: attn-run %s --entry=reversed --threads=2 --check | FileCheck %s --check-prefix=MATCH
// MATCH: match
func.func @reversed(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c15 = arith.constant 15 : index
  %r = scf.forall (%i) in (16) shared_outs(%o = %x) -> tensor<16xf32> {
    %k = arith.subi %c15, %i : index
    %a = tensor.extract_slice %o[%k] [1] [1] : tensor<16xf32> to tensor<1xf32>
    %b = tensor.extract_slice %o[%i] [1] [1] : tensor<16xf32> to tensor<1xf32>
    %c = arith.subf %a, %b : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c into %o[%i] [1] [1] : tensor<1xf32> into tensor<16xf32>
    }
  }
  return %r : tensor<16xf32>
}

// -----

// Of one thread upstream makes straight code, with its results in the order of
// the writes, and one for each.
// CHECK-LABEL: @swapped
// CHECK: scf.forall {{.*}} shared_outs(%[[S:.*]] = %{{.*}}, %[[T:.*]] = %{{.*}})
// CHECK: parallel_insert_slice %{{.*}} into %[[S]][2]
// CHECK: parallel_insert_slice %{{.*}} into %[[T]][1]
// CHECK-LABEL: @twice
// CHECK-NOT: scf.forall
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[1] [2] [1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[2] [2] [1]
// RUN: attn-run %s --entry=swapped --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %s --entry=twice --check | FileCheck %s --check-prefix=MATCH
func.func @swapped(%a: tensor<2xf32>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r:2 = scf.forall (%i) in (1) shared_outs(%s = %x, %t = %y) -> (tensor<8xf32>, tensor<8xf32>) {
    %at = arith.addi %i, %i : index
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %t[1] [2] [1] : tensor<2xf32> into tensor<8xf32>
      tensor.parallel_insert_slice %a into %s[2] [2] [1] : tensor<2xf32> into tensor<8xf32>
    }
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

func.func @twice(%a: tensor<2xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (1) shared_outs(%s = %x) -> tensor<8xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %s[1] [2] [1] : tensor<2xf32> into tensor<8xf32>
      tensor.parallel_insert_slice %a into %s[2] [2] [1] : tensor<2xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

// Memory that all threads write.
// CHECK-LABEL: @memory
// CHECK-NOT: scf.forall
// CHECK: scf.for %
func.func @memory(%x: tensor<64xf32>) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %m = memref.alloca() : memref<1xf32>
  scf.forall (%i) in (64) {
    %v = tensor.extract %x[%i] : tensor<64xf32>
    memref.store %v, %m[%c0] : memref<1xf32>
  }
  %v = memref.load %m[%c0] : memref<1xf32>
  %r = tensor.from_elements %v : tensor<1xf32>
  return %r : tensor<1xf32>
}
