//===- InitOps.td - Initial weights -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_INITOPS_TD
#define ATTN_DIALECT_ATTN_IR_INITOPS_TD

include "attn/Dialect/Attn/IR/AttnDialect.td"
include "attn/Dialect/Attn/IR/ElementEnums.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Attn_InitOp : Op<Attn_Dialect, "init", [
    Pure, DestinationStyleOpInterface, AllTypesMatch<["output", "result"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
      ["reifyResultShapes"]>]> {
  let summary = "a weight before training";
  let description = [{
    Independent draws with the given `mean` (0) and the standard deviation s:

    | distribution | draw |
    |---|---|
    | `normal` | mean + s z, z ~ N(0, 1) |
    | `uniform` | U[mean - sqrt(3) s, mean + sqrt(3) s] |
    | `truncated_normal` | z kept within `cut` (-2 and 2), then shifted and scaled to the mean and to s |

    | `variance` | s^2 |
    |---|---|
    | `constant`, with `value(c)` | c |
    | `lecun` | 1/m |
    | `he` | 2/m |
    | `xavier` | 2/(m + n) |
    | `t5`, with `head_dim(d)` | 1/(m sqrt(d)): queries and keys that need no scale |
    | `zero` | all elements are the mean |
    | `solved`, with `of(f)` | sigma^2/m, sigma the solution of E f(sigma z)^2 = 1 |

    m, the fan in, is the product of the sizes along `fan_in`, n that along
    `fan_out`. A weight of rank 2 has `fan_in [0] fan_out [1]` unless stated.

    The element at row-major position i is a function of the seed and i alone:
    Philox 4x32-10 with the counter (i mod 2^32, i / 2^32, 0, 0) and the key
    (seed mod 2^32, seed / 2^32) gives four words. The upper 52 of the 64 bits
    (word 1, word 0) are an integer k, u = (k + 1/2) / 2^52 a uniform number in
    (0, 1), and the draw is its quantile. Draws are f64, rounded once.

    Example:

    ```mlir
    %w = attn.init truncated_normal variance(solved) of(gelu) seed(%seed : i64)
        outs(%init : tensor<512x2048xf32>) -> tensor<512x2048xf32>
    ```
  }];
  let arguments = (ins I64:$seed, AnyRankedTensor:$output,
    Attn_DistributionAttr:$distribution, Attn_VarianceRuleAttr:$variance,
    OptionalAttr<F64Attr>:$value, OptionalAttr<Attn_FunctionAttr>:$function,
    OptionalAttr<I64Attr>:$head_dim, OptionalAttr<F64Attr>:$mean,
    OptionalAttr<DenseF64ArrayAttr>:$cut,
    OptionalAttr<DenseI64ArrayAttr>:$fan_in,
    OptionalAttr<DenseI64ArrayAttr>:$fan_out);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    custom<Keyword>($distribution) `variance` `(` custom<Keyword>($variance) `)` (`value` `(` $value^ `)`)?
    (`of` `(` custom<Keyword>($function)^ `)`)? (`head_dim` `(` $head_dim^ `)`)?
    (`mean` `(` $mean^ `)`)? (`cut` $cut^)? (`fan_in` $fan_in^)?
    (`fan_out` $fan_out^)? `seed` `(` $seed `:` type($seed) `)`
    `outs` `(` $output `:` type($output) `)` attr-dict `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputMutable(); }
    /// The dimensions that m and n are products over.
    ::llvm::SmallVector<int64_t> getFanInDims();
    ::llvm::SmallVector<int64_t> getFanOutDims();
    /// The interval that truncated draws lie in, in standard deviations of the
    /// normal distribution that is cut.
    std::pair<double, double> getCutInterval();
    double getMeanValue() { return getMean() ? getMean()->convertToDouble() : 0.0; }
    /// Whether the variance depends on m.
    bool usesFanIn();
  }];
}

#endif // ATTN_DIALECT_ATTN_IR_INITOPS_TD
