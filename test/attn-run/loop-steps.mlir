// Loops that would not end: steps of 0, whatever the type of the counter, and
// counters that wrap.

// DEFINE: %{run} = %python %S/Inputs/exit_code.py 2 attn-run %s
// DEFINE: %{npz} = %python %S/Inputs/npz.py write
// RUN: mkdir -p %t
// RUN: %{npz} %t/zero.npz arg0:i8:2:5,0
// RUN: %{npz} %t/wrap.npz arg0:i8:2:127,2
// RUN: %{npz} %t/good.npz arg0:i8:2:5,2

// RUN: %{run} --entry=wide --inputs=%t/zero.npz 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: %{run} --entry=wide --inputs=%t/zero.npz --check 2>&1 | FileCheck %s --check-prefix=REF
// RUN: attn-run %s --entry=wide --inputs=%t/good.npz --check | FileCheck %s --check-prefix=FITS
// WIDE: (code 9): wide: loop-steps.mlir:{{[0-9]+}}: 'scf.for': the step must be at least 1 (0 against 1)
// REF: the step of a loop must be positive
// FITS: out0 against f64 reference: match
func.func @wide(%a: tensor<2xi64>) -> tensor<i64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %end = tensor.extract %a[%c0] : tensor<2xi64>
  %step = tensor.extract %a[%c1] : tensor<2xi64>
  %first = arith.addi %zero, %zero : i64
  %s = scf.for %i = %zero to %end step %step iter_args(%s = %first) -> (i64) : i64 {
    %next = arith.addi %s, %i : i64
    scf.yield %next : i64
  }
  %r = tensor.from_elements %s : tensor<i64>
  return %r : tensor<i64>
}

// RUN: %{run} --entry=bytes --inputs=%t/wrap.npz 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: attn-run %s --entry=bytes --inputs=%t/good.npz --check | FileCheck %s --check-prefix=FITS
// BYTES: (code 9): bytes: {{.*}}'scf.for': the largest number less a step must be at least the end (126 against 127)
func.func @bytes(%a: tensor<2xi64>) -> tensor<i64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i8
  %none = arith.constant 0 : i64
  %end64 = tensor.extract %a[%c0] : tensor<2xi64>
  %step64 = tensor.extract %a[%c1] : tensor<2xi64>
  %end = arith.trunci %end64 : i64 to i8
  %step = arith.trunci %step64 : i64 to i8
  %s = scf.for %i = %zero to %end step %step iter_args(%s = %none) -> (i64) : i8 {
    %wide = arith.extsi %i : i8 to i64
    %next = arith.addi %s, %wide : i64
    scf.yield %next : i64
  }
  %r = tensor.from_elements %s : tensor<i64>
  return %r : tensor<i64>
}

// RUN: %{run} --entry=parallel --inputs=%t/zero.npz 2>&1 | FileCheck %s --check-prefix=PARALLEL
// PARALLEL: (code 9): parallel: {{.*}}'scf.parallel': the step must be at least 1 (0 against 1)
func.func @parallel(%a: tensor<2xi64>) -> tensor<i64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i64
  %end64 = tensor.extract %a[%c0] : tensor<2xi64>
  %step64 = tensor.extract %a[%c1] : tensor<2xi64>
  %end = arith.index_cast %end64 : i64 to index
  %step = arith.index_cast %step64 : i64 to index
  %s = scf.parallel (%i) = (%c0) to (%end) step (%step) init (%none) -> i64 {
    %wide = arith.index_cast %i : index to i64
    scf.reduce(%wide : i64) {
    ^bb0(%x: i64, %y: i64):
      %sum = arith.addi %x, %y : i64
      scf.reduce.return %sum : i64
    }
  }
  %r = tensor.from_elements %s : tensor<i64>
  return %r : tensor<i64>
}
