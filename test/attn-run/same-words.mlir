// Checks whose texts are the same are about numbers of their own: paddings of one
// op, ops of one kind on one line, and ops of a module that has no locations.

// DEFINE: %{run} = not attn-run %s
// RUN: %{run} --entry=pad --shape=0:600x600 --shape=1:700x5 2>&1 | FileCheck %s --check-prefix=PAD
// RUN: %{run} --entry=pad --shape=0:6x6 --shape=1:5x7 --portable 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: attn-run %s --entry=pad --shape=0:6x6 --shape=1:7x7 --check | FileCheck %s --check-prefix=FITS
// PAD: (code 5): pad: same-words.mlir:{{[0-9]+}}: 'tensor.pad': the high padding of dimension 1 must be at least 0 and below 2147483648 (-595 against 2147483648)
// FIRST: 'tensor.pad': the high padding of dimension 0 must be at least 0 and below 2147483648 (-1 against 2147483648)
// FITS: out0 against f64 reference: match
func.func @pad(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %k = tensor.dim %y, %c0 : tensor<?x?xf32>
  %l = tensor.dim %y, %c1 : tensor<?x?xf32>
  %a = arith.subi %k, %m : index
  %b = arith.subi %l, %n : index
  %r = tensor.pad %x low[0, 0] high[%a, %b] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// RUN: %{run} --entry=line --shape=0:6 --shape=1:2 --shape=2:1000 2>&1 | FileCheck %s --check-prefix=LINE
// RUN: attn-opt %s --strip-debuginfo --mlir-print-debuginfo -o %t.mlir
// RUN: not attn-run %t.mlir --entry=line --shape=0:6 --shape=1:2 --shape=2:1000 2>&1 | FileCheck %s --check-prefix=LINE
// RUN: attn-run %t.mlir --entry=line --shape=0:6 --shape=1:2 --shape=2:1 --check | FileCheck %s --check-prefix=FITS
// LINE: (code 5): line: {{.*}}'tensor.extract_slice': the offset of the slice in dimension 0 must be at least 0 and at most dimension 0 of input 0 less the size (1000 against 2)
func.func @line(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %a = tensor.dim %y, %c0 : tensor<?xf32>
  %b = tensor.dim %z, %c0 : tensor<?xf32>
  %p = tensor.extract_slice %x[%a] [4] [1] : tensor<?xf32> to tensor<4xf32> %q = tensor.extract_slice %x[%b] [4] [1] : tensor<?xf32> to tensor<4xf32>
  %r = arith.addf %p, %q : tensor<4xf32>
  return %r : tensor<4xf32>
}

// A padding of a padding is simplified to one; each of the two is asked before.
// RUN: %{run} --entry=pads --shape=0:3 --shape=1:1000 --shape=2:42 2>&1 | FileCheck %s --check-prefix=PADS
// RUN: attn-run %s --entry=pads --shape=0:3 --shape=1:10 --shape=2:42 --check | FileCheck %s --check-prefix=FITS
// PADS: (code 5): pads: {{.*}}'tensor.pad': the high padding of dimension 0 must be at least 0 and below 2147483648 (-958 against 2147483648)
func.func @pads(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %fill = arith.constant 1.5 : f32
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %a = arith.subi %n, %m : index
  %p = tensor.pad %x low[0] high[%a] {
  ^bb0(%i: index):
    tensor.yield %fill : f32
  } : tensor<?xf32> to tensor<?xf32>
  %k = tensor.dim %p, %c0 : tensor<?xf32>
  %l = tensor.dim %z, %c0 : tensor<?xf32>
  %b = arith.subi %l, %k : index
  %q = tensor.pad %p low[0] high[%b] {
  ^bb0(%i: index):
    tensor.yield %fill : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %q : tensor<?xf32>
}

// One condition is asked for once, wherever it comes from.
// RUN: attn-opt %s --attn-check-sizes | FileCheck %s --check-prefix=ONCE
// ONCE-LABEL: func.func @twice
// ONCE-COUNT-1: cf.assert {{.*}}'tensor.extract_slice': the offset
// ONCE-NOT: the offset
// ONCE: return
func.func @twice(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %a = tensor.dim %y, %c0 : tensor<?xf32>
  %p = tensor.extract_slice %x[%a] [4] [1] : tensor<?xf32> to tensor<4xf32>
  %b = tensor.dim %y, %c0 : tensor<?xf32>
  %q = tensor.extract_slice %x[%b] [4] [1] : tensor<?xf32> to tensor<4xf32>
  %r = arith.addf %p, %q : tensor<4xf32>
  return %r : tensor<4xf32>
}
