//===- StatisticsOps.td - What weights and activations look like -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_STATISTICSOPS_TD
#define ATTN_DIALECT_ATTN_IR_STATISTICSOPS_TD

include "attn/Dialect/Attn/IR/AttnAttributes.td"
include "attn/Dialect/Attn/IR/ScheduledOpInterface.td"
include "attn/Dialect/Attn/IR/BlockOpInterface.td"
include "attn/Dialect/Attn/IR/ElementEnums.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Attn_StatisticsScheduleAttr
    : Attn_CPUSchedule<"StatisticsSchedule", "statistics_schedule"> {
  let summary = "how the fast route computes a statistic";
  let description = [{
    A chunk has `columns` elements of the last dimension and `lines` indices of
    the one before it, as far as both are reduced. `chunks` chunks are one work
    item, `lanes` elements of the sums' type a vector, and `unroll` vectors are
    summed side by side. `lanes` and `unroll` are powers of two.
  }];
  let parameters = (ins "int64_t":$chunks, "int64_t":$lines,
                        "int64_t":$columns, "int64_t":$lanes,
                        "int64_t":$unroll);
}

def Attn_StatisticsOp : Op<Attn_Dialect, "statistics", [
    DestinationStyleOpInterface, Attn_ScheduledOpInterface,
    DeclareOpInterfaceMethods<Attn_BlockOpInterface, ["getShapedMaps"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
      ["reifyResultShapes"]>]> {
  let summary = "kurtosis or infinity norm";
  let description = [{
    Over the dimensions `axes`, or over all without `axes`:

    | measure | result |
    |---|---|
    | `kurtosis` | mean (x - mu)^4 / (mean (x - mu)^2)^2, mu = mean x; 3 for normal x |
    | `infinity_norm` | max abs(x), 0 where there is no element |

    Sums are f64. The kurtosis of equal elements, or of none, is NaN. A NaN
    among the elements makes the result NaN.

    Example:

    ```mlir
    %k = attn.statistics kurtosis ins(%w : tensor<512x2048xf32>)
        outs(%init : tensor<f32>) -> tensor<f32>
    %r = attn.statistics infinity_norm axes [1] ins(%x : tensor<64x512xbf16>)
        outs(%rows : tensor<64xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins AnyShaped:$input, AnyShaped:$output,
    Attn_MeasureAttr:$measure, OptionalAttr<DenseI64ArrayAttr>:$axes,
    OptionalAttr<Attn_ScheduleAttrInterface>:$schedule);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    custom<Keyword>($measure) (`axes` $axes^)?
    (`schedule` `(` $schedule^ `)`)?
    `ins` `(` $input `:` type($input) `)`
    `outs` `(` $output `:` type($output) `)` attr-dict (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputMutable(); }
    /// Whether a dimension of the input is summed over.
    bool isReduced(int64_t dim);
    /// Whether the dimensions that are summed over are the last ones, at least
    /// one.
    bool reducesLastDims();
    /// f64, but f32 for the largest of narrower numbers.
    ::mlir::FloatType getComputeType();
    ::mlir::ShapedType getInputType() {
      return ::llvm::cast<::mlir::ShapedType>(getInput().getType());
    }
  }];
}

#endif // ATTN_DIALECT_ATTN_IR_STATISTICSOPS_TD
