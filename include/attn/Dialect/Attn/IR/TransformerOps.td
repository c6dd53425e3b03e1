//===- TransformerOps.td - Multi-head attention and feed-forward -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of a transformer block that have weights. They stand in a file of
// their own, whose generated code only those include who use it.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_TRANSFORMEROPS_TD
#define ATTN_DIALECT_ATTN_IR_TRANSFORMEROPS_TD

include "attn/Dialect/Attn/IR/AttnAttributes.td"
include "attn/Dialect/Attn/IR/BlockOpInterface.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// The attribute class is generated with attn.norm.
def Attn_AnyNormKindAttr : Attr<
    CPred<"::llvm::isa<::attn::NormKindAttr>($_self)">, "kind of a norm"> {
  let storageType = "::attn::NormKindAttr";
  let returnType = "::attn::NormKind";
  let convertFromStorage = "$_self.getValue()";
}

/// An op that expands into others, on tensors.
class Attn_CompositeOp<string opMnemonic>
    : Op<Attn_Dialect, opMnemonic, [
        AttrSizedOperandSegments, Pure, Attn_BlockOpInterface]> {
  let hasVerifier = 1;
}

/// How all weights of an op are scaled and stored.
defvar Attn_WeightArguments = (ins
  DefaultValuedAttr<Attn_ParameterisationAttr,
    "::attn::Parameterisation::Standard">:$parameterisation,
  DefaultValuedAttr<Attn_WeightLayoutAttr,
    "::attn::WeightLayout::InOut">:$weight_layout);

def Attn_MultiHeadAttentionOp : Attn_CompositeOp<"multi_head_attention"> {
  let summary = "attention of several heads, with its projections";
  let description = [{
    For H = `heads`, G = `kv_heads` (H unless stated) and each row x of the
    input, with the linear layers `query`, `key`, `value` and `output`:

    1. q = x Wq + bq is H vectors of d numbers. k = z Wk + bk is G vectors of d,
       v = z Wv + bv is G vectors of dv, for each row z of `memory`, or of the
       input itself (self attention).
    2. `qk_norm(kind, eps)`: every vector of q and of k is normalised (`rms`,
       `layer` or `l2`) and multiplied by its gain of `gains`, if there are any.
    3. `rope(pairs)`: q and k turn by the positions of their rows, as in
       `attn.rope` with the same `base`, `position_scale` and `rotary_dim`. Row i
       is at position i, with a cache at past + i, or at `positions`[i].
    4. o_h = attention of q_h over the k and v of head h / (H / G), as
       `attn.attention` with the same scale, softmax, align, bias, masks, softcap
       and params. Its heads are the last of its batch dimensions.
    5. y = (o_1, ..., o_H) Wo + bo.

    Each projection has a weight and optionally a bias; `parameterisation` and
    `weight` are those of `attn.linear`. With m = H d = G d = H dv numbers a row
    there are 4 m^2 parameters, and 4 m more with all biases; grouped heads have
    2 m^2 (1 + G / H).

    `cache(%keys, %values)` holds [batch..., G, room, d] and [batch..., G, room,
    dv]. The op appends the rows of k and v behind the first `past` ones, attends
    to all past + rows of them, and has the new caches as second and third result:
    the lowering updates them in place. `past` is one integer, or one for each
    sequence of the batch. A cache that is too short is an error at run time.
    Without `key` and `value`, the op attends to the first `past` rows of the
    cache and changes nothing: so the keys and values of a memory are projected
    once for all steps of a decoder.

    | `key`, `value` | `memory` | `cache` | keys and values |
    |---|---|---|---|
    | yes | no | no | of the input: self attention |
    | yes | yes | no | of the memory: cross attention |
    | yes | no | yes | the cache and, behind it, those of the input |
    | yes | yes | yes | the cache and, behind it, those of the memory |
    | no | no | yes | the cache |

    Queries, keys, values and outputs of heads have the input's element type.

    Example:

    ```mlir
    %y = attn.multi_head_attention heads(16) kv_heads(4)
        scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
        align(bottom_right) masks [#attn.causal] rope(half_split)
        ins(%x : tensor<1x512x1024xf32>)
        query(%wq : tensor<1024x1024xf32>) key(%wk : tensor<1024x256xf32>)
        value(%wv : tensor<1024x256xf32>) output(%wo : tensor<1024x1024xf32>)
        -> tensor<1x512x1024xf32>
    ```
  }];
  let arguments = !con((ins
    AnyRankedTensor:$input, Optional<AnyRankedTensor>:$memory,
    AnyRankedTensor:$query_weight, Optional<AnyRankedTensor>:$query_bias,
    Optional<AnyRankedTensor>:$key_weight, Optional<AnyRankedTensor>:$key_bias,
    Optional<AnyRankedTensor>:$value_weight,
    Optional<AnyRankedTensor>:$value_bias,
    AnyRankedTensor:$output_weight, Optional<AnyRankedTensor>:$output_bias,
    Optional<AnyRankedTensor>:$query_gain, Optional<AnyRankedTensor>:$key_gain,
    Optional<AnyRankedTensor>:$positions, Variadic<AnyType>:$params,
    Optional<AnyRankedTensor>:$key_cache, Optional<AnyRankedTensor>:$value_cache,
    Optional<AnyType>:$past,
    I64Attr:$heads, OptionalAttr<I64Attr>:$kv_heads,
    Attn_ScalePolicyAttrInterface:$scale, OptionalAttr<AnyAttr>:$similarity,
    Attn_NormalizerAttrInterface:$normalizer,
    OptionalAttr<Attn_AlignmentAttr>:$align,
    OptionalAttr<TypedArrayAttrBase<Attn_BiasAttrInterface, "biases">>:$biases,
    OptionalAttr<TypedArrayAttrBase<Attn_MaskAttrInterface, "masks">>:$masks,
    OptionalAttr<F64Attr>:$softcap,
    OptionalAttr<Attn_AnyNormKindAttr>:$qk_norm, OptionalAttr<F64Attr>:$qk_eps,
    OptionalAttr<Attn_PairLayoutAttr>:$rope,
    DefaultValuedAttr<F64Attr, "10000.0">:$base,
    DefaultValuedAttr<F64Attr, "1.0">:$position_scale,
    OptionalAttr<I64Attr>:$rotary_dim), Attn_WeightArguments);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `heads` `(` $heads `)` (`kv_heads` `(` $kv_heads^ `)`)?
    `scale` `(` $scale `)` (`similarity` `(` $similarity^ `)`)?
    `softmax` `(` $normalizer `)` (`align` `(` custom<Keyword>($align)^ `)`)?
    (`bias` $biases^)? (`masks` $masks^)? (`softcap` `(` $softcap^ `)`)?
    (`qk_norm` `(` custom<Keyword>($qk_norm)^ `,` custom<Number>($qk_eps) `)`)?
    (`rope` `(` custom<Keyword>($rope)^ `)`)? (`base` `(` $base^ `)`)?
    (`position_scale` `(` $position_scale^ `)`)?
    (`rotary_dim` `(` $rotary_dim^ `)`)?
    (`parameterisation` `(` custom<Keyword>($parameterisation)^ `)`)?
    (`weight` `(` custom<Keyword>($weight_layout)^ `)`)?
    `ins` `(` $input `:` type($input) `)`
    (`memory` `(` $memory^ `:` type($memory) `)`)?
    `query` `(` custom<Layer>($query_weight, $query_bias, type($query_weight),
                              type($query_bias)) `)`
    (`key` `(` custom<OptionalLayer>($key_weight, $key_bias, type($key_weight),
                                     type($key_bias))^ `)`)?
    (`value` `(` custom<OptionalLayer>($value_weight, $value_bias, type($value_weight),
                                     type($value_bias))^ `)`)?
    `output` `(` custom<Layer>($output_weight, $output_bias, type($output_weight),
                              type($output_bias)) `)`
    (`gains` `(` $query_gain^ `,` $key_gain `:` type($query_gain) `,`
      type($key_gain) `)`)?
    (`positions` `(` $positions^ `:` type($positions) `)`)?
    (`params` `(` $params^ `:` type($params) `)`)?
    (`cache` `(` $key_cache^ `,` $value_cache `:` type($key_cache) `,`
      type($value_cache) `)`)?
    (`past` `(` $past^ `:` type($past) `)`)?
    attr-dict `->` type($results)
  }];
  let extraClassDeclaration = [{
    int64_t getNumKeyHeads() {
      return static_cast<int64_t>(getKvHeads().value_or(getHeads()));
    }
    /// d and dv, which a verified op has.
    int64_t getHeadDim();
    int64_t getValueDim();
    /// The width of a weight's rows: what a projection makes of one row.
    int64_t getWidth(::mlir::Value weight);
    /// The rows that keys and values are projections of; null where both come
    /// from the cache alone.
    ::mlir::Value getSource();
    bool appends() { return getKeyCache() && getKeyWeight(); }
    /// Whether each sequence of the batch has its own length in the cache.
    bool hasPastPerSequence();
    ::mlir::ArrayAttr getBiasList();
    ::mlir::ArrayAttr getMaskList();
    ::mlir::Attribute getSimilarityOrDot();
    bool isCosine() { return ::llvm::isa<::attn::CosineAttr>(getSimilarityOrDot()); }
    /// The specs of all params, in order; a diagnostic where there are others.
    ::mlir::FailureOr<::llvm::SmallVector<::attn::ParamSpec>> getParamSpecs();
    /// The indexing maps of the attention over queries, keys and values, params
    /// and outputs: rows lie before heads, as projections give them, and behind
    /// them in a cache. A diagnostic where a param does not fit.
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::AffineMap>>
    getAttentionMaps();
  }];
}

def Attn_FeedForwardOp : Attn_CompositeOp<"feed_forward"> {
  let summary = "two linear layers with a function between them";
  let description = [{
    For each row x of the input, with f the activation `function` (`centered`
    and `unit_moment` as for `attn.activation`), or f(x) = x without one:

    | | y | parameters, for widths m, h, m |
    |---|---|---|
    | | f(x Wu + bu) Wd + bd | 2 m h, and h + m with both biases |
    | with `gate` | (f(x Wg + bg) * (x Wu + bu)) Wd + bd | 3 m h, and 2 h + m with all biases |

    So h = 4 m gives 8 m^2 + 5 m. The gated forms are SwiGLU (`silu`), GeGLU
    (`gelu`), ReGLU (`relu`), GLU (`sigmoid`) and, without a function, the bilinear
    one. Biases are optional one by one;
    `parameterisation` and `weight` are those of `attn.linear`. What lies between
    the layers has the input's element type.

    Example:

    ```mlir
    %y = attn.feed_forward silu ins(%x : tensor<512x1024xf32>)
        gate(%wg : tensor<1024x2816xf32>) up(%wu : tensor<1024x2816xf32>)
        down(%wd : tensor<2816x1024xf32>) -> tensor<512x1024xf32>
    ```
  }];
  let arguments = !con((ins
    AnyRankedTensor:$input,
    Optional<AnyRankedTensor>:$gate_weight, Optional<AnyRankedTensor>:$gate_bias,
    AnyRankedTensor:$up_weight, Optional<AnyRankedTensor>:$up_bias,
    AnyRankedTensor:$down_weight, Optional<AnyRankedTensor>:$down_bias,
    OptionalAttr<Attn_FunctionAttr>:$function, UnitAttr:$centered,
    UnitAttr:$unit_moment), Attn_WeightArguments);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    (custom<OptionalFunction>($function)^)? (`centered` $centered^)?
    (`unit_moment` $unit_moment^)?
    (`parameterisation` `(` custom<Keyword>($parameterisation)^ `)`)?
    (`weight` `(` custom<Keyword>($weight_layout)^ `)`)?
    `ins` `(` $input `:` type($input) `)`
    (`gate` `(` custom<OptionalLayer>($gate_weight, $gate_bias,
                                      type($gate_weight), type($gate_bias))^ `)`)?
    `up` `(` custom<Layer>($up_weight, $up_bias, type($up_weight), type($up_bias)) `)`
    `down` `(` custom<Layer>($down_weight, $down_bias, type($down_weight),
                             type($down_bias)) `)`
    attr-dict `->` type($result)
  }];
}

#endif // ATTN_DIALECT_ATTN_IR_TRANSFORMEROPS_TD
