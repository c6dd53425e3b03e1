//===- SoftmaxOps.td - Softmax outside of attention -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_SOFTMAXOPS_TD
#define ATTN_DIALECT_ATTN_IR_SOFTMAXOPS_TD

include "attn/Dialect/Attn/IR/BlockOpBase.td"

def Attn_SoftmaxScheduleAttr
    : Attn_CPUSchedule<"SoftmaxSchedule", "softmax_schedule"> {
  let summary = "how the fast route computes a softmax";
  let description = [{
    `lanes` elements of the sums' type are a vector. Along the last dimension
    `rows` rows are one work item, and `unroll` vectors of one are summed side by
    side; rows of more than `whole` elements, and some of which there are few,
    are cut into segments of `segment` elements. Along another dimension `unroll`
    vectors of rows side by side are a panel, and `rows` panels one work item. An
    output of at least `stream` bytes is written past the caches. `lanes` and
    `unroll` are powers of two.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$lanes, "int64_t":$unroll,
                        "int64_t":$stream, "int64_t":$whole,
                        "int64_t":$segment);
}

def Attn_SoftmaxOp : Attn_DestinationOp<"softmax"> {
  let summary = "weights of given scores, by the policies of attention";
  let description = [{
    For each row s of scores along dimension `dim` (by default the last):

    p_j = exp(lambda s_j) / (sum_j exp(lambda s_j) + e0)

    with lambda of the `scale` policy and e0 of the normaliser, as in
    `attn.attention`. A classifier by similarity is the product of embeddings
    and class vectors and this op; `head_dim` is then their dimension d, which
    the policies that use d require.

    The other dimensions are, in their order, (batch..., head, row): those of
    attention scores, so that params per head or per row mean the same. n is
    the size of `dim` (`keys`, `visible`), or by position: the row is at its own
    index, plus N - M with `align(bottom_right)`.

    A row of scores that are all -inf has p = 0 for e0 > 0 and for e0 = 0. A
    score of +inf gives NaN.

    Example:

    ```mlir
    %p = attn.softmax scale(#attn.log_length<base = 512.0, n = keys>) softmax(#attn.softmax1)
        head_dim(128) ins(%s : tensor<32x1000xf32>)
        outs(%init : tensor<32x1000xf32>) -> tensor<32x1000xf32>
    ```
  }];
  let arguments = (ins
    AnyShaped:$input, Variadic<AnyType>:$params, AnyShaped:$output,
    Attn_ScalePolicyAttrInterface:$scale,
    Attn_NormalizerAttrInterface:$normalizer,
    OptionalAttr<I64Attr>:$dim, OptionalAttr<I64Attr>:$head_dim,
    OptionalAttr<Attn_AlignmentAttr>:$align,
    OptionalAttr<Attn_ScheduleAttrInterface>:$schedule);
  let assemblyFormat = [{
    `scale` `(` $scale `)` `softmax` `(` $normalizer `)`
    (`dim` `(` $dim^ `)`)? (`head_dim` `(` $head_dim^ `)`)?
    custom<RowAlignment>($align)
    (`schedule` `(` $schedule^ `)`)? `ins` `(` $input `:` type($input) `)`
    (`params` `(` $params^ `:` type($params) `)`)?
    `outs` `(` $output `:` type($output) `)` attr-dict (`->` type($result)^)?
  }];
  let extraClassDeclaration = destinationDeclaration # [{
    /// The dimension that the weights of one row lie along.
    int64_t getKeyDim();
    /// The dimension of rows, if there is one.
    std::optional<unsigned> getRowDim();
    /// The dimensions of the input that a param of this rank varies with, in
    /// order; nothing where they do not exist.
    std::optional<::llvm::SmallVector<unsigned>>
    getParamDims(const ::attn::ParamSpec &spec, unsigned rank);
    /// The specs of all params: the scale's, then the normaliser's.
    ::llvm::SmallVector<::attn::ParamSpec> getParamSpecs();
    /// f32, or f64 for f64.
    ::mlir::FloatType getComputeType();
  }];
}

#endif // ATTN_DIALECT_ATTN_IR_SOFTMAXOPS_TD
