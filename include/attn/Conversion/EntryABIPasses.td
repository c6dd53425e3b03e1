//===- EntryABIPasses.td - From tensors to C functions -----*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_ENTRYABIPASSES_TD
#define ATTN_CONVERSION_ENTRYABIPASSES_TD

include "mlir/Pass/PassBase.td"

def ResultsToDestinationsPass
    : Pass<"attn-results-to-destinations", "mlir::ModuleOp"> {
  let summary = "Give public functions memref arguments, destinations and a status";
  let description = [{
    Input: public functions with a body on tensors and scalars, calls to them
    already inlined.

    Each public function gets a leading `!llvm.ptr` (the kernel's context), one
    memref per argument, one trailing memref per result and an `i32` status
    result. Tensor arguments are read with `bufferization.to_tensor restrict`,
    results are tied to their memref with
    `bufferization.materialize_in_destination`. Scalars become memrefs of rank
    0. The memrefs carry fully dynamic strides except for the innermost, which
    is 1, and on a CPU those of an argument whose dimensions a reshape joins: it
    is compact from there on, so that the reshape copies nothing.
    `attn-unit-inner-strides` makes that true for every host.

    Beside each function `NAME` lies a private `NAME__dims` that computes the
    sizes of all results from the sizes of all arguments.

    Output: one-shot bufferization of each function allocates no result.
    Numerics: unchanged.

    ```mlir
    func.func @f(%a: tensor<?xf32>) -> tensor<?xf32>
    // becomes
    func.func @f(%ctx: !llvm.ptr, %a: memref<?xf32, strided<[1], offset: ?>>,
                 %out: memref<?xf32, strided<[1], offset: ?>>) -> i32
    func.func private @f__dims(%a0: index) -> index
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::bufferization::BufferizationDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
    "mlir::tensor::TensorDialect", "mlir::affine::AffineDialect"
  ];
}

def SeparateDestinationsPass
    : Pass<"attn-separate-destinations", "mlir::func::FuncOp"> {
  let summary = "Let no two results begin in the same tensor.empty";
  let description = [{
    Input: tensors whose results are tied to memrefs, after the last common
    subexpression elimination before bufferization.

    A result's buffer takes the place of the `tensor.empty` in which the
    computation of the result begins. Where another result begins there, too,
    or goes on from a value in between, that buffer would hold the other result
    when it is due, and ties to memrefs are no reads that bufferization would
    respect. Therefore each use of a `tensor.empty`, and each destination that
    is a `linalg.fill` of one, gets its own. A computation with a value in
    between that has several uses begins in a `bufferization.alloc_tensor`
    instead and is copied at its end. One that is put together of slices begins
    in its destination, where each slice is then computed. Results take effect all at once: a result
    that may be part of an argument's old value is saved before that argument
    takes over its new one (`attn.inout`), and a new value that does not go on
    from the old one is computed elsewhere.

    Output: as the input, safe for `eliminate-empty-tensors`.
    Numerics: unchanged.

    ```mlir
    %e = tensor.empty() : tensor<4xf32>
    %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %b = linalg.exp ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %e0 = tensor.empty() : tensor<4xf32>
    %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e0 : tensor<4xf32>) -> tensor<4xf32>
    %e1 = tensor.empty() : tensor<4xf32>
    %b = linalg.exp ins(%y : tensor<4xf32>) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let dependentDialects = [
    "mlir::bufferization::BufferizationDialect", "mlir::tensor::TensorDialect"
  ];
}

def UnitInnerStridesPass : Pass<"attn-unit-inner-strides", "mlir::ModuleOp"> {
  let summary = "Let hosts give tensors with any strides";
  let description = [{
    Input: bufferized entries whose memref arguments have dynamic strides, but a
    contiguous innermost dimension.

    Vector loads need contiguous rows, and hosts may have tensors without them.
    The function is renamed to `NAME__unit`; a new `NAME` takes memrefs with any
    strides, passes on those whose strides are as `NAME__unit` has them, and
    copies the others into scratch and, for outputs, back. The scratch is freed on
    return, see `attn-place-scratch`.

    Output: entries whose memref arguments have only dynamic strides.
    Numerics: unchanged.

    ```mlir
    func.func @f(%ctx: !llvm.ptr, %a: memref<?xf32, strided<[1], offset: ?>>) -> i32
    // becomes
    func.func @f(%ctx: !llvm.ptr, %a: memref<?xf32, strided<[?], offset: ?>>) -> i32
    func.func private @f__unit(%ctx: !llvm.ptr, %a: memref<?xf32, strided<[1], offset: ?>>) -> i32
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect"
  ];
}

def EmitEntryPass : Pass<"attn-emit-entry", "mlir::ModuleOp"> {
  let summary = "Emit the C functions that hosts call";
  let description = [{
    Input: what `attn-results-to-destinations` made of each public function,
    bufferized; the body may be lowered as far as the LLVM dialect.

    `NAME` becomes private as `NAME__kernel`. Two C functions are added, see
    attn-runtime/attn_runtime.h: `NAME(ctx, tensors...)` checks the context, each
    DLTensor (null pointers, rank, element type, sizes, device, strides) and
    that no output overlaps another argument, and calls the kernel with the
    thread's denormals flushed; `NAME__shapes(ctx, inputs..., dims)` stores the
    sizes of the outputs. A failed check returns a code and copies a constant
    text that names the argument and what was expected.

    Output: LLVM functions that call functions on memrefs. `attn.target` is gone:
    the passes and tools that follow are upstream's.
    Numerics: denormals count as zero inside the kernel; the caller's mode is
    restored.

    ```mlir
    func.func @f(%ctx: !llvm.ptr, %a: memref<?xf32, strided<[1], offset: ?>>,
                 %out: memref<?xf32, strided<[1], offset: ?>>) -> i32
    // gains
    llvm.func @f(%ctx: !llvm.ptr, %a: !llvm.ptr, %out: !llvm.ptr) -> i32
    llvm.func @f__shapes(%ctx: !llvm.ptr, %a: !llvm.ptr, %dims: !llvm.ptr) -> i32
    ```
  }];
  let dependentDialects = ["mlir::func::FuncDialect", "mlir::LLVM::LLVMDialect"];
}

#endif // ATTN_CONVERSION_ENTRYABIPASSES_TD
