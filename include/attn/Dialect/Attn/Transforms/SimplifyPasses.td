//===- SimplifyPasses.td - Composite ops as their parts ----*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_SIMPLIFYPASSES_TD
#define ATTN_DIALECT_ATTN_TRANSFORMS_SIMPLIFYPASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandBlocksPass : Pass<"attn-expand-blocks", "::mlir::func::FuncOp"> {
  let summary = "replace the composite ops of a block by their parts";
  let description = [{
    Input contract: attn.multi_head_attention, attn.feed_forward and
    attn.residual on tensors, nested in any way.

    A multi-head attention becomes linear layers, norms of heads, rotations, one
    attn.attention and the last linear layer. Queries, keys, values and outputs
    stay as the projections give and take them, [batch..., rows, heads,
    dimension], and the attention's indexing maps say so: nothing is transposed.
    New rows for a cache are inserted into slices of it, which bufferises without
    a copy of the cache where its value is not used otherwise; that they fit is a
    cf.assert. With one past for all sequences the attention sees a slice of the
    cache, with one each it has the mask kv_lengths.

    A feed-forward layer becomes linear layers, an activation and, where it is
    gated, a product. The regions of a residual block move out of it, and the sum
    becomes arith.addf, or one structured op where the branch has a factor.

    Output contract: none of the three ops is left.

    Effect on numerics: none; it is how these ops are defined. Each part rounds
    its result to the element type.

    Example:

    ```mlir
    %y = attn.feed_forward gelu ins(%x : tensor<8x64xf32>)
        up(%u : tensor<64x256xf32>) down(%d : tensor<256x64xf32>)
        -> tensor<8x64xf32>
    // becomes
    %h = attn.linear ins(%x, %u : tensor<8x64xf32>, tensor<64x256xf32>)
        outs(%e : tensor<8x256xf32>) -> tensor<8x256xf32>
    %a = attn.activation gelu %h : tensor<8x256xf32>
    %y = attn.linear ins(%a, %d : tensor<8x256xf32>, tensor<256x64xf32>)
        outs(%f : tensor<8x64xf32>) -> tensor<8x64xf32>
    ```
  }];
  let dependentDialects = [
    "::attn::AttnDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_SIMPLIFYPASSES_TD
