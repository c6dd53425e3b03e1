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
