// What ops demand of arguments is asked, though what raising makes of them has
// sizes of its own. Without raising it is asked once.
// RUN: split-file %s %t
// RUN: attn-opt %t/reshape.mlir --attn-check-casts | FileCheck %t/reshape.mlir
// RUN: attn-opt %t/data.mlir --attn-check-casts | FileCheck %t/data.mlir
// RUN: attn-opt %t/data.mlir --attn-raise-pipeline --attn-plan-pipeline=target=cpu:x86-64-v3 | FileCheck %t/data.mlir --check-prefix=PLAN
// RUN: attn-opt %t/quotient.mlir --attn-check-casts | FileCheck %t/quotient.mlir
// RUN: not attn-run %t/reshape.mlir --shape=0:12 --shape=1:13x8 2>&1 | FileCheck %s --check-prefix=RESHAPE
// RUN: not attn-run %t/reshape.mlir --shape=0:12 --shape=1:13x8 --portable 2>&1 | FileCheck %s --check-prefix=RESHAPE
// RUN: not attn-run %t/helper.mlir --shape=0:12 --shape=1:13x8 2>&1 | FileCheck %s --check-prefix=RESHAPE
// RUN: attn-run %t/helper.mlir --shape=0:13 --shape=1:13x8 --check | FileCheck %s --check-prefix=MATCH
// RUN: attn-run %t/reshape.mlir --shape=0:13 --shape=1:13x8 --check | FileCheck %s --check-prefix=MATCH
// RUN: %python -c "import numpy as np; np.savez(r'%t.npz', arg0=np.ones((14, 8), np.float32), arg1=np.ones((8, 7), np.float32), arg2=np.array(13, np.int64))"
// RUN: not attn-run %t/data.mlir --inputs=%t.npz 2>&1 | FileCheck %s --check-prefix=DATA
// RUN: not attn-run %t/data.mlir --inputs=%t.npz --portable 2>&1 | FileCheck %s --check-prefix=DATA
// RUN: %python -c "import numpy as np; np.savez(r'%t.npz', arg0=np.ones((13, 8), np.float32), arg1=np.ones((8, 7), np.float32), arg2=np.array(13, np.int64))"
// RUN: attn-run %t/data.mlir --inputs=%t.npz --check | FileCheck %s --check-prefix=MATCH
// RESHAPE: (code 5): f: input 1: dimension 0 must equal dimension 0 of input 0 (13 against 12)
// DATA: (code 5): f: data.mlir:{{.*}}: 'linalg.matmul': dimension 0 of operand 2 must equal dimension 0 of input 0 (13 against 14)
// MATCH: match

//--- reshape.mlir
// A view names the size of another argument; the product needs no view.
// CHECK: func.func @f(%{{.*}}: tensor<?xf32> {attn.dim_classes = array<i64: 0>
// CHECK-SAME: %{{.*}}: tensor<?x8xf32> {attn.dim_classes = array<i64: 0, 1>
// CHECK-NOT: cf.assert
func.func @f(%t: tensor<?xf32>, %x: tensor<?x8xf32>, %y: tensor<8x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %rows = tensor.expand_shape %x [[0, 1], [2]] output_shape [1, %n, 8] : tensor<?x8xf32> into tensor<1x?x8xf32>
  %weights = tensor.expand_shape %y [[0, 1], [2]] output_shape [1, 8, 4] : tensor<8x4xf32> into tensor<1x8x4xf32>
  %empty = tensor.empty(%n) : tensor<1x?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x?x4xf32>) -> tensor<1x?x4xf32>
  %product = linalg.batch_matmul ins(%rows, %weights : tensor<1x?x8xf32>, tensor<1x8x4xf32>) outs(%init : tensor<1x?x4xf32>) -> tensor<1x?x4xf32>
  %r = tensor.collapse_shape %product [[0, 1], [2]] : tensor<1x?x4xf32> into tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

//--- helper.mlir
// In a function that is inlined.
func.func private @g(%t: tensor<?xf32>, %x: tensor<?x8xf32>, %y: tensor<8x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %rows = tensor.expand_shape %x [[0, 1], [2]] output_shape [1, %n, 8] : tensor<?x8xf32> into tensor<1x?x8xf32>
  %weights = tensor.expand_shape %y [[0, 1], [2]] output_shape [1, 8, 4] : tensor<8x4xf32> into tensor<1x8x4xf32>
  %empty = tensor.empty(%n) : tensor<1x?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x?x4xf32>) -> tensor<1x?x4xf32>
  %product = linalg.batch_matmul ins(%rows, %weights : tensor<1x?x8xf32>, tensor<1x8x4xf32>) outs(%init : tensor<1x?x4xf32>) -> tensor<1x?x4xf32>
  %r = tensor.collapse_shape %product [[0, 1], [2]] : tensor<1x?x4xf32> into tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
func.func @f(%t: tensor<?xf32>, %x: tensor<?x8xf32>, %y: tensor<8x4xf32>) -> tensor<?x4xf32> {
  %r = call @g(%t, %x, %y) : (tensor<?xf32>, tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

//--- data.mlir
// The size is a number from outside.
// CHECK: %[[N:.*]] = arith.index_cast
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[N]], %{{.*}} : index
// CHECK: cf.assert %[[SAME]], "f: data.mlir:{{.*}}: 'linalg.matmul': dimension 0 of operand 2 must equal dimension 0 of input 0" {attn.status = 5 : i32}
// CHECK: linalg.matmul
// PLAN-COUNT-1: must equal dimension 0 of input 0"
// PLAN-NOT: must equal
func.func @f(%x: tensor<?x8xf32>, %y: tensor<8x7xf32>, %rows: i64) -> tensor<?x7xf32> {
  %n = arith.index_cast %rows : i64 to index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<?x7xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x7xf32>) -> tensor<?x7xf32>
  %r = linalg.matmul ins(%x, %y : tensor<?x8xf32>, tensor<8x7xf32>) outs(%init : tensor<?x7xf32>) -> tensor<?x7xf32>
  return %r : tensor<?x7xf32>
}

//--- quotient.mlir
// A quotient is asked where it is used: its divisor may be 0.
// CHECK-LABEL: func.func @quotient(
// CHECK-NOT: cf.assert
// CHECK: return
func.func @quotient(%x: tensor<?x?x8xf32>) -> tensor<?x?x2x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x8xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x8xf32>
  %rows = arith.muli %b, %n : index
  %all = arith.muli %rows, %c8 : index
  %heads = arith.muli %rows, %c4 : index
  %h = arith.divsi %all, %heads : index
  %shape = tensor.from_elements %b, %n, %h, %c4 : tensor<4xindex>
  %r = tensor.reshape %x(%shape) : (tensor<?x?x8xf32>, tensor<4xindex>) -> tensor<?x?x2x4xf32>
  return %r : tensor<?x?x2x4xf32>
}
