// RUN: attn-opt %s --attn-set-target=target=cpu:x86-64-v4 --attn-vectorize-elementwise --split-input-file | FileCheck %s

#row = affine_map<(i, j) -> (i, j)>
#once = affine_map<(i, j) -> (i)>

// Full vectors, then one masked vector. One element per row is loaded once a
// vector and spread; captured values are spread outside of the loops.
// CHECK-LABEL: @rows
// CHECK-SAME: %[[X:.*]]: memref<?x?xf32>, %[[B:.*]]: memref<?xf32>, %{{.*}}: memref<?x?xf32>, %[[S:.*]]: f32
// CHECK: vector.broadcast %[[S]] : f32 to vector<16xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.load %[[X]]
// CHECK: memref.load %[[B]]
// CHECK: math.exp %{{.*}} : vector<16xf32>
// CHECK: vector.store
// CHECK: scf.for
// CHECK: vector.maskedload %[[X]]
// CHECK: vector.maskedstore
// CHECK-NOT: linalg
func.func @rows(%x: memref<?x?xf32>, %b: memref<?xf32>, %y: memref<?x?xf32>, %s: f32) {
  linalg.generic {indexing_maps = [#row, #once, #row], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: f32, %c: f32, %d: f32):
    %0 = arith.addf %a, %c : f32
    %1 = arith.mulf %0, %s : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  }
  return
}

// -----

// Lanes are as wide as the widest type of the body; whole vectors need no mask.
// CHECK-LABEL: @wide
// CHECK: vector.step : vector<8xindex>
// CHECK-NOT: vector.mask
#id = affine_map<(i) -> (i)>
func.func @wide(%y: memref<64xf32>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%y : memref<64xf32>) {
  ^bb0(%d: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %f = arith.sitofp %j : i64 to f64
    %t = arith.truncf %f : f64 to f32
    linalg.yield %t : f32
  }
  return
}

// -----

// A transposed operand, and a division that must not run for lanes that do not
// exist, stay as they are.
// CHECK-LABEL: @left_alone
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: vector.
#p = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
func.func @left_alone(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %n: memref<?x?xi32>) {
  linalg.generic {indexing_maps = [#t, #p], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: f32, %d: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#p], iterator_types = ["parallel", "parallel"]} outs(%n : memref<?x?xi32>) {
  ^bb0(%d: i32):
    %c7 = arith.constant 7 : i32
    %q = arith.divsi %c7, %d : i32
    linalg.yield %q : i32
  }
  return
}

// -----

// Columns are summed without a word between lanes: each adds its own element to
// its own sum, in the order of the rows.
// CHECK-LABEL: @columns
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.load %{{.*}} : memref<?x64xf32>, vector<16xf32>
// CHECK: vector.load %{{.*}} : memref<64xf32>, vector<16xf32>
// CHECK: arith.addf
// CHECK: vector.store
#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @columns(%x: memref<?x64xf32>, %y: memref<64xf32>) {
  linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<?x64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// Rows of bf16 that are widened and rounded are taken two numbers a word: those
// at even places are shifted up, those at odd ones lose what is below them, and
// the way back is the same. Where results go past the caches, inputs are asked
// for 4 KiB ahead; in the caches a function takes longer than they do.
// CHECK-LABEL: @pairs
// CHECK-SAME: %[[X:.*]]: memref<?x64xbf16>, %[[Y:.*]]: memref<?x64xbf16>)
// CHECK: scf.for %[[I:.*]] =
// CHECK: scf.for %[[J:.*]] =
// CHECK: %[[FAR:.*]] = arith.constant 2048 : index
// CHECK: %[[AHEAD:.*]] = arith.addi %[[J]], %[[FAR]]
// CHECK: memref.prefetch %[[X]][%[[I]], %[[AHEAD]]], read, locality<2>, data
// CHECK-NOT: memref.prefetch
// CHECK: %[[V:.*]] = vector.load %[[X]][%[[I]], %[[J]]] : memref<?x64xbf16>, vector<32xbf16>
// CHECK: %[[W:.*]] = vector.bitcast %[[V]] : vector<32xbf16> to vector<16xi32>
// CHECK: %[[SIXTEEN:.*]] = arith.constant dense<16> : vector<16xi32>
// CHECK: %[[E:.*]] = arith.shli %[[W]], %[[SIXTEEN]]
// CHECK: %[[UPPER:.*]] = arith.constant dense<-65536> : vector<16xi32>
// CHECK: %[[O:.*]] = arith.andi %[[W]], %[[UPPER]]
// CHECK: arith.bitcast %[[E]] : vector<16xi32> to vector<16xf32>
// CHECK: arith.bitcast %[[O]] : vector<16xi32> to vector<16xf32>
// CHECK: vector.shuffle {{.*}} [0, 1, {{.*}}, 31] : vector<16xf32>, vector<16xf32>
// CHECK-NOT: arith.extf %{{.*}} : vector
// CHECK: math.exp %{{.*}} : vector<32xf32>
// CHECK-NOT: arith.truncf
// CHECK: arith.shrui %{{.*}} : vector<32xi32>
// CHECK: arith.shrui %{{.*}} : vector<16xi32>
// CHECK: arith.andi %{{.*}} : vector<16xi32>
// CHECK: arith.ori %{{.*}} : vector<16xi32>
// CHECK: vector.bitcast %{{.*}} : vector<16xi32> to vector<32xbf16>
// CHECK: vector.store
// CHECK-NOT: vector.mask
#rows = affine_map<(i, j) -> (i, j)>
func.func @pairs(%x: memref<?x64xbf16>, %y: memref<?x64xbf16>) {
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x64xbf16>) outs(%y : memref<?x64xbf16>) {
  ^bb0(%a: bf16, %d: bf16):
    %0 = arith.extf %a : bf16 to f32
    %1 = math.exp %0 : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  }
  return
}

// -----

// With few ops memory takes longer: what lies 1024 bytes ahead is asked for.
// CHECK-LABEL: @few_ops
// CHECK-SAME: %[[X:.*]]: memref<?x64xbf16>, %[[Y:.*]]: memref<?x64xbf16>)
// CHECK: scf.for %[[I:.*]] =
// CHECK: scf.for %[[J:.*]] =
// CHECK: %[[FAR:.*]] = arith.constant 512 : index
// CHECK: %[[AHEAD:.*]] = arith.addi %[[J]], %[[FAR]]
// CHECK: memref.prefetch %[[X]][%[[I]], %[[AHEAD]]], read, locality<3>, data
// CHECK: memref.prefetch %[[Y]][%[[I]], %{{.*}}], write, locality<3>, data
// CHECK: arith.mulf %{{.*}} : vector<32xf32>
#rows = affine_map<(i, j) -> (i, j)>
func.func @few_ops(%x: memref<?x64xbf16>, %y: memref<?x64xbf16>) {
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x64xbf16>) outs(%y : memref<?x64xbf16>) {
  ^bb0(%a: bf16, %d: bf16):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  }
  return
}

// -----

// Not so where another operand's lanes are in the order of memory, where a lane
// needs its place, where the numbers are not widened, or in short rows.
// CHECK-LABEL: @no_pairs
// CHECK-NOT: vector<32x
// CHECK: return
#rows = affine_map<(i, j) -> (i, j)>
func.func @no_pairs(%x: memref<?x64xbf16>, %b: memref<?x64xf32>, %y: memref<?x64xbf16>,
    %short: memref<?x16xbf16>) {
  linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : memref<?x64xbf16>, memref<?x64xf32>) outs(%y : memref<?x64xbf16>) {
  ^bb0(%a: bf16, %c: f32, %d: bf16):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.addf %0, %c : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  }
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x64xbf16>) outs(%y : memref<?x64xbf16>) {
  ^bb0(%a: bf16, %d: bf16):
    %0 = arith.extf %a : bf16 to f32
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f32
    %1 = arith.addf %0, %k : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  }
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x64xbf16>) outs(%y : memref<?x64xbf16>) {
  ^bb0(%a: bf16, %d: bf16):
    %0 = arith.negf %a : bf16
    linalg.yield %0 : bf16
  }
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%short : memref<?x16xbf16>) outs(%short : memref<?x16xbf16>) {
  ^bb0(%a: bf16, %d: bf16):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.addf %0, %0 : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  }
  return
}

// -----

// The else part of a branch is for all lanes; the other one is skipped where
// none of them takes it.
// CHECK-LABEL: @rare
// CHECK: %[[RARE:.*]] = arith.cmpf ogt, %{{.*}} : vector<16xf32>
// CHECK: %[[COMMON:.*]] = arith.mulf %{{.*}} : vector<16xf32>
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[RARE]] : vector<16xi1> into i1
// CHECK: %[[RESULT:.*]] = scf.if %[[ANY]] -> (vector<16xf32>) {
// CHECK: %[[ROOT:.*]] = math.sqrt %{{.*}} : vector<16xf32>
// CHECK: %[[BOTH:.*]] = arith.select %[[RARE]], %[[ROOT]], %[[COMMON]]
// CHECK: scf.yield %[[BOTH]]
// CHECK: } else {
// CHECK: scf.yield %[[COMMON]]
// CHECK: vector.store %[[RESULT]]
#v = affine_map<(i) -> (i)>
func.func @rare(%x: memref<64xf32>, %y: memref<64xf32>, %s: f32) {
  linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %d: f32):
    %c = arith.cmpf ogt, %a, %s : f32
    %r = scf.if %c -> f32 {
      %root = math.sqrt %a : f32
      scf.yield %root : f32
    } else {
      %m = arith.mulf %a, %s : f32
      scf.yield %m : f32
    }
    linalg.yield %r : f32
  }
  return
}

// -----

// A branch that stores is no affair of lanes.
// CHECK-LABEL: @effects
// CHECK: linalg.generic
#w = affine_map<(i) -> (i)>
func.func @effects(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<f32>) {
  linalg.generic {indexing_maps = [#w, #w], iterator_types = ["parallel"]} ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %d: f32):
    %c = arith.cmpf ogt, %a, %d : f32
    %r = scf.if %c -> f32 {
      memref.store %a, %z[] : memref<f32>
      scf.yield %a : f32
    } else {
      scf.yield %d : f32
    }
    linalg.yield %r : f32
  }
  return
}

// -----

// In a kernel, blocks of rows are work items. A result of 64 MiB goes past the
// caches where a row of it is aligned, and is seen by all at the end of an item;
// what is left of a row goes the usual way.
// CHECK-LABEL: @kernel
// CHECK: scf.forall (%{{.*}}) in (%{{.*}})
// CHECK: scf.for
// CHECK: %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq
// CHECK: %[[STREAMS:.*]] = arith.andi %{{.*}}, %[[ALIGNED]]
// CHECK: scf.if %[[STREAMS]]
// CHECK: scf.for
// CHECK: vector.store %{{.*}} {alignment = 64 : i64, nontemporal = true}
// CHECK: } else {
// CHECK: scf.for
// CHECK-NOT: nontemporal
// CHECK: vector.store
// CHECK: vector.maskedstore
// CHECK: llvm.fence seq_cst
// CHECK-NEXT: }
#all = affine_map<(i, j) -> (i, j)>
func.func @kernel(%context: !llvm.ptr, %x: memref<16384x1025xf32>, %y: memref<16384x1025xf32>) -> i32 {
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<16384x1025xf32>) outs(%y : memref<16384x1025xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = math.exp %a : f32
    linalg.yield %c : f32
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

// Neither a result in place nor one that is added to; and what is no kernel has
// no tasks. Columns of one dimension are work items of their own. Items that
// would add to one result are none.
// CHECK-LABEL: @in_place
// CHECK-NOT: nontemporal
// CHECK: scf.forall
// CHECK-NOT: nontemporal
// CHECK-LABEL: @no_kernel
// CHECK-NOT: scf.forall
// CHECK: nontemporal
// CHECK-LABEL: @sum_of_rows
// CHECK-NOT: scf.forall
#one = affine_map<(i) -> (i)>
func.func @in_place(%context: !llvm.ptr, %x: memref<16777216xf32>, %y: memref<16777216xf32>) -> i32 {
  linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%x : memref<16777216xf32>) outs(%x : memref<16777216xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = math.exp %a : f32
    linalg.yield %c : f32
  }
  linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%x : memref<16777216xf32>) outs(%y : memref<16777216xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}
func.func @no_kernel(%x: memref<16777216xf32>, %y: memref<16777216xf32>) {
  linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%x : memref<16777216xf32>) outs(%y : memref<16777216xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}
#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @sum_of_rows(%context: !llvm.ptr, %x: memref<16384x1024xf32>, %y: memref<1024xf32>) -> i32 {
  linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<16384x1024xf32>) outs(%y : memref<1024xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

// Who is the last to read a row asks for the next one, as far as there is one;
// only the rows of the last result go past the caches, for the others are read
// once more. An item is as large as its rows, so the size is that of them all.
// CHECK-LABEL: @next_row
// CHECK: scf.forall
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %[[END:.*]] step
// CHECK: scf.for
// CHECK-NOT: memref.prefetch
// CHECK-NOT: nontemporal
// CHECK: vector.store %{{.*}}, %{{[^ ]*}}[%{{[^ ]*}}, %{{[^ ]*}}] : memref
// CHECK: %[[NEXT:.*]] = arith.addi %[[ROW]]
// CHECK: %[[LAST:.*]] = arith.subi %[[END]]
// CHECK: %[[AFTER:.*]] = arith.minui %[[NEXT]], %[[LAST]]
// CHECK: %[[THERE:.*]] = memref.subview %{{.*}}[%[[AFTER]], 0] [1, 4096] [1, 1]
// CHECK: memref.prefetch %[[THERE]][%{{.*}}, %[[COLUMN:.*]]], read, locality<2>, data
// CHECK: vector.load %{{.*}}[%{{.*}}, %[[COLUMN]]]
// CHECK: nontemporal
#all = affine_map<(i, j) -> (i, j)>
func.func @next_row(%x: memref<16384x4096xf32>, %y: memref<16384x4096xf32>, %z: memref<16384x4096xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.forall (%block) in (1024) {
    %begin = arith.muli %block, %c16 : index
    %end = arith.addi %begin, %c16 : index
    scf.for %i = %begin to %end step %c1 {
      %a = memref.subview %x[%i, 0] [1, 4096] [1, 1] : memref<16384x4096xf32> to memref<1x4096xf32, strided<[4096, 1], offset: ?>>
      %b = memref.subview %y[%i, 0] [1, 4096] [1, 1] : memref<16384x4096xf32> to memref<1x4096xf32, strided<[4096, 1], offset: ?>>
      %c = memref.subview %z[%i, 0] [1, 4096] [1, 1] : memref<16384x4096xf32> to memref<1x4096xf32, strided<[4096, 1], offset: ?>>
      linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
          ins(%a : memref<1x4096xf32, strided<[4096, 1], offset: ?>>) outs(%b : memref<1x4096xf32, strided<[4096, 1], offset: ?>>) {
      ^bb0(%p: f32, %q: f32):
        %r = math.exp %p : f32
        linalg.yield %r : f32
      }
      linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
          ins(%a, %b : memref<1x4096xf32, strided<[4096, 1], offset: ?>>, memref<1x4096xf32, strided<[4096, 1], offset: ?>>)
          outs(%c : memref<1x4096xf32, strided<[4096, 1], offset: ?>>) {
      ^bb0(%p: f32, %q: f32, %r: f32):
        %s = arith.addf %p, %q : f32
        linalg.yield %s : f32
      }
    }
  }
  return
}
