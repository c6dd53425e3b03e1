// Indices that are computed: by types that are too narrow for them, by products
// that would wrap, by divisors that are no divisors.

// DEFINE: %{run} = %python %S/Inputs/exit_code.py 2 attn-run %s
// DEFINE: %{npz} = %python %S/Inputs/npz.py write
// RUN: mkdir -p %t

// RUN: %{run} --entry=narrow --shape=0:400 --shape=1:150 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: %{run} --entry=narrow --shape=0:400 --shape=1:150 --portable 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: attn-run %s --entry=narrow --shape=0:400 --shape=1:28 --check | FileCheck %s --check-prefix=FITS
// NARROW: (code 9): narrow: index-arithmetic.mlir:{{[0-9]+}}: 'tensor.extract': the index into dimension 0 of input 0 must be at least 0 and below dimension 0 of input 0 (-128 against 400)
// FITS: out0 against f64 reference: match
func.func @narrow(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %k = arith.constant 100 : i8
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %a = arith.index_cast %i : index to i8
    %s = arith.addi %a, %k : i8
    %b = arith.index_cast %s : i8 to index
    %v = tensor.extract %x[%b] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Two casts are not none.
// RUN: %{run} --entry=there_and_back --shape=0:300 --shape=1:150 2>&1 | FileCheck %s --check-prefix=BACK
// BACK: (code 9): there_and_back: {{.*}}(-128 against 300)
func.func @there_and_back(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %a = arith.index_cast %i : index to i8
    %b = arith.index_cast %a : i8 to index
    %v = tensor.extract %x[%b] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// RUN: %{run} --entry=stride --shape=0:40 --shape=1:17 2>&1 | FileCheck %s --check-prefix=STRIDE
// RUN: %{run} --entry=stride --shape=0:40 --shape=1:17 --check 2>&1 | FileCheck %s --check-prefix=STRIDEREF
// STRIDE: (code 5): stride: input 1: dimension 0 must be 0 (17 against 0)
// STRIDEREF: the slice is not inside of the tensor
func.func @stride(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %s = tensor.extract_slice %x[1] [%n] [1152921504606846976] : tensor<?xf32> to tensor<?xf32>
  %r = arith.addf %s, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}

// Three sizes below 2^31 whose product is 2^64.
// RUN: %{npz} %t/sizes.npz arg0:f4:0: arg1:i8:3:1073741824,1073741824,16
// RUN: %{run} --entry=product --inputs=%t/sizes.npz 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: %{run} --entry=product --inputs=%t/sizes.npz --check 2>&1 | FileCheck %s --check-prefix=PRODUCTREF
// PRODUCT: (code 5): product: {{.*}}: the number of elements, so far, must be at least 0 and below 4294967296 (1152921504606846976 against 4294967296)
// PRODUCTREF: reshapes 0 elements to 18446744073709551616
func.func @product(%x: tensor<?xf32>, %sizes: tensor<3xi64>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %shape = arith.index_cast %sizes : tensor<3xi64> to tensor<3xindex>
  %t = tensor.reshape %x(%shape) : (tensor<?xf32>, tensor<3xindex>) -> tensor<?x?x?xf32>
  %v = tensor.extract %t[%c5, %c5, %c5] : tensor<?x?x?xf32>
  %r = tensor.from_elements %v : tensor<f32>
  return %r : tensor<f32>
}

// RUN: %{npz} %t/zero.npz arg0:i8:2:7,0
// RUN: %{npz} %t/two.npz arg0:i8:2:7,2
// RUN: %{run} --entry=divide --inputs=%t/zero.npz 2>&1 | FileCheck %s --check-prefix=DIVIDE
// RUN: %{run} --entry=divide --inputs=%t/zero.npz --check 2>&1 | FileCheck %s --check-prefix=DIVIDEREF
// RUN: attn-run %s --entry=divide --inputs=%t/two.npz --check | FileCheck %s --check-prefix=FITS
// RUN: attn-run %s --entry=divide --inputs=%t/two.npz --check --portable | FileCheck %s --check-prefix=FITS
// DIVIDE: (code 9): divide: {{.*}}'affine.apply': the divisor must be at least 1 (0 against 1)
// DIVIDEREF: a divisor of an affine map is below 1
func.func @divide(%a: tensor<2xi64>) -> tensor<2xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.extract %a[%c0] : tensor<2xi64>
  %d = tensor.extract %a[%c1] : tensor<2xi64>
  %i = arith.index_cast %n : i64 to index
  %j = arith.index_cast %d : i64 to index
  %q = affine.apply affine_map<()[s, t] -> (s floordiv t + s mod t)>()[%i, %j]
  %m = affine.min affine_map<()[s, t] -> (s ceildiv t, 100)>()[%i, %j]
  %v = arith.index_cast %q : index to i64
  %w = arith.index_cast %m : index to i64
  %r = tensor.from_elements %v, %w : tensor<2xi64>
  return %r : tensor<2xi64>
}

// Shifts by more bits than there are leave none, or the sign.
// RUN: %{npz} %t/shifts.npz arg0:i4:6:-5,-5,-5,7,7,7 arg1:i4:6:1,32,-1,31,40,2
// RUN: attn-run %s --entry=shift --inputs=%t/shifts.npz --check | FileCheck %s --check-prefix=THREE
// RUN: attn-run %s --entry=shift --inputs=%t/shifts.npz --check --portable | FileCheck %s --check-prefix=THREE
// THREE-COUNT-4: match
func.func @shift(%x: tensor<?xi32>, %by: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %k = arith.constant 64 : i32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %0 = arith.shli %x, %by : tensor<?xi32>
  %1 = arith.shrui %x, %by : tensor<?xi32>
  %2 = arith.shrsi %x, %by : tensor<?xi32>
  %first = tensor.extract %x[%c0] : tensor<?xi32>
  %all = arith.shli %first, %k : i32
  %e = tensor.splat %all[%n] : tensor<?xi32>
  %3 = arith.addi %x, %e : tensor<?xi32>
  return %0, %1, %2, %3 : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
}

// What is simplified to a number is asked before.
// RUN: %{npz} %t/nine.npz arg0:i8:1:9
// RUN: %{run} --entry=known --inputs=%t/nine.npz 2>&1 | FileCheck %s --check-prefix=KNOWN
// KNOWN: (code 9): known: {{.*}}'tensor.extract': the index into dimension 0 of operand 0 must be at least 0 and below dimension 0 of operand 0 (9 against 5)
func.func @known(%a: tensor<1xi64>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %same = arith.constant dense<3.0> : tensor<5xf32>
  %n = tensor.extract %a[%c0] : tensor<1xi64>
  %i = arith.index_cast %n : i64 to index
  %v = tensor.extract %same[%i] : tensor<5xf32>
  %r = tensor.from_elements %v : tensor<f32>
  return %r : tensor<f32>
}
