//===- FusePasses.td - What costs less inside an op --------*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_FUSEPASSES_TD
#define ATTN_DIALECT_ATTN_TRANSFORMS_FUSEPASSES_TD

include "mlir/Pass/PassBase.td"

def FuseResidualNormPass : Pass<"attn-fuse-residual-norm", "::mlir::func::FuncOp"> {
  let summary = "make residual additions part of the norms after them";
  let description = [{
    Input contract: attn.norm on tensors, with the schedules of
    attn-select-schedule; additions and products as arith.addf
    and arith.mulf on tensors, linalg.add and linalg.mul, or in the body of a
    linalg.generic.

    Where a norm's input is the elementwise sum of two tensors of its type, the
    norm takes one of them as its input and the other one as its residual. Where
    one of them is multiplied by a number that all elements share (the alpha of
    ReZero, a constant, what a schedule gives a step), that becomes the factor of
    the residual. Where others use the sum too, all of them after the norm, it
    becomes the norm's second result. A residual sum that stays gets a remark:
    one that is used before the norm, has a factor for each addend or for both
    together, or belongs to a norm without a schedule.

    Output contract: the same ops; fused additions and products are gone.

    Effect on numerics: the sum is rounded to its type before it is normalised, as
    it was. A product that was rounded to f16 or bf16 before the sum is not
    rounded any more.

    Example:

    ```mlir
    %x = arith.addf %a, %b : tensor<8x64xf32>
    %y = attn.norm rms axes [1] eps(1.0e-5) ins(%x : tensor<8x64xf32>)
        outs(%init : tensor<8x64xf32>) -> tensor<8x64xf32>
    return %x, %y : tensor<8x64xf32>, tensor<8x64xf32>
    // becomes
    %y:2 = attn.norm rms axes [1] eps(1.0e-5) ins(%a : tensor<8x64xf32>)
        residual(%b : tensor<8x64xf32>) outs(%init : tensor<8x64xf32>)
        sum(%empty : tensor<8x64xf32>) -> tensor<8x64xf32>, tensor<8x64xf32>
    return %y#1, %y#0 : tensor<8x64xf32>, tensor<8x64xf32>
    ```
  }];
  let dependentDialects = [
    "::attn::AttnDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FuseEpiloguePass : Pass<"attn-fuse-epilogue", "::mlir::func::FuncOp"> {
  let summary = "make elementwise ops part of the linear layers before them";
  let description = [{
    Input contract: attn.linear on tensors; elementwise ops after it: activations
    and arith or math ops on tensors, structured ops whose loops are parallel.

    An elementwise op that alone uses the result of a linear layer, such as an
    activation, the addition of a residual or the product with a gate, becomes
    part of the layer's epilogue: its other operands are extras, numbers that are
    the same for all elements are constants of the region. Where two layers meet
    in one op, the later one takes it in. An op is left alone, with a remark,
    where the layer's result has other users, where an operand is not read at the
    place that is written, or where its body is not arithmetic on floats.

    Output contract: the same ops; fused ones are regions of linear layers.

    Effect on numerics: what was rounded to f16 or bf16 between the layer and the
    op is not rounded any more. None for f32 and f64.

    Example:

    ```mlir
    %y = attn.linear ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>)
        outs(%init : tensor<8x96xf32>) -> tensor<8x96xf32>
    %z = arith.addf %r, %y : tensor<8x96xf32>
    // becomes
    %z = attn.linear ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>)
        extras(%r : tensor<8x96xf32>) outs(%init : tensor<8x96xf32>) epilogue {
    ^bb0(%sum: f32, %extra: f32):
      %e = arith.addf %extra, %sum : f32
      attn.yield %e : f32
    } -> tensor<8x96xf32>
    ```
  }];
  let dependentDialects = [
    "::attn::AttnDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

class Attn_FuseRowsPass<string flag> : Pass<flag, "::mlir::func::FuncOp"> {
  let dependentDialects = [
    "::attn::AttnDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FuseRopePass : Attn_FuseRowsPass<"attn-fuse-rope"> {
  let summary = "rotate queries and keys when the attention loads them";
  let description = [{
    Input contract: attn.attention with its schedule and attn.rope, on tensors.

    Where the query or the key of an attention is the result of an attn.rope,
    whatever the layout of heads and rows, the attention reads the rope's input
    and rotates its rows when it loads them (`#attn.rotate` in `load_query` or
    `load_key`). Its param, sines and cosines of all rows, is computed once
    before it by attn.sinusoidal_positions; equal tables are one after CSE. A
    query row is loaded once, so its rotation is always fused. A key is loaded
    once for each query head that shares it and each block of query rows: it is
    fused where that is at most four times, as in decoding. A rotation whose result
    has other uses, such as an append to a cache, stays. Each rope gets a remark.

    Output contract: the same ops; fused rotations are gone.

    Effect on numerics: what was rounded to f16 or bf16 between the rotation and
    the attention is not rounded any more. None for f32 and f64.

    Example:

    ```mlir
    %r = attn.rope ins(%q : tensor<1x8x256x64xf32>)
        outs(%e : tensor<1x8x256x64xf32>) -> tensor<1x8x256x64xf32>
    %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        ins(%r, %k, %v : ...) outs(%init : ...) -> tensor<1x8x256x64xf32>
    // becomes
    %t = attn.sinusoidal_positions pairs(half_split)
        outs(%f : tensor<256x64xf32>) -> tensor<256x64xf32>
    %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        load_query [#attn.rotate<interleaved, dims = 64>]
        ins(%q, %k, %v : ...) params(%t : tensor<256x64xf32>)
        outs(%init : ...) -> tensor<1x8x256x64xf32>
    ```
  }];
}

def FuseQkNormPass : Attn_FuseRowsPass<"attn-fuse-qk-norm"> {
  let summary = "normalise queries and keys when the attention loads them";
  let description = [{
    Input contract: attn.attention with its schedule and attn.norm, on tensors.

    Where the query or the key of an attention is the result of an attn.norm over
    its last dimension (layer, rms or l2, gamma and beta along that dimension or
    also along the heads), the attention reads the norm's input and normalises
    its rows when it loads them (`#attn.row_norm`), before what it does to them
    already: run it after attn-fuse-rope, for rotations of normalised rows. Which
    norms are fused and which stay is as for attn-fuse-rope. Each norm gets a
    remark.

    Output contract: the same ops; fused norms are gone.

    Effect on numerics: what was rounded to f16 or bf16 between the norm and the
    attention is not rounded any more. None for f32 and f64 but the order of the
    sums.

    Example:

    ```mlir
    %n = attn.norm rms axes [3] eps(1.0e-06) ins(%q : tensor<1x8x256x64xf32>)
        gamma(%g : tensor<64xf32>) outs(%e : tensor<1x8x256x64xf32>)
        -> tensor<1x8x256x64xf32>
    %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        ins(%n, %k, %v : ...) outs(%init : ...) -> tensor<1x8x256x64xf32>
    // becomes
    %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        load_query [#attn.row_norm<rms, eps = 1.0e-06, gamma>]
        ins(%q, %k, %v : ...) params(%g : tensor<64xf32>)
        outs(%init : ...) -> tensor<1x8x256x64xf32>
    ```
  }];
}

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_FUSEPASSES_TD
