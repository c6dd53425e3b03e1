//===- ScoreChanges.td - Similarity, biases, masks and normalisers as attributes -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_SCORECHANGES_TD
#define ATTN_DIALECT_ATTN_IR_SCORECHANGES_TD

include "attn/Dialect/Attn/IR/AttnAttrBase.td"

//===----------------------------------------------------------------------===//
// Similarity
//===----------------------------------------------------------------------===//

def Attn_DotAttr : Attn_Attr<"Dot", "dot"> {
  let summary = "s_ij = q_i . k_j";
}

def Attn_CosineAttr : Attn_Attr<"Cosine", "cosine"> {
  let summary = "s_ij = dot product of the l2-normalised rows";
  let description = [{
    A row x becomes x / sqrt(sum x^2 + eps) (`rsqrt_sum`) or
    x / max(norm x, eps) (`max_norm`). A zero row stays zero.
  }];
  let parameters = (ins Attn_Double<"eps, not negative">:$eps,
                        EnumParameter<Attn_EpsMode>:$mode);
  let assemblyFormat = "`<` `eps` `=` $eps `,` `mode` `=` $mode `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Biases
//===----------------------------------------------------------------------===//

class Attn_Bias<string name, string attrMnemonic, list<string> overrides,
                list<string> biasOverrides = []>
    : Attn_Attr<name, attrMnemonic, [
        DeclareAttrInterfaceMethods<Attn_PolicyAttrInterface, overrides>,
        DeclareAttrInterfaceMethods<Attn_BiasAttrInterface, biasOverrides>]>;

def Attn_DenseBiasAttr : Attn_Bias<"DenseBias", "dense_bias", ["getParamSpecs"]> {
  let summary = "b_ij is a float param broadcastable to [B, Hq, M, N]";
}

def Attn_AlibiAttr : Attn_Bias<"Alibi", "alibi", ["getParamSpecs", "usesPositions"],
                               ["prepareBias", "getSlopes"]> {
  let summary = "b_ij = -slope_h |i - j| on aligned positions";
  let description = [{
    Without `slopes` the slopes are 2^(-8 h / H), h = 1..H; for H not a power of
    two those of the largest power P <= H, then every second slope of 2P. With
    `<slopes = operand>` they are a param, one per head.
  }];
  let parameters = (ins DefaultValuedParameter<"bool", "false">:$operandSlopes);
  let assemblyFormat = "(`<` custom<AlibiSlopes>($operandSlopes)^ `>`)?";
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

class Attn_Mask<string name, string attrMnemonic, list<string> policyOverrides,
                list<string> maskOverrides>
    : Attn_Attr<name, attrMnemonic, [
        DeclareAttrInterfaceMethods<Attn_PolicyAttrInterface, policyOverrides>,
        DeclareAttrInterfaceMethods<Attn_MaskAttrInterface, maskOverrides>]>;

def Attn_CausalAttr : Attn_Mask<"Causal", "causal", ["usesPositions"],
                                ["isRange", "getBand", "narrowRange"]> {
  let summary = "key j is visible to the row at aligned position p when j <= p";
}

def Attn_WindowAttr : Attn_Mask<"Window", "window", ["usesPositions"],
                                ["isRange", "getBand", "narrowRange"]> {
  let summary = "visible when p - left <= j <= p + right; -1 leaves a side open";
  let parameters = (ins "int64_t":$left, "int64_t":$right);
  let assemblyFormat = "`<` `left` `=` $left `,` `right` `=` $right `>`";
  let genVerifyDecl = 1;
}

def Attn_KvLengthsAttr : Attn_Mask<"KvLengths", "kv_lengths", ["getParamSpecs"],
                                   ["isRange", "limitsKeys", "narrowRange"]> {
  let summary = "visible when j < the batch's length (an integer param per batch)";
}

def Attn_SegmentIdsAttr : Attn_Mask<"SegmentIds", "segment_ids", ["getParamSpecs"],
                                     ["hasSegments"]> {
  let summary = "visible when both have the same id (two integer params: [B, M] and [B, N])";
}

def Attn_DenseMaskAttr : Attn_Mask<"DenseMask", "dense_mask", ["getParamSpecs"], []> {
  let summary = "visible where a boolean param broadcastable to [B, Hq, M, N] is true";
}

def Attn_AdditiveMaskAttr : Attn_Mask<"AdditiveMask", "additive_mask", ["getParamSpecs"],
                                      ["isAdditive", "emitTerm"]> {
  let summary = "a float param is added to the score; -inf masks";
  let description = [{
    Unlike `dense_bias`, an entry of -inf is a mask: the key and value there
    never reach the output, and a row of only -inf gives 0.
  }];
}

def Attn_ChunkedAttr : Attn_Mask<"Chunked", "chunked", ["usesPositions"],
                                 ["isRange", "getBand", "narrowRange"]> {
  let summary = "visible when j <= p and both are in one chunk of so many keys";
  let parameters = (ins "int64_t":$size);
  let assemblyFormat = "`<` $size `>`";
  let genVerifyDecl = 1;
}

def Attn_PrefixLMAttr : Attn_Mask<"PrefixLM", "prefix_lm", ["getParamSpecs", "usesPositions"],
                                  ["isRange", "narrowRange"]> {
  let summary = "visible when j <= p or j < the batch's prefix length (an integer param per batch)";
}

//===----------------------------------------------------------------------===//
// Normalisers
//===----------------------------------------------------------------------===//

class Attn_Normalizer<string name, string attrMnemonic, list<string> policyOverrides = [],
                      list<string> normalizerOverrides = []>
    : Attn_Attr<name, attrMnemonic, [
        DeclareAttrInterfaceMethods<Attn_PolicyAttrInterface, policyOverrides>,
        DeclareAttrInterfaceMethods<Attn_NormalizerAttrInterface, normalizerOverrides>]>;

def Attn_SoftmaxNormAttr : Attn_Normalizer<"SoftmaxNorm", "softmax", [], ["evaluate"]> {
  let summary = "e0 = 0: the classic softmax";
}

def Attn_Softmax1Attr : Attn_Normalizer<"Softmax1", "softmax1", [], ["evaluate"]> {
  let summary = "e0 = 1: a head may stay silent";
}

def Attn_SoftmaxNAttr : Attn_Normalizer<"SoftmaxN", "softmax_n", [], ["evaluate"]> {
  let summary = "e0 = c >= 0: c virtual keys with logit 0 and value 0";
  let parameters = (ins Attn_Double<"c, not negative">:$count);
  let assemblyFormat = "`<` $count `>`";
  let genVerifyDecl = 1;
}

def Attn_SinkAttr : Attn_Normalizer<"Sink", "sink", ["getParamSpecs"]> {
  let summary = "e0 = exp(t_h), t a param with one learned logit per head";
}

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

def Attn_ScheduleAttr
    : Attn_CPUSchedule<"Schedule", "schedule",
                       [Attn_AttentionScheduleAttrInterface]> {
  let summary = "tile sizes of the fast route; one pass decides, nobody else guesses";
  let description = [{
    `rows` queries and `keys` keys a tile, `lanes` elements a vector, and a
    register tile of `mr` broadcast rows by `nr` vectors. `rows` is a multiple of
    `lanes * nr`, and `lanes` a power of two.

    `operands` is the element type in which keys and values enter the products.
    A block that is stored in another type is converted to it once a tile, for
    all of the tile's rows. Without it products read keys and values as they lie.

    With `instruction = bf16_pairs` a step of a product takes two terms of bf16,
    and sums are f32: queries, keys and values are of bf16, and weights are
    rounded to it. What `attn.pack_query` writes is then for tile ops of the same
    schedule: rows 2i and 2i + 1 stand as pairs in row i.

    With `instruction = bf16_tiles` products run on a processor's tile unit: the
    same pairs, 32 terms at a time. `lanes` is 16, `keys` is a multiple of 32, and
    `mr` one of 16; sums, rows and columns of a register tile fit eight tiles of
    16 by 16, (mr / 16) nr + mr / 16 + nr of them.

    There each number may be a sum of `parts` numbers of bf16, up to 3: then
    operands are f32 or f16, and products of parts i and j are left out from
    i + j = `parts` on.

    `instruction = f16_tiles` is the same with f16 in the place of bf16, of one
    part.

    With `sumRounded` the sum of a row's weights is taken from what they were
    rounded to, and only the output is made of it. Without, it is as exact as
    f32, which `lse` and probes need.

    With `splitKeys` the head dimension lies in the lanes instead of the queries,
    as decoding wants it: `rows` are all the rows of the query heads that share a
    key head, at most `mr` of them are taken together, by `nr` vectors of the
    value dimension. Keys are cut into ranges of at least `splitKeys` until there
    are `items` of them to work on side by side; their states are merged. On the
    tile unit, too, rows fill tiles as far as there are some.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$keys, "int64_t":$lanes,
                        "int64_t":$mr, "int64_t":$nr,
                        OptionalParameter<"::mlir::Type">:$operands,
                        DefaultValuedParameter<"int64_t", "0">:$splitKeys,
                        DefaultValuedParameter<"int64_t", "1">:$items,
                        Attn_InstructionParameter<>:$instruction,
                        DefaultValuedParameter<"bool", "false">:$sumRounded,
                        DefaultValuedParameter<"int64_t", "1">:$parts);
}

#endif // ATTN_DIALECT_ATTN_IR_SCORECHANGES_TD
