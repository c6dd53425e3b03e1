//===- NormOps.td - Normalisation -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_NORMOPS_TD
#define ATTN_DIALECT_ATTN_IR_NORMOPS_TD

include "attn/Dialect/Attn/IR/AttnAttributes.td"
include "attn/Dialect/Attn/IR/ScheduledOpInterface.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Attn_NormKindAttr : EnumAttr<Attn_Dialect, Attn_NormKind, "norm_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

def Attn_EpsModeAttr : EnumAttr<Attn_Dialect, Attn_EpsMode, "eps_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

def Attn_NormScheduleAttr
    : Attn_CPUSchedule<"NormSchedule", "norm_schedule"> {
  let summary = "how the fast route computes a norm";
  let description = [{
    `rows` rows are one work item, `lanes` elements of the statistics' type are
    a vector, and `unroll` vectors are summed side by side. An output of at least
    `stream` bytes is written past the caches. `lanes` and `unroll` are powers of
    two.

    With a `panel`, statistics are not those of rows: a tile goes over `panel`
    indices of the last dimension that is kept, and `rows` tiles are one work
    item. It goes over all that is normalised, so that its second reading finds
    the first one's numbers in the cache; or, with a `chunk`, over so many indices
    of the first normalised dimension, and the statistics of all chunks are merged
    before the tensor is read again.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$lanes, "int64_t":$unroll,
                        "int64_t":$stream,
                        DefaultValuedParameter<"int64_t", "0">:$panel,
                        DefaultValuedParameter<"int64_t", "0">:$chunk);
}

def Attn_NormOp : Op<Attn_Dialect, "norm", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<Attn_ScheduledOpInterface, ["readsDestination"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
      ["reifyResultShapes"]>]> {
  let summary = "layer, rms, l2, instance, batch or group norm";
  let description = [{
    For x = `ins`, or x = `ins` + `factor` `residual` (a factor of 1 unless there
    is one), rounded once to the element type of `ins`, with statistics over the
    dimensions `axes`:

    1. mu = mean x where centred, else 0;
    2. v = mean (x - mu)^2, or sum (x - mu)^2 for `l2`;
    3. r = sqrt(v + eps), or max(sqrt(v), eps) for `eps(max_norm e)`;
    4. y = (x - mu) / r * gamma + beta. Where r = 0, (x - mu) / r is 0.

    Statistics and arithmetic are f32, or f64 if any operand is.

    | kind | centred | v | `axes` by custom | `affine_axes` unless stated |
    |---|---|---|---|---|
    | `layer` | yes | mean | the last ones | `axes` |
    | `rms` | no | mean | the last ones | `axes` |
    | `l2` | no | sum | any | `axes` |
    | `instance` | yes | mean | spatial | must be stated: the channel |
    | `batch` | yes | mean | batch and spatial | the others |
    | `group` | yes | mean | channels of a group and spatial | must be stated: group and channel |

    Channels of a group norm are two dimensions: groups, and channels of a group.
    `centered` and `uncentered` after the kind state otherwise. gamma and beta
    have the sizes of x along `affine_axes`; each may be absent.

    A batch norm has three forms. With `statistics(%mean, %variance)` (only the
    variance where uncentred) mu and v are given: inference. Without, they are
    those of the batch. With `running(%mean, %variance) momentum(m)` as last
    destinations these become (1 - m) running + m batch, the variance multiplied
    by n / (n - 1) if `unbiased`, n the number of elements of a statistic.

    `sum(%s)`, where there is a residual, asks for x itself as a second result.

    Example:

    ```mlir
    %y = attn.norm rms axes [1] eps(1.0e-05) ins(%x : tensor<8x1024xf32>)
        gamma(%g : tensor<1024xf32>) outs(%init : tensor<8x1024xf32>)
        -> tensor<8x1024xf32>
    ```
  }];
  let arguments = (ins
    AnyShaped:$input, Optional<AnyShaped>:$residual,
    Optional<AnyFloat>:$factor,
    Optional<AnyShaped>:$gamma, Optional<AnyShaped>:$beta,
    Optional<AnyShaped>:$mean, Optional<AnyShaped>:$variance,
    AnyShaped:$output, Optional<AnyShaped>:$sum,
    Optional<AnyShaped>:$running_mean, Optional<AnyShaped>:$running_variance,
    Attn_NormKindAttr:$kind, OptionalAttr<BoolAttr>:$centered,
    DenseI64ArrayAttr:$axes, OptionalAttr<DenseI64ArrayAttr>:$affine_axes,
    F64Attr:$eps, Attn_EpsModeAttr:$eps_mode,
    OptionalAttr<F64Attr>:$momentum, UnitAttr:$unbiased,
    OptionalAttr<Attn_ScheduleAttrInterface>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$results);

  let builders = [
    /// A norm with statistics of its own and nothing added; gamma and beta may
    /// be null.
    OpBuilder<(ins "::mlir::Value":$input, "::mlir::Value":$gamma,
                   "::mlir::Value":$beta, "::mlir::Value":$output,
                   "::attn::NormKind":$kind, "::llvm::ArrayRef<int64_t>":$axes,
                   "double":$eps,
                   CArg<"::attn::EpsMode",
                        "::attn::EpsMode::RsqrtSum">:$epsMode)>
  ];
  let assemblyFormat = [{
    custom<NormKind>($kind, $centered) `axes` $axes
    custom<NormEps>($eps, $eps_mode)
    (`affine_axes` $affine_axes^)?
    (`schedule` `(` $schedule^ `)`)?
    attr-dict
    `ins` `(` $input `:` type($input) `)`
    (`residual` `(` $residual^ `:` type($residual) `)`)?
    (`factor` `(` $factor^ `:` type($factor) `)`)?
    (`gamma` `(` $gamma^ `:` type($gamma) `)`)?
    (`beta` `(` $beta^ `:` type($beta) `)`)?
    custom<NormStatistics>($mean, $variance, type($mean), type($variance))
    `outs` `(` $output `:` type($output) `)`
    (`sum` `(` $sum^ `:` type($sum) `)`)?
    custom<NormRunning>($running_mean, $running_variance, type($running_mean),
                        type($running_variance), $momentum, $unbiased)
    (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable();
    /// Output, sum, running mean, running variance: those that exist.
    ::mlir::Operation::operand_range getShapedOutputs();
    /// Whether a mean is subtracted.
    bool isCentered();
    /// Whether v is the mean of the squares, not their sum.
    bool usesMean();
    /// The dimensions of the input that gamma and beta have.
    ::llvm::SmallVector<int64_t> getAffineDims();
    /// The dimensions of the input that are not normalised.
    ::llvm::SmallVector<int64_t> getKeptDims();
    /// The input's dimensions that `operand`, which is one of this op, has.
    ::llvm::SmallVector<int64_t> getOperandDims(::mlir::OpOperand &operand);
    /// f64 if any operand is, else f32.
    ::mlir::FloatType getComputeType();
    int64_t getRank() {
      return ::llvm::cast<::mlir::ShapedType>(getInput().getType()).getRank();
    }
    bool isNormalised(int64_t dim) { return ::llvm::is_contained(getAxes(), dim); }
    bool hasGivenStatistics() { return bool(getVariance()); }
  }];
}

#endif // ATTN_DIALECT_ATTN_IR_NORMOPS_TD
