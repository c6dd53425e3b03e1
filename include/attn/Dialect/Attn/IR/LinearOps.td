//===- LinearOps.td - The linear layer -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_LINEAROPS_TD
#define ATTN_DIALECT_ATTN_IR_LINEAROPS_TD

include "attn/Dialect/Attn/IR/BlockOpBase.td"

def Attn_ContractionScheduleAttr
    : Attn_CPUSchedule<"ContractionSchedule", "contraction_schedule"> {
  let summary = "block sizes of a matrix product on the fast route";
  let description = [{
    Blocks of `rows` by `panels` times `lanes * nr` results are computed side by
    side; each runs over its terms in steps of at most `depth`, for which it
    copies its part of the right operand into panels once, for all of its rows.
    With `direct` it reads that where it lies, along all of its panels before it
    goes on to the next step. That takes a weight `in_out` of a known number of
    columns, a multiple of `lanes * nr`, or a weight `out_in` with an `nr` of 1;
    else there are panels all the same.
    A register tile has `mr` rows by `nr` vectors of `lanes` results, a power of
    two. Its `instruction` is `fma`, which takes one term at a time, with the
    operands widened to the type of the sums, or `bf16_pairs`, which takes two
    terms of bf16, or `bf16_tiles`, which takes 32 of them on a processor's tile
    unit, or `f16_tiles`, which does so with f16. For these `mr` is a multiple of
    16, nothing is `direct`, and sums, rows and columns of a register tile fit
    eight tiles of 16 by 16. Where a block of up to 64 rows of a weight `in_out`
    takes several steps, the sums of all of its panels wait in scratch, and a
    few panels are packed at a time.

    With `turned` that unit makes the transposed result: its left operand are the
    columns of the right one, which it reads where they lie if a column's terms
    are neighbours. Nothing but the rows is copied, once for all panels.

    With `parts`, 2 or 3, each number is a sum of so many numbers of bf16, which
    `bf16_tiles` multiplies: the operands are f32 or f16, and products of parts i
    and j are left out from i + j = `parts` on.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$depth, "int64_t":$panels,
                        "int64_t":$lanes, "int64_t":$mr, "int64_t":$nr,
                        Attn_InstructionParameter<>:$instruction,
                        DefaultValuedParameter<"bool", "false">:$direct,
                        DefaultValuedParameter<"bool", "false">:$turned,
                        DefaultValuedParameter<"int64_t", "1">:$parts);
}

def Attn_LinearOp : Attn_DestinationOp<"linear", [
    AttrSizedOperandSegments, IsolatedFromAbove]> {
  let summary = "y = x W + b, and what is computed from y element by element";
  let description = [{
    For each row x of the input, of m elements:

    | `parameterisation` | y |
    |---|---|
    | `standard` | x W + b |
    | `ntk` | (x W) / sqrt(m) + b, for W of unit variance |

    The bias b is optional. `weight(in_out)`, the default, has W as [m, n], as
    JAX stores it; `weight(out_in)` as [n, m], as PyTorch does. All dimensions
    of the input but the last are rows of the output, too.

    Products accumulate in f32 (f64 for f64). The bias and the output may have
    that type, or the input's.

    The region `epilogue` maps each element to what is stored: its first
    argument is y, in the type of the sums, and each operand of `extras` gives
    one more, widened to that type. It consists of pure elementwise ops and
    yields a number of that type, which is rounded once, to the output's. An
    extra is a number, or has the output's last dimensions: all of them (a
    residual, a gate), the last one (a number for each column), or none.

    The attribute `attn.products = #attn.products<bf16x3>` or `<bf16x6>` allows
    sums of products of f32 or f16 to be made in parts of bf16, as `products(...)`
    of attn.attention does; other products, like linalg.matmul, may have it, too.

    Example:

    ```mlir
    %y = attn.linear parameterisation(ntk) weight(out_in)
        ins(%x, %w, %b : tensor<4x?x64xf32>, tensor<256x64xf32>, tensor<256xf32>)
        outs(%init : tensor<4x?x256xf32>) -> tensor<4x?x256xf32>

    // gelu(y) + r
    %z = attn.linear ins(%x, %u : tensor<4x?x64xf32>, tensor<64x256xf32>)
        extras(%r : tensor<4x?x256xf32>)
        outs(%init : tensor<4x?x256xf32>) epilogue {
    ^bb0(%sum: f32, %residual: f32):
      %g = attn.activation gelu %sum : f32
      %e = arith.addf %g, %residual : f32
      attn.yield %e : f32
    } -> tensor<4x?x256xf32>
    ```
  }];
  let arguments = (ins
    AnyShaped:$input, AnyShaped:$weight, Optional<AnyShaped>:$bias,
    Variadic<AnyType>:$extras, AnyShaped:$output,
    DefaultValuedAttr<Attn_ParameterisationAttr,
      "::attn::Parameterisation::Standard">:$parameterisation,
    DefaultValuedAttr<Attn_WeightLayoutAttr,
      "::attn::WeightLayout::InOut">:$weight_layout,
    OptionalAttr<Attn_ScheduleAttrInterface>:$schedule);
  let regions = (region AnyRegion:$epilogue);
  let assemblyFormat = [{
    (`parameterisation` `(` custom<Keyword>($parameterisation)^ `)`)?
    (`weight` `(` custom<Keyword>($weight_layout)^ `)`)?
    (`schedule` `(` $schedule^ `)`)?
    `ins` `(` $input `,` $weight (`,` $bias^)? `:`
      type($input) `,` type($weight) (`,` type($bias)^)? `)`
    (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $output `:` type($output) `)` (`epilogue` $epilogue^)?
    attr-dict (`->` type($result)^)?
  }];
  let extraClassDeclaration = destinationDeclaration # [{
    bool isNtk() { return getParameterisation() == ::attn::Parameterisation::Ntk; }
    /// The dimension of W that the terms of a sum run along.
    unsigned getWeightInDim() {
      return getWeightLayout() == ::attn::WeightLayout::InOut ? 0 : 1;
    }
    /// f32, or f64 for f64.
    ::mlir::FloatType getComputeType();
    /// The block of the epilogue; null where y itself is stored.
    ::mlir::Block *getEpilogueBody() {
      return getEpilogue().empty() ? nullptr : &getEpilogue().front();
    }
  }];
}

#endif // ATTN_DIALECT_ATTN_IR_LINEAROPS_TD
