//===- AttnToLinalgPasses.td - The portable path -----------*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_ATTNTOLINALGPASSES_TD
#define ATTN_CONVERSION_ATTNTOLINALGPASSES_TD

include "mlir/Pass/PassBase.td"

def DecomposePass : Pass<"attn-decompose"> {
  let summary = "Rewrite attn ops on tensors as plain linalg";
  let description = [{
    Input: attn ops on tensors, with any policies, layouts and sizes. Ops on
    memrefs are left alone.

    Each op becomes structured ops, one per step: norms (for cosine
    similarity), similarities, which keys are visible, scores, the running
    maximum, weights, their sum, the product with the values, and the end of
    the rows with the normaliser's extra term. All scores of an op exist at
    once, so this is for targets and combinations without a fast path. A scale
    that depends on n is computed once per row. Operands keep their layouts and
    head groups through indexing maps. With `keep-tiles` ops on tiles,
    linear layers, norms, softmax, statistics and positions that have a schedule
    are left for a machine lowering, unless `ignore-schedules` is given.

    A norm becomes sums over its axes and elementwise ops; its variance is a
    second sum, around the mean.

    Output: no attn op on tensors (with `keep-tiles`: no attn.attention), or an
    error that says why.
    Numerics: scores, weights, sums and accumulators have the compute type
    (f32, or f64 for f64), summed in the order of the loops; operands are
    widened when read and results rounded once. Scores stay in natural units
    (on tiles, in log2 units), and exponentials are relative to the row's
    maximum. A hidden key's score is replaced before the exponential and its
    value before the product, so NaN may stand there.

    ```mlir
    %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x6x16xf32>, tensor<4x6x16xf32>)
        outs(%init : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
    // becomes
    %s = linalg.generic ... ins(%q, %k) outs(%zeros : tensor<4x8x6xf32>) { mulf, addf }
    %t = linalg.generic ... outs(%s) { mulf }
    %m = linalg.generic ... ins(%t) outs(%infinities : tensor<4x8xf32>) { cmpf, select }
    %p = linalg.generic ... ins(%m) outs(%t) { subf, exp }
    ...
    ```
  }];
  let options = [Option<"keepTiles", "keep-tiles", "bool", "false",
                        "Leave ops with a schedule for a machine lowering">,
                 Option<"ignoreSchedules", "ignore-schedules", "bool", "false",
                        "With keep-tiles, rewrite ops with a schedule as all "
                        "others">];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::cf::ControlFlowDialect",
    "mlir::linalg::LinalgDialect", "mlir::math::MathDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"
  ];
}

def CountSeenKeysPass : Pass<"attn-count-seen-keys", "::mlir::func::FuncOp"> {
  let summary = "Count the keys that each row sees, where a scale asks for them";
  let description = [{
    Input: attn.attention on tensors, with n = `seen`, without a schedule.

    The scale of a row comes before its first score, so its keys are counted
    before: by a structured op over the masks and what they take, for each
    index that these vary with, once for all heads that share a mask. The count
    becomes a param of the attention, whose n is `position_operand` then. Where
    all masks leave ranges of keys, n is `visible`, or `keys`, and nothing is
    counted. `attn-decompose` does the same.

    Output: no attn.attention on tensors has n = `seen`.
    Effect on numerics: none.

    Example: test/Conversion/AttnToLinalg/count-seen-keys.mlir.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"
  ];
}

#endif // ATTN_CONVERSION_ATTNTOLINALGPASSES_TD
