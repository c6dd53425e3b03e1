// Integers of 24 bits lie four bytes apart, and in vectors three: scratch was too
// small for them, and what vectors wrote was read elsewhere.
// RUN: attn-run %s --entry=loop20 --check | FileCheck %s
// RUN: attn-run %s --entry=loop24 --check | FileCheck %s
// RUN: attn-run %s --entry=loop24 --check --portable | FileCheck %s
// RUN: attn-run %s --entry=loop40 --check | FileCheck %s
// RUN: attn-run %s --entry=sums24 --check | FileCheck %s
// RUN: attn-run %s --entry=sums24 --check --target=cpu:x86-64-v3 | FileCheck %s
// RUN: attn-run %s --entry=sums40 --check --portable | FileCheck %s
// RUN: attn-run %s --entry=sums5 --check | FileCheck %s
// CHECK: match
// CHECK-NOT: MISMATCH

func.func @loop20(%x: tensor<64x16xi32>) -> tensor<64x16xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %t = arith.trunci %x : tensor<64x16xi32> to tensor<64x16xi20>
  %s = scf.for %i = %c0 to %c2 step %c1 iter_args(%u = %t) -> (tensor<64x16xi20>) {
    %v = arith.addi %u, %u : tensor<64x16xi20>
    scf.yield %v : tensor<64x16xi20>
  }
  %r = arith.extsi %s : tensor<64x16xi20> to tensor<64x16xi32>
  return %r : tensor<64x16xi32>
}

func.func @loop24(%x: tensor<64x16xi32>) -> tensor<64x16xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %t = arith.trunci %x : tensor<64x16xi32> to tensor<64x16xi24>
  %s = scf.for %i = %c0 to %c2 step %c1 iter_args(%u = %t) -> (tensor<64x16xi24>) {
    %v = arith.addi %u, %u : tensor<64x16xi24>
    scf.yield %v : tensor<64x16xi24>
  }
  %r = arith.extsi %s : tensor<64x16xi24> to tensor<64x16xi32>
  return %r : tensor<64x16xi32>
}

func.func @loop40(%x: tensor<64x16xi64>) -> tensor<64x16xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %t = arith.trunci %x : tensor<64x16xi64> to tensor<64x16xi40>
  %s = scf.for %i = %c0 to %c2 step %c1 iter_args(%u = %t) -> (tensor<64x16xi40>) {
    %v = arith.addi %u, %u : tensor<64x16xi40>
    scf.yield %v : tensor<64x16xi40>
  }
  %r = arith.extsi %s : tensor<64x16xi40> to tensor<64x16xi64>
  return %r : tensor<64x16xi64>
}

func.func @sums5(%x: tensor<13x13xi32>) -> (tensor<13x13xi32>, tensor<13x13xi32>) {
  %t = arith.trunci %x : tensor<13x13xi32> to tensor<13x13xi5>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 12 - j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "reduction"]}
      ins(%t : tensor<13x13xi5>) outs(%t : tensor<13x13xi5>) {
  ^bb0(%a: i5, %b: i5):
    %sum = arith.addi %a, %b : i5
    linalg.yield %sum : i5
  } -> tensor<13x13xi5>
  %r = arith.extsi %s : tensor<13x13xi5> to tensor<13x13xi32>
  %q = arith.extui %s : tensor<13x13xi5> to tensor<13x13xi32>
  return %r, %q : tensor<13x13xi32>, tensor<13x13xi32>
}

func.func @sums24(%x: tensor<13x13xi32>) -> (tensor<13x13xi32>, tensor<13x13xi32>) {
  %t = arith.trunci %x : tensor<13x13xi32> to tensor<13x13xi24>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 12 - j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "reduction"]}
      ins(%t : tensor<13x13xi24>) outs(%t : tensor<13x13xi24>) {
  ^bb0(%a: i24, %b: i24):
    %sum = arith.addi %a, %b : i24
    linalg.yield %sum : i24
  } -> tensor<13x13xi24>
  %r = arith.extsi %s : tensor<13x13xi24> to tensor<13x13xi32>
  %q = arith.extui %s : tensor<13x13xi24> to tensor<13x13xi32>
  return %r, %q : tensor<13x13xi32>, tensor<13x13xi32>
}

func.func @sums40(%x: tensor<13x13xi64>) -> (tensor<13x13xi64>, tensor<13x13xi64>) {
  %t = arith.trunci %x : tensor<13x13xi64> to tensor<13x13xi40>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 12 - j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "reduction"]}
      ins(%t : tensor<13x13xi40>) outs(%t : tensor<13x13xi40>) {
  ^bb0(%a: i40, %b: i40):
    %sum = arith.addi %a, %b : i40
    linalg.yield %sum : i40
  } -> tensor<13x13xi40>
  %r = arith.extsi %s : tensor<13x13xi40> to tensor<13x13xi64>
  %q = arith.extui %s : tensor<13x13xi40> to tensor<13x13xi64>
  return %r, %q : tensor<13x13xi64>, tensor<13x13xi64>
}
