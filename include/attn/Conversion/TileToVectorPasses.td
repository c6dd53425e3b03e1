//===- TileToVectorPasses.td - Tile ops to vector loops ----*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_TILETOVECTORPASSES_TD
#define ATTN_CONVERSION_TILETOVECTORPASSES_TD

include "mlir/Pass/PassBase.td"

def LowerToVectorPass : Pass<"attn-lower-to-vector"> {
  let summary = "Lower attn tile ops on memrefs to vector loops";
  let description = [{
    Input: `attn.pack_query`, `attn.online_attention` and `attn.finalize` on
    memrefs, with a schedule, and operands that are 2-D tiles: the number of
    query rows and keys is dynamic up to the schedule's bound, head and value
    dimension are static, states are contiguous.

    `attn.norm`, `attn.rope` and `attn.sinusoidal_positions` on memrefs with a
    schedule, too: blocks of rows, or of positions, become an scf.forall. A block
    of positions has its sines and cosines in scratch.

    Queries lie in the lanes. Both products become loops over register tiles of
    `mr` broadcast elements by `nr` vectors, with the accumulators carried by
    the innermost loop; the softmax is vertical. Masks and biases are emitted by
    the score emitter, in ops that carry them only. Scores of one tile of keys
    live in a scratch at the start of the function or parallel body.

    Output: none of these ops is left, or an error that says why. No call, no
    allocation inside loops.
    Keys and values in another type than the schedule's `operands` are
    converted into scratch first, once for all rows of the tile.
    Numerics: f32 throughout (f64 for f64); narrower inputs are widened exactly
    and results rounded to nearest even once. Weights 2^x have an error of 2 ulp; very
    small ones are 0 (on AVX-512 when the kernel flushes denormals). Hidden keys and values are never multiplied
    into the result, so NaN may stand there. The order of summation is fixed by
    the schedule.

    ```mlir
    attn.online_attention packed scale(#attn.operand) softmax(#attn.softmax) ...
      ins(%q, %k, %v : memref<64x48xf32>, memref<?x64xf32>, memref<?x64xf32>)
      outs(%acc, %max, %sum : memref<64x48xf32>, memref<48xf32>, memref<48xf32>)
    // becomes scf.for over keys { scf.for over d iter_args(24 x vector<16xf32>) }, ...
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

def PackWeightsPass : Pass<"attn-pack-weights", "::mlir::ModuleOp"> {
  let summary = "Take marked weights in panels that were made ahead";
  let description = [{
    Input: functions on tensors whose products have schedules, after inlining: what
    other functions call keeps its arguments. An argument with `attn.packed` is a
    matrix of known sizes.

    Where it is the right operand of one product that has panels, a public
    function NAME_pack_I is added, which makes the panels of argument I of
    NAME, and NAME takes them as its last argument: attn-lower-contractions then
    reads the panels, and of the matrix no more than its sizes. The panels'
    layout is that of the schedule, and so of the target. Elsewhere a remark says
    why the matrix is taken as it lies.

    Output: the same functions, with a number as `attn.packed`, which is also the
    `attn.panels_of` of what was added, and the functions that pack.
    Numerics: none.

    ```mlir
    func.func @layer(%x: tensor<64x96xf32>, %w: tensor<96x32xf32> {attn.packed}) -> ...
    // becomes
    func.func @layer(%x: tensor<64x96xf32>, %w: tensor<96x32xf32> {attn.packed = 1},
                     %panels: tensor<1x1x96x32xf32> {attn.panels_of = 1}) -> ...
    func.func @layer_pack_1(%w: tensor<96x32xf32>) -> tensor<1x1x96x32xf32>
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::math::MathDialect", "mlir::tensor::TensorDialect"
  ];
}

def LowerContractionsPass : Pass<"attn-lower-contractions"> {
  let summary = "Lower matrix products on memrefs to vector loops";
  let description = [{
    Input: `attn.linear` on memrefs, with a schedule, and structured ops on
    memrefs to which attn-schedule-contractions gave one, with contiguous rows of
    the right operand and the output.
    Layouts, transposed operands included, are strides; sizes may be dynamic.

    Blocks of rows by groups of columns become an scf.forall. A block goes over
    the terms in steps: it packs its part of the right operand into panels, in
    the type of the sums, copies the rows of one register tile next to each
    other, and runs that tile over all panels, with the accumulators carried by
    the innermost loop. Sums of one step wait in the output, or, where it is
    narrower, in scratch. A factor, a bias, the epilogue and the rounding to the
    output's type are applied to a tile before it is stored. Error functions of
    the sums in an epilogue are marked `afn`, by which gelu may lose digits far
    below 0; those of extras alone are not. With a `direct` schedule the right
    operand is read where it lies. On the tile unit, sums of up to 64 rows wait
    in scratch as the unit makes them, and panels are packed a few at a time.
    The panels of a right operand that is a private constant in the type of its
    panels are a constant, too, with a remark.

    Output: none of these ops is left but for structured ones whose rows are not
    contiguous, which get a remark.
    Numerics: sums are f32 (f64 for f64) whatever the operands, rounded once, in
    an order that depends on the schedule only.

    ```mlir
    linalg.matmul {attn.contraction = #attn.contraction_schedule<...>}
        ins(%a, %b : memref<?x64xf32>, memref<64x96xf32>) outs(%c : memref<?x96xf32>)
    // becomes
    scf.forall (%batch, %i, %j) in (1, %blocks, 2) {
      ... // pack 64 x 48 elements of %b
      scf.for %row ... { scf.for %k ... iter_args(24 x vector<16xf32>) }
    }
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

#endif // ATTN_CONVERSION_TILETOVECTORPASSES_TD
