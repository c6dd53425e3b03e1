// What has complex numbers in its signature, or an op with them that is not known,
// stays as it is, and is refused by name.
// RUN: split-file %s %t
// RUN: attn-opt %t/argument.mlir --attn-split-complex | FileCheck %t/argument.mlir
// RUN: attn-opt %t/padding.mlir --attn-split-complex | FileCheck %t/padding.mlir
// RUN: not attn-compile %t/argument.mlir -o %t/a.o 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not attn-compile %t/padding.mlir -o %t/b.o 2>&1 | FileCheck %s --check-prefix=PADDING
// RUN: not attn-compile %t/unranked.mlir -o %t/c.o 2>&1 | FileCheck %s --check-prefix=UNRANKED
// UNRANKED: attn-compile: error: {{.*}}write the real and the imaginary part as two tensors
// ARGUMENT: argument 0 has type tensor<4xcomplex<f32>>, which kernels cannot take or return; pass real and imaginary parts, in a dimension of 2
// PADDING: {{has complex numbers, which kernels do not compute with|'complex.constant' is not compiled}}: write the real and the imaginary part as two tensors

//--- argument.mlir
// CHECK-LABEL: func.func @argument(
// CHECK-SAME: tensor<4xcomplex<f32>>
// CHECK: complex.re
#vector = affine_map<(d0) -> (d0)>
func.func @argument(%x: tensor<4xcomplex<f32>>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%x : tensor<4xcomplex<f32>>) outs(%o : tensor<4xf32>) {
  ^bb0(%a: complex<f32>, %b: f32):
    %re = complex.re %a : complex<f32>
    linalg.yield %re : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

//--- padding.mlir
// CHECK-LABEL: func.func @padding(
// CHECK: tensor.pad
// CHECK: tensor<4xcomplex<f32>> to tensor<6xcomplex<f32>>
#vector = affine_map<(d0) -> (d0)>
func.func @padding(%x: tensor<4xf32>) -> tensor<6xf32> {
  %i = complex.constant [0.0 : f32, 1.0 : f32] : complex<f32>
  %empty = tensor.empty() : tensor<4xcomplex<f32>>
  %z = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%empty : tensor<4xcomplex<f32>>) {
  ^bb0(%a: f32, %b: complex<f32>):
    %p = complex.create %a, %a : complex<f32>
    linalg.yield %p : complex<f32>
  } -> tensor<4xcomplex<f32>>
  %y = tensor.pad %z low[1] high[1] {
  ^bb0(%j: index):
    tensor.yield %i : complex<f32>
  } : tensor<4xcomplex<f32>> to tensor<6xcomplex<f32>>
  %out = tensor.empty() : tensor<6xf32>
  %r = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%y : tensor<6xcomplex<f32>>) outs(%out : tensor<6xf32>) {
  ^bb0(%a: complex<f32>, %b: f32):
    %re = complex.re %a : complex<f32>
    linalg.yield %re : f32
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}

//--- unranked.mlir
#vector = affine_map<(d0) -> (d0)>
func.func @unranked(%x: tensor<4xf32>, %first: i1) -> tensor<4xf32> {
  %w = arith.constant dense<(2.0, -3.0)> : tensor<4xcomplex<f32>>
  %z = arith.constant dense<(0.0, 1.0)> : tensor<4xcomplex<f32>>
  %any = scf.if %first -> tensor<*xcomplex<f32>> {
    %a = tensor.cast %w : tensor<4xcomplex<f32>> to tensor<*xcomplex<f32>>
    scf.yield %a : tensor<*xcomplex<f32>>
  } else {
    %b = tensor.cast %z : tensor<4xcomplex<f32>> to tensor<*xcomplex<f32>>
    scf.yield %b : tensor<*xcomplex<f32>>
  }
  %v = tensor.cast %any : tensor<*xcomplex<f32>> to tensor<4xcomplex<f32>>
  %r = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%v : tensor<4xcomplex<f32>>) outs(%x : tensor<4xf32>) {
  ^bb0(%a: complex<f32>, %o: f32):
    %im = complex.im %a : complex<f32>
    linalg.yield %im : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
