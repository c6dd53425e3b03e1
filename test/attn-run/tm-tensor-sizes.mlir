// Ops of torch-mlir beside linalg: the sizes that have to agree are compared
// before the ops are loops, in which nothing says so any more.

// DEFINE: %{run} = not attn-run %s
// RUN: %{run} --entry=sort --shape=0:2x5 --shape=1:2x6 2>&1 | FileCheck %s --check-prefix=SORT
// RUN: attn-run %s --entry=sort --shape=0:2x5 --shape=1:2x5 --check | FileCheck %s --check-prefix=FITS
// SORT: (code 5): sort: input 1: dimension 1 must equal dimension 1 of input 0 (6 against 5)
// FITS: out0 against f64 reference: match
func.func @sort(%x: tensor<?x?xf32>, %n: tensor<?x?xi64>) -> (tensor<?x?xf32>, tensor<?x?xi64>) {
  %r:2 = tm_tensor.sort dimension(1) outs(%x, %n : tensor<?x?xf32>, tensor<?x?xi64>) {
  ^bb0(%a: f32, %b: f32, %i: i64, %j: i64):
    %keep = arith.cmpf ole, %a, %b : f32
    tm_tensor.yield %keep : i1
  } -> tensor<?x?xf32>, tensor<?x?xi64>
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xi64>
}

// RUN: %{run} --entry=scan --shape=0:3x4 --shape=1:3x5 --shape=2:3 2>&1 | FileCheck %s --check-prefix=SCAN
// RUN: %{run} --entry=scan --shape=0:3x4 --shape=1:3x4 --shape=2:2 --portable 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: attn-run %s --entry=scan --shape=0:3x4 --shape=1:3x4 --shape=2:3 --check | FileCheck %s --check-prefix=FITS
// SCAN: (code 5): scan: input 1: dimension 1 must equal dimension 1 of input 0 (5 against 4)
// LAST: (code 5): scan: input 2: dimension 0 must equal dimension 0 of input 0 (2 against 3)
func.func @scan(%x: tensor<?x?xf32>, %sums: tensor<?x?xf32>, %last: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %r:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<?x?xf32>)
      outs(%sums, %last : tensor<?x?xf32>, tensor<?xf32>) {
  ^bb0(%before: f32, %element: f32):
    %s = arith.addf %before, %element : f32
    tm_tensor.yield %s : f32
  } -> tensor<?x?xf32>, tensor<?xf32>
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?xf32>
}
