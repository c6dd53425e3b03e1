// What bodies of elements hold besides arithmetic, as exported models have it:
// the reference asserts, asks for sizes, and takes a conversion out of range for
// a value that a selection may drop.

// RUN: attn-run %s --entry=bodies --check | FileCheck %s
// RUN: attn-run %s --entry=bodies --portable --check | FileCheck %s
// CHECK-COUNT-2: match

// RUN: attn-run %s --entry=pairs --check | FileCheck %s
// RUN: not attn-run %s --entry=refused --check 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: the reference cannot run 'refused': {{.*}}: assertion failed: a row is missing{{$}}

// Where no reference was asked for, none is needed.

// RUN: attn-run %s --entry=unknown --output=%t.npz
// RUN: attn-run %s --entry=unknown --expect=%t.npz | FileCheck %s --check-prefix=PLAIN
// PLAIN: out0 against expected values: match
// PLAIN-NEXT: compared to half the digits, without a reference: the reference cannot run 'unknown': {{.*}} cannot interpret this operation

// RUN: attn-run %s --entry=unknown --seed=1 --output=%t.other.npz
// RUN: not attn-run %s --entry=unknown --expect=%t.other.npz | FileCheck %s --check-prefix=OFF
// OFF: out0 against expected values: MISMATCH
// OFF-NEXT: ; compared to half the digits, without a reference

// RUN: not attn-run %s --entry=unknown --expect=%t.npz --check 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED: the reference cannot run 'unknown'

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#vector = affine_map<(i) -> (i)>

func.func @bodies(%x: tensor<4x8xf32>, %y: tensor<3x8xf32>) -> (tensor<3x8xf32>, tensor<3x8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %huge = arith.constant 1.0e38 : f32
  %none = arith.constant -1 : i64
  %rows = arith.constant dense<[3, 0, 2]> : tensor<3xi64>
  %e = tensor.empty() : tensor<3x8xf32>
  %f = tensor.empty() : tensor<3x8xi64>
  %r:2 = linalg.generic {indexing_maps = [#row, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%rows, %y : tensor<3xi64>, tensor<3x8xf32>) outs(%e, %f : tensor<3x8xf32>, tensor<3x8xi64>) {
  ^bb0(%row: i64, %a: f32, %o: f32, %p: i64):
    %k = arith.index_cast %row : i64 to index
    %n = tensor.dim %x, %c0 : tensor<4x8xf32>
    %in = arith.cmpi slt, %k, %n : index
    cf.assert %in, "a row is missing"
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%k, %j] : tensor<4x8xf32>
    %big = arith.mulf %a, %huge : f32
    %far = arith.fptosi %big : f32 to i64
    %near = arith.fptosi %a : f32 to i64
    %small = arith.cmpf olt, %a, %zero : f32
    %drawn = arith.select %small, %near, %none : i64
    %m = arith.cmpi sgt, %k, %c1 : index
    %kept = arith.select %m, %drawn, %far : i64
    %t = arith.select %m, %kept, %drawn : i64
    linalg.yield %v, %t : f32, i64
  } -> (tensor<3x8xf32>, tensor<3x8xi64>)
  return %r#0, %r#1 : tensor<3x8xf32>, tensor<3x8xi64>
}

// Ops with two results.
func.func @pairs(%x: tensor<99xf32>, %i: tensor<99xi32>) -> (tensor<99xf32>, tensor<99xi32>) {
  %e = tensor.empty() : tensor<99xf32>
  %f = tensor.empty() : tensor<99xi32>
  %big = arith.constant 1234567890 : i32
  %r:2 = linalg.generic {indexing_maps = [#vector, #vector, #vector, #vector], iterator_types = ["parallel"]}
      ins(%x, %i : tensor<99xf32>, tensor<99xi32>) outs(%e, %f : tensor<99xf32>, tensor<99xi32>) {
  ^bb0(%a: f32, %n: i32, %o: f32, %p: i32):
    %sin, %cos = math.sincos %a : f32
    %s = arith.subf %sin, %cos : f32
    %m = arith.xori %n, %big : i32
    %low, %high = arith.mulsi_extended %m, %m : i32
    %ulow, %uhigh = arith.mului_extended %m, %low : i32
    %sum, %carry = arith.addui_extended %ulow, %high : i32, i1
    %c = arith.select %carry, %uhigh, %sum : i32
    %t = arith.addi %c, %high : i32
    linalg.yield %s, %t : f32, i32
  } -> (tensor<99xf32>, tensor<99xi32>)
  return %r#0, %r#1 : tensor<99xf32>, tensor<99xi32>
}

func.func @refused(%x: tensor<4x8xf32>) -> tensor<5x8xf32> {
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<5x8xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<5x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %in = arith.cmpi slt, %i, %c4 : index
    cf.assert %in, "a row is missing"
    %v = tensor.extract %x[%i, %j] : tensor<4x8xf32>
    linalg.yield %v : f32
  } -> tensor<5x8xf32>
  return %r : tensor<5x8xf32>
}

func.func @unknown(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : tensor<8xf32>, vector<8xf32>
  %r = vector.transfer_write %v, %x[%c0] {in_bounds = [true]} : vector<8xf32>, tensor<8xf32>
  return %r : tensor<8xf32>
}
