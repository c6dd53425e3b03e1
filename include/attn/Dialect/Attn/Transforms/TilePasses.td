//===- TilePasses.td - Loops over tiles --------------------*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_TILEPASSES_TD
#define ATTN_DIALECT_ATTN_TRANSFORMS_TILEPASSES_TD

include "mlir/Pass/PassBase.td"

def TilePass : Pass<"attn-tile", "::mlir::func::FuncOp"> {
  let summary = "turn scheduled attentions into loops over tiles";
  let description = [{
    Input contract: attn.attention on tensors; those with a schedule are tiled.

    Each becomes an scf.forall over batch, head and blocks of rows. A block packs
    its query rows once (attn.pack_query), runs attn.online_attention over blocks
    of keys and finishes with attn.finalize. Keys outside the range that the
    masks leave to the block are skipped; the loop over the rest is split into an
    edge part (masks kept), a full part (range masks removed) and an edge part.

    Output contract: inside the forall only the three tile ops on tensors of
    static bounds (dynamic at the tails); nothing of size rows x keys of the whole
    problem exists.

    Effect on numerics: sums are taken block by block with a running maximum, in
    an order that depends on sizes and schedule only.

    Example:

    ```mlir
    %r = scf.forall (%b, %i) in (2, 2) shared_outs(%o = %init) -> (tensor<2x64x64xf32>) {
      %qt = attn.pack_query ...
      %s:3 = scf.for ... { attn.online_attention packed ... }
      %t = attn.finalize ...
      scf.forall.in_parallel { tensor.parallel_insert_slice %t into %o ... }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_TILEPASSES_TD
