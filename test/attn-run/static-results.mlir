// Types of results tell sizes that operands do not: both are compared before
// anything is written.

// DEFINE: %{run} = not attn-run %s
// RUN: %{run} --entry=pad --shape=0:200 2>&1 | FileCheck %s --check-prefix=PAD
// RUN: %{run} --entry=pad --shape=0:3 --portable 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: attn-run %s --entry=pad --shape=0:8 --check | FileCheck %s --check-prefix=FITS
// PAD: (code 5): pad: static-results.mlir:{{[0-9]+}}: 'tensor.pad': size 0 of the result must equal 10 (202 against 10)
// SHORT: (5 against 10)
// FITS: out0 against f64 reference: match
func.func @pad(%x: tensor<?xf32>) -> tensor<10xf32> {
  %z = arith.constant 1.5 : f32
  %r = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<?xf32> to tensor<10xf32>
  return %r : tensor<10xf32>
}

// RUN: %{run} --entry=concat --shape=0:20x3 --shape=1:20x3 2>&1 | FileCheck %s --check-prefix=CONCAT
// RUN: %{run} --entry=concat --shape=0:5x4 --shape=1:5x4 --portable 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: attn-run %s --entry=concat --shape=0:4x3 --shape=1:6x3 --check | FileCheck %s --check-prefix=FITS
// CONCAT: (code 5): concat: {{.*}}'tensor.concat': size 0 of the result must equal 10 (40 against 10)
// OTHER: (code 5): concat: input 0: dimension 1 must be 3 (4 against 3)
func.func @concat(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<10x3xf32> {
  %r = tensor.concat dim(0) %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<10x3xf32>
  return %r : tensor<10x3xf32>
}
