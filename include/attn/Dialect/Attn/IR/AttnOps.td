//===- AttnOps.td - Operations of the attn dialect -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_ATTNOPS_TD
#define ATTN_DIALECT_ATTN_IR_ATTNOPS_TD

include "attn/Dialect/Attn/IR/AttentionInterface.td"
include "attn/Dialect/Attn/IR/AttnAttributes.td"
include "attn/Dialect/Attn/IR/ScheduledOpInterface.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Attn_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Attn_Dialect, opMnemonic, !listconcat(traits, [
        AttrSizedOperandSegments, DestinationStyleOpInterface,
        Attn_AttentionOpInterface, Attn_ScheduledOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])> {
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  code baseDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
    ::mlir::Operation::operand_range getShapedOutputs() { return getOutputs(); }
  }];
}

/// The attributes of every attention op.
defvar Attn_PolicyArguments = (ins
  Attn_ScalePolicyAttrInterface:$scale,
  AnyAttr:$similarity,
  Attn_NormalizerAttrInterface:$normalizer,
  OptionalAttr<Attn_AlignmentAttr>:$align,
  TypedArrayAttrBase<Attn_BiasAttrInterface, "biases">:$biases,
  TypedArrayAttrBase<Attn_MaskAttrInterface, "masks">:$masks,
  OptionalAttr<F64Attr>:$softcap,
  AffineMapArrayAttr:$indexing_maps,
  OptionalAttr<Attn_ScheduleAttrInterface>:$schedule);

defvar Attn_ProbeArguments = (ins
  OptionalAttr<TypedArrayAttrBase<Attn_ProbeAttr, "probes">>:$probes);

defvar Attn_LoadQueryArguments = (ins
  OptionalAttr<TypedArrayAttrBase<Attn_RowChangeAttrInterface, "changes of rows">>:$load_query);

defvar Attn_LoadKeyArguments = (ins
  OptionalAttr<TypedArrayAttrBase<Attn_RowChangeAttrInterface, "changes of rows">>:$load_key);

def Attn_AttentionOp : Attn_Op<"attention", [
    IsolatedFromAbove,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
      ["reifyResultShapes"]>]> {
  let summary = "the meaning of an attention";
  let description = [{
    For query q, key k, value v, in this order:

    1. similarity: s_ij = q_i . k_j, or of the l2-normalised rows (`cosine`;
       squares that underflow count as 0, so that with eps = 0 a row of f32
       numbers below some 1e-19 counts as one of zeros);
    2. `scale`: s <- lambda_i s;
    3. `softcap(c)`: s <- c tanh(s / c);
    4. `bias [...]`, then the `score` region: s <- s + b_ij, s <- region(s);
    5. `masks [...]` (their intersection): s <- -inf where hidden;
    6. `softmax(...)`: Z_i = sum_j exp(s_ij) + e0, p_ij = exp(s_ij) / Z_i,
       o_i = sum_j p_ij v_j, and optionally lse_i = log Z_i (f32; f64 for f64).

    A row that sees no key has o = 0 and lse = log e0. NaN and infinity in a
    hidden key or value never reach the output. A score of +inf gives NaN, as the
    formula says. No keys (N = 0) and no rows (M = 0) are legal.

    `probes [...]` asks for statistics of each row, f32 (f64 for f64), which are
    the last outputs, in the order o, lse, probes. With S_i = sum_j p_ij:

    | `#attn.probe<...>` | value |
    |---|---|
    | `entropy` | -sum_j p_ij log p_ij, where 0 log 0 = 0 |
    | `sum_p` | S_i: 1 for softmax, less where e0 > 0, 0 for a row without keys |
    | `sum_p2` | sum_j p_ij^2 |
    | `half_gradient_norm` | half the L1 norm of the Jacobian of p_i, alpha_i ((S_i + S_i^2) / 2 - sum_j p_ij^2), by the similarity in units of its own spread: alpha_i = lambda_i sqrt(d) for `dot`, lambda_i for `cosine` (the derivative of the logit before softcap and bias) |
    | `max_logit` | the largest visible s_ij, -inf without one; NaN does not count |

    `load_query [...]` and `load_key [...]` change the rows of q and of k before
    all of this, in their order and in the type that scores have: a norm of the
    row (`#attn.row_norm`), a rotation of its pairs (`#attn.rotate`).

    `products(...)` allows the two products to be made on a matrix unit that has
    no numbers as wide: each number is a sum of parts of bf16, and sums are f32.
    `bf16x3` has two parts, each rounded, and three products, with an error of some
    2^-17 of each product; `bf16x6` has three, which are cut off, and six, and is as
    exact as f32. There an infinite number makes NaN, and with two parts one that
    bf16 rounds to infinity. Where the unit is missing, or operands are bf16 or f64,
    it changes nothing; f16 has two exact parts where the unit has no f16.

    `params` holds the operands of the policies in the order scale, biases,
    score region, masks, normaliser, changes of query rows, of key rows.
    `indexing_maps` covers query, key, value,
    params and outputs over the dimensions (batch..., m, n, d, dv); it may be
    omitted when operands are laid out [batch..., heads, rows, dim] and key/value
    heads divide the query heads. `align` says where row 0 stands among the keys
    (`top_left`: at key 0; `bottom_right`: the last row at the last key) and is
    required when a policy uses positions.

    Example:

    ```mlir
    %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        align(top_left) masks [#attn.causal]
        ins(%q, %k, %v : tensor<1x8x?x64xf32>, tensor<1x8x?x64xf32>, tensor<1x8x?x64xf32>)
        outs(%init : tensor<1x8x?x64xf32>) -> tensor<1x8x?x64xf32>
    ```
  }];
  let arguments = !con((ins
    AnyShaped:$query, AnyShaped:$key, AnyShaped:$value,
    Variadic<AnyType>:$params, Variadic<AnyShaped>:$outputs,
    Variadic<Index>:$origin, Variadic<Index>:$sizes), Attn_PolicyArguments,
    Attn_ProbeArguments, Attn_LoadQueryArguments, Attn_LoadKeyArguments);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region VariadicRegion<AnyRegion>:$score);
  let hasCanonicalizer = 1;
  let extraClassDeclaration = baseDeclaration # [{
    ::mlir::Operation::operand_range getShapedInputs() { return getODSOperandRange(0, 3); }
    ::mlir::Region *getScoreBody() { return getScore().empty() ? nullptr : &getScore().front(); }
    ::mlir::Operation::operand_range getODSOperandRange(unsigned first, unsigned count) {
      return {std::next(getOperation()->operand_begin(), first),
              std::next(getOperation()->operand_begin(), first + count)};
    }
    ::mlir::Value getOutput() { return getOutputs()[0]; }
    /// Null when lse is not asked for.
    ::mlir::Value getLse() {
      unsigned probes = getProbes() ? getProbes()->size() : 0;
      return getOutputs().size() > 1 + probes ? getOutputs()[1] : ::mlir::Value();
    }
  }];
}

def Attn_OnlineAttentionOp : Attn_Op<"online_attention", [IsolatedFromAbove]> {
  let summary = "attention on one range of keys, with a running state";
  let description = [{
    The same scores as `attn.attention`, accumulated into the state
    (acc, max, sum): with s' = s log2 e,

    max' = max(max, max_j s'_j), sum' = sum 2^(max - max') + sum_j 2^(s'_j - max'),
    acc' = acc 2^(max - max') + sum_j 2^(s'_j - max') v_j.

    The state is a monoid with identity (0, -inf, 0). The normaliser's e0 is not
    part of it: `attn.finalize` adds it. Hidden keys contribute nothing, whatever
    their key and value rows hold.

    The state is what it is for any max that is not far below max_j s'_j: acc, sum
    and the statistics are relative to it. For the `probes` of the attention, whose
    results `attn.finalize` computes, up to three statistics follow the sum, each
    of one number a row:

    | for | statistic | identity |
    |---|---|---|
    | `sum_p2`, `half_gradient_norm` | sum_j 2^(2 (s'_j - max)) | 0 |
    | `entropy` | sum_j 2^(s'_j - max) (s'_j - max), where 2^-inf -inf = 0 | 0 |
    | `max_logit` | max_j s'_j; NaN does not count | -inf |

    `packed` says that the query operand comes from `attn.pack_query`, with its
    bound of rows, and is already changed as `load_query` of the attention says
    and normalised where similarity is cosine. The
    scale is this op's own: on a packed tile usually `#attn.operand`, with the
    lambda_i that `attn.pack_query` computed as its param.

    Example:

    ```mlir
    %s:3 = attn.online_attention packed scale(#attn.operand) softmax(#attn.softmax)
        indexing_maps [...] origin(%b, %h, %i, %j, %c0, %c0) sizes(%B, %H, %M, %N, %D, %E)
        ins(%qt, %kt, %vt : tensor<64x48xf32>, tensor<?x64xf32>, tensor<?x64xf32>)
        params(%lambda : tensor<48xf32>)
        outs(%acc, %max, %sum : tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>)
        -> tensor<64x48xf32>, tensor<48xf32>, tensor<48xf32>
    ```
  }];
  let arguments = !con((ins
    AnyShaped:$query, AnyShaped:$key, AnyShaped:$value,
    Variadic<AnyType>:$params, Variadic<AnyShaped>:$outputs,
    Variadic<Index>:$origin, Variadic<Index>:$sizes), Attn_PolicyArguments,
    Attn_ProbeArguments, Attn_LoadQueryArguments, Attn_LoadKeyArguments,
    (ins UnitAttr:$packed));
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region VariadicRegion<AnyRegion>:$score);
  let extraClassDeclaration = baseDeclaration # [{
    ::mlir::Operation::operand_range getShapedInputs() {
      return {getOperation()->operand_begin(), std::next(getOperation()->operand_begin(), 3)};
    }
    ::mlir::Region *getScoreBody() { return getScore().empty() ? nullptr : &getScore().front(); }
    /// The running state goes on.
    bool readsDestination(::mlir::OpOperand &) { return true; }
    ::mlir::Value getAcc() { return getOutputs()[0]; }
    ::mlir::Value getMax() { return getOutputs()[1]; }
    ::mlir::Value getSum() { return getOutputs()[2]; }
  }];
}

def Attn_PackQueryOp : Attn_Op<"pack_query"> {
  let summary = "a tile of query rows, transposed, and the rows' scales";
  let description = [{
    Writes the query rows of a tile as columns, out[c, i] = q'_i[c], where q' is
    the l2-normalised row for cosine similarity and the row itself otherwise, both
    after the changes of `load_query`, and
    as a second output the rows' lambda_i. The scale is not multiplied into the
    query: that would round every element, and where all terms of a dot product
    are alike the roundings add up. With a softcap a row may be divided by a power
    of two, so that no similarity overflows, which its lambda_i then has. The
    outputs' row bound is static; rows past the tile's own repeat the last one, so
    that they hold finite numbers where the input does.
  }];
  let arguments = !con((ins
    AnyShaped:$query, Variadic<AnyType>:$params, Variadic<AnyShaped>:$outputs,
    Variadic<Index>:$origin, Variadic<Index>:$sizes), Attn_PolicyArguments,
    Attn_LoadQueryArguments);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let extraClassDeclaration = baseDeclaration # [{
    ::mlir::Operation::operand_range getShapedInputs() {
      return {getOperation()->operand_begin(), std::next(getOperation()->operand_begin(), 1)};
    }
    ::mlir::Region *getScoreBody() { return nullptr; }
  }];
}

def Attn_FinalizeOp : Attn_Op<"finalize"> {
  let summary = "turns a tile's state into output rows (and lse)";
  let description = [{
    Adds the normaliser's e0, once: with l0 = log2 e0, m' = max(max, l0),
    Z = sum 2^(max - m') + 2^(l0 - m'), o = acc 2^(max - m') / Z,
    lse = (m' + log2 Z) ln 2. Where Z is 0 (no visible key, no e0), o = 0 and
    lse = -inf. Rows past the tile's own rows are not written.

    Where the maps of acc, max and sum index n, the operands hold the states of
    several ranges of keys; they are merged first, in their order.

    `probes` are the last outputs, computed from the statistics that follow the
    sum (see `attn.online_attention`). With f the factor of acc and S = sum f:
    sum_p = S, sum_p2 = f^2 squares, entropy = -(f logs + S log2 f) ln 2,
    max_logit = top ln 2, and half_gradient_norm = alpha ((S + S^2) / 2 - sum_p2),
    with alpha = lambda sqrt(d), or lambda for cosine: for that probe alone
    `scale` and `similarity` are those of the rows.
  }];
  let arguments = !con((ins
    AnyShaped:$acc, AnyShaped:$max, AnyShaped:$sum,
    Variadic<AnyShaped>:$statistics,
    Variadic<AnyType>:$params, Variadic<AnyShaped>:$outputs,
    Variadic<Index>:$origin, Variadic<Index>:$sizes), Attn_PolicyArguments,
    Attn_ProbeArguments);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let extraClassDeclaration = baseDeclaration # [{
    ::mlir::Operation::operand_range getShapedInputs() {
      return {getOperation()->operand_begin(),
              std::next(getOperation()->operand_begin(), 3 + getStatistics().size())};
    }
    ::mlir::Region *getScoreBody() { return nullptr; }
    /// Null when lse is not asked for.
    ::mlir::Value getLse() {
      unsigned probes = getProbes() ? getProbes()->size() : 0;
      return getOutputs().size() > 1 + probes ? getOutputs()[1] : ::mlir::Value();
    }
  }];
}

def Attn_YieldOp : Op<Attn_Dialect, "yield", [Pure, Terminator, ReturnLike,
                                             HasParent<"AttentionOp, OnlineAttentionOp, ResidualOp, LinearOp">]> {
  let summary = "ends a region with its result: a changed number, or a branch's tensor";
  let arguments = (ins AnyTypeOf<[AnyFloat, AnyRankedTensor]>:$score);
  let assemblyFormat = "$score attr-dict `:` type($score)";
}

include "attn/Dialect/Attn/IR/NormOps.td"
include "attn/Dialect/Attn/IR/BlockOps.td"
include "attn/Dialect/Attn/IR/ActivationOps.td"
include "attn/Dialect/Attn/IR/InitOps.td"
include "attn/Dialect/Attn/IR/StatisticsOps.td"

#endif // ATTN_DIALECT_ATTN_IR_ATTNOPS_TD
