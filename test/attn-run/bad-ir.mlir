// Files that are no valid program end with 2, name file and line, and leave
// nothing behind.

// RUN: rm -rf %t && split-file %s %t && mkdir -p %t/out
// DEFINE: %{bad} = %python %S/Inputs/exit_code.py 2 attn-run --check --output=%t/out/o.npz --json=%t/out/o.json --dump-dir=%t/out/dump

// RUN: %{bad} %t/syntax.mlir 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: syntax.mlir:3:{{[0-9]+}}: error:
// SYNTAX: attn-run: error: {{.*}}syntax.mlir: is not a valid MLIR module

// A param of the wrong shape: one length for each of 2 batches is wanted.
// RUN: %{bad} %t/param.mlir 2>&1 | FileCheck %s --check-prefix=PARAM
// PARAM: param.mlir:4:{{[0-9]+}}: error: 'attn.attention' op
// PARAM: attn-run: error: {{.*}}param.mlir: is not a valid MLIR module

// RUN: %{bad} %t/missing.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: attn-run: error: {{.*}}missing.mlir: No such file or directory

// RUN: %{bad} %t/empty.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: attn-run: error: {{.*}}empty.mlir: there is no public function to run

// RUN: %{bad} %t/two.mlir 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: attn-run: error: {{.*}}two.mlir: choose the function with --entry: f, g

// RUN: %{bad} %t/type.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: attn-run: error: {{.*}}type.mlir:2: argument 0 has type memref<4xf32>, which kernels cannot take or return; write the function on tensors, with attn.inout on an argument that is updated in place

// RUN: %{bad} %t/blocks.mlir 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not attn-compile %t/blocks.mlir -o %t/out/k 2>&1 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: error: {{.*}}blocks.mlir:2: function 'f' has no end; a kernel ends with func.return
// RUN: %{bad} %t/end.mlir 2>&1 | FileCheck %s --check-prefix=END
// RUN: not attn-compile %t/end.mlir -o %t/out/k 2>&1 | FileCheck %s --check-prefix=END
// END: error: {{.*}}end.mlir:2: function 'f' has no end; a kernel ends with func.return
// RUN: %python %S/Inputs/exit_code.py 2 attn-run %t/order.mlir 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not attn-compile %t/order.mlir -o %t/out/k 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: {{.*}}order.mlir:2: a kernel has one block; its control flow is scf

// A constant whose bytes are not in the file, or are others.
// RUN: %{bad} %t/lost.mlir 2>&1 | FileCheck %s --check-prefix=LOST
// LOST: error: {{.*}}lost.mlir:3: the constant dense_resource<weights> has no bytes in the file; write the file with its resources, or make the constant an argument
// RUN: %{bad} %t/bytes.mlir 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not attn-compile %t/bytes.mlir -o %t/out/k 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: error: {{.*}}bytes.mlir:3: the constant dense_resource<weights> has 8 bytes in the file, and elements of 16; write the file anew
// RUN: %{bad} %t/nibbles.mlir 2>&1 | FileCheck %s --check-prefix=NIBBLES
// NIBBLES: the constant dense_resource<weights> has elements of a type that kernels do not read from a file
// RUN: sed 's/0x040000000000803f00000040/0x040000000000803f000000400000404000008040/' %t/bytes.mlir > %t/right.mlir
// RUN: attn-run %t/right.mlir --check | FileCheck %s --check-prefix=RIGHT
// RIGHT: match

// The forms of ops on memrefs are refused where they stand, in functions that are called as well.
// RUN: %{bad} %t/memref.mlir 2>&1 | FileCheck %s --check-prefix=MEMREF
// RUN: %{bad} %t/called-memref.mlir --portable 2>&1 | FileCheck %s --check-prefix=CALLED
// MEMREF: attn-run: error: {{.*}}memref.mlir:3: 'attn.softmax' has memrefs as operands; kernels are compiled from ops on tensors, which become memrefs later: write it on tensors
// CALLED: attn-run: error: {{.*}}called-memref.mlir:7: 'attn.rope' has memrefs as operands

// RUN: %{bad} %t/void.mlir 2>&1 | FileCheck %s --check-prefix=VOID
// VOID: attn-run: error: {{.*}}void.mlir:2: the function has no results

// RUN: %python -c "import os; assert os.listdir(r'%t/out') == []"

//--- syntax.mlir
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  // The name of the value is wrong.
  return %b : tensor<4xf32>
}

//--- param.mlir
func.func @f(%q: tensor<2x1x4x8xf32>, %k: tensor<2x1x4x8xf32>, %v: tensor<2x1x4x8xf32>,
             %lens: tensor<3xi32>) -> tensor<2x1x4x8xf32> {
  %init = tensor.empty() : tensor<2x1x4x8xf32>
  %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.kv_lengths]
      ins(%q, %k, %v : tensor<2x1x4x8xf32>, tensor<2x1x4x8xf32>, tensor<2x1x4x8xf32>)
      params(%lens : tensor<3xi32>) outs(%init : tensor<2x1x4x8xf32>) -> tensor<2x1x4x8xf32>
  return %o : tensor<2x1x4x8xf32>
}

//--- empty.mlir
module {}

//--- two.mlir
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
func.func @g(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }

//--- type.mlir

func.func @f(%a: memref<4xf32>) -> tensor<4xf32> {
  %t = tensor.empty() : tensor<4xf32>
  return %t : tensor<4xf32>
}

//--- void.mlir

func.func @f(%a: tensor<4xf32>) { return }

//--- memref.mlir
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = memref.alloc() : memref<4x8xf32>
  attn.softmax scale(#attn.none) softmax(#attn.softmax) ins(%a : memref<4x8xf32>) outs(%a : memref<4x8xf32>)
  return %x : tensor<4x8xf32>
}

//--- called-memref.mlir
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  call @g() : () -> ()
  return %x : tensor<4x8xf32>
}
func.func private @g() {
  %a = memref.alloc() : memref<4x8xf32>
  attn.rope ins(%a : memref<4x8xf32>) outs(%a : memref<4x8xf32>)
  return
}

//--- blocks.mlir
// Never ends.
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^again
^again:
  cf.br ^again
}

//--- order.mlir
// The last block is not the one that returns.
func.func @f(%x: tensor<4xf32>, %b: i1) -> tensor<4xf32> {
  cf.br ^test
^done:
  return %x : tensor<4xf32>
^test:
  cf.cond_br %b, ^done, ^test
}

//--- end.mlir
// Never returns.
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  llvm.unreachable
}

//--- lost.mlir
// What is left of an export without its weights.
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = arith.constant dense_resource<weights> : tensor<4xf32>
  %r = arith.addf %x, %w : tensor<4xf32>
  return %r : tensor<4xf32>
}

//--- bytes.mlir
// Two numbers for four.
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = arith.constant dense_resource<weights> : tensor<4xf32>
  %r = arith.addf %x, %w : tensor<4xf32>
  return %r : tensor<4xf32>
}
{-# dialect_resources: { builtin: { weights: "0x040000000000803f00000040" } } #-}

//--- nibbles.mlir
// Four bits a number.
func.func @f(%x: tensor<4xi8>) -> tensor<4xi8> {
  %w = arith.constant dense_resource<weights> : tensor<4xi4>
  %wide = arith.extsi %w : tensor<4xi4> to tensor<4xi8>
  %r = arith.addi %x, %wide : tensor<4xi8>
  return %r : tensor<4xi8>
}
{-# dialect_resources: { builtin: { weights: "0x0400000001020304" } } #-}
