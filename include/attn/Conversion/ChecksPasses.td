//===- ChecksPasses.td - Sizes and indices are checked -----*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_CHECKSPASSES_TD
#define ATTN_CONVERSION_CHECKSPASSES_TD

include "mlir/Pass/PassBase.td"

def CheckCastsPass : Pass<"attn-check-casts", "mlir::func::FuncOp"> {
  let summary = "Assert what simplification would forget of sizes";
  let description = [{
    Input: functions on tensors, before anything was simplified.

    A cast to static sizes says that the sizes are those. Canonicalisation uses
    that, and then nothing is left that says so; nor is it when a block is
    expanded whose caches have to be of one size, of a softmax, a packing or an
    op of tm_tensor whose tensors have to fit each other, of two paddings that
    become one, or of an element that is taken from a tensor all of whose
    elements are known. These become assertions now, as those of
    attn-check-sizes, which moves them to where they belong. An index that is
    cast to a few bits and back keeps no more than these.

    What structured ops, views, slices and concatenations demand of arguments
    is noted, too, as attn-check-sizes does: equal dimensions on the arguments,
    the rest as assertions. Raised ops have sizes of their own, and read
    elements of a mask, of which there may be more. A quotient is not asked for
    here, as its divisor may be 0.

    Output: the same functions with assertions. Numerics: unchanged.

    ```mlir
    %b = tensor.cast %a : tensor<?xf32> to tensor<4xf32>
    // becomes
    cf.assert %is_four, "f: file.mlir:2: 'tensor.cast': dimension 0 of input 0 must equal 4"
    %b = tensor.cast %a : tensor<?xf32> to tensor<4xf32>
    ```
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::cf::ControlFlowDialect", "mlir::tensor::TensorDialect"
  ];
}

def CheckSizesPass : Pass<"attn-check-sizes", "mlir::ModuleOp"> {
  let summary = "Prove or check what ops demand of sizes and indices";
  let description = [{
    Input: public functions on tensors, before ops are tiled.

    Structured ops, attn ops, elementwise ops on tensors, casts, reshapes and
    slices force sizes to be equal, or to be large enough; elements are taken
    from inside of tensors; nobody divides by 0, and loops end. Segment ids of
    64 bits become 32, if they fit. Each such demand is expressed by
    the sizes of the function's arguments. What that proves is dropped. Of the
    rest,

    * equal dimensions of arguments are recorded on them: `attn.dim_classes` has
      one number per dimension, equal numbers for equal sizes, `attn.dim_sizes`
      the constant or -1; `attn-emit-entry` compares them,
    * what else is about sizes of arguments is a `cf.assert` at the start of the
      function with `attn.entry_check`: `NAME__dims` makes it, and so the entry
      and `NAME__shapes`,
    * what is about elements of arguments is a `cf.assert` at the start of the
      function,
    * everything else is a `cf.assert` in front of the op, and in bodies of
      structured ops in front of the element.

    `attn.status` on the assertion is what the kernel returns (see
    attn_runtime.h): ATTN_ERROR_SHAPE for sizes, ATTN_ERROR_ASSERTION for
    indices, ids, steps and divisors that come from data. Ops inside regions
    demand nothing at the entry, because they may not run. An index into a
    tensor that the loops of a structured op bound is checked in front of the
    op. The region of an attn op may not divide by what may be 0.

    Without `inside` only the entry's checks are left.

    Output: the same functions with assertions. Numerics: unchanged.

    ```mlir
    func.func @f(%a: tensor<?x8xf32>, %b: tensor<?x?xf32>) { linalg.matmul ... }
    // becomes
    func.func @f(
      %a: tensor<?x8xf32> {attn.dim_classes = array<i64: 0, 1>, attn.dim_sizes = array<i64: -1, 8>},
      %b: tensor<?x?xf32> {attn.dim_classes = array<i64: 2, 3>, attn.dim_sizes = array<i64: 8, -1>})
    ```
  }];
  let options = [
    Option<"inside", "inside", "bool", /*default=*/"true",
           "Check inside of kernels what the entry cannot know">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::cf::ControlFlowDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect"
  ];
}

#endif // ATTN_CONVERSION_CHECKSPASSES_TD
