//===- PositionOps.td - Rotary and sinusoidal positions -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_POSITIONOPS_TD
#define ATTN_DIALECT_ATTN_IR_POSITIONOPS_TD

include "attn/Dialect/Attn/IR/BlockOpBase.td"

def Attn_PositionScheduleAttr
    : Attn_CPUSchedule<"PositionSchedule", "position_schedule"> {
  let summary = "how the fast route computes sines and cosines of positions";
  let description = [{
    `rows` positions are one work item, and `lanes` elements of the type that
    products have are a vector. An output of at least `stream` bytes is written
    past the caches. `lanes` is a power of two.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$lanes, "int64_t":$stream);
}

/// The attributes that give each pair of a row its angle.
defvar Attn_AngleArguments = (ins
  DefaultValuedAttr<Attn_PairLayoutAttr,
    "::attn::PairLayout::Interleaved">:$pairs,
  DefaultValuedAttr<F64Attr, "10000.0">:$base,
  DefaultValuedAttr<F64Attr, "1.0">:$position_scale);

def Attn_RopeOp : Attn_DestinationOp<"rope", [AttrSizedOperandSegments]> {
  let summary = "rotary positions: pairs of a row's elements turn by position";
  let description = [{
    The first r = `rotary_dim` elements of each row (all d without it) form r/2
    pairs, (x[2t], x[2t + 1]) for `pairs(interleaved)`, (x[t], x[t + r/2]) for
    `pairs(half_split)`. Pair t of a row at position p turns by
    the angle p s base^(-2t / r), s = `position_scale`:

    (a, b) becomes (a cos - b sin, b cos + a sin).

    Elements past r stay. Rows lie along dimension `row_dim`, by default the one
    before the last. Row i is at position i + `offset`, or at `positions`[i] +
    `offset`: `offset` is one integer, or one for each index of the first
    dimension; `positions` is [rows] or [first dimension, rows].

    Angles are computed in f64, so positions of a million and more are as
    accurate as the first.

    With `cosines` and `sines`, [rows, r] or [first dimension, rows, r], rows
    have no positions: elements i and j, i < j, of a pair become

    (a cos[i] - b sin[i], b cos[j] + a sin[j]).

    Each element has a cosine and a sine of its own, so tables may scale rows,
    too, or hold what no formula says.

    Examples:

    ```mlir
    %z = attn.rope pairs(half_split) ins(%x : tensor<1x8x?x128xbf16>)
        cosines(%cos : tensor<?x128xf32>) sines(%sin : tensor<?x128xf32>)
        outs(%init : tensor<1x8x?x128xbf16>) -> tensor<1x8x?x128xbf16>
    %y = attn.rope pairs(half_split) rotary_dim(64)
        ins(%x : tensor<1x8x?x128xf32>) offset(%past : index)
        outs(%init : tensor<1x8x?x128xf32>) -> tensor<1x8x?x128xf32>
    ```
  }];
  let arguments = !con((ins
    AnyShaped:$input, Optional<AnyType>:$offset, Optional<AnyType>:$positions,
    Optional<AnyShaped>:$cosines, Optional<AnyShaped>:$sines,
    AnyShaped:$output), Attn_AngleArguments, (ins
    OptionalAttr<I64Attr>:$rotary_dim, OptionalAttr<I64Attr>:$row_dim,
    OptionalAttr<Attn_ScheduleAttrInterface>:$schedule));
  let assemblyFormat = [{
    (`pairs` `(` custom<Keyword>($pairs)^ `)`)? (`base` `(` $base^ `)`)?
    (`position_scale` `(` $position_scale^ `)`)?
    (`rotary_dim` `(` $rotary_dim^ `)`)? (`row_dim` `(` $row_dim^ `)`)?
    (`schedule` `(` $schedule^ `)`)?
    `ins` `(` $input `:` type($input) `)`
    (`offset` `(` $offset^ `:` type($offset) `)`)?
    (`positions` `(` $positions^ `:` type($positions) `)`)?
    (`cosines` `(` $cosines^ `:` type($cosines) `)`)?
    (`sines` `(` $sines^ `:` type($sines) `)`)?
    `outs` `(` $output `:` type($output) `)` attr-dict (`->` type($result)^)?
  }];
  let extraClassDeclaration = destinationDeclaration # [{
    int64_t getRowDimension();
    /// How many elements of a row turn.
    int64_t getNumRotated();
    /// Whether cosines and sines are given.
    bool hasTables() { return bool(getCosines()); }
    /// Whether positions, or tables, differ along the first dimension.
    bool hasPositionsByFirst();
  }];
}

def Attn_SinusoidalPositionsOp
    : Attn_DestinationOp<"sinusoidal_positions", [AttrSizedOperandSegments]> {
  let summary = "sines and cosines of positions";
  let description = [{
    Writes for each row, at position p, d numbers: with the angles
    p s base^(-2t / d), t < d/2, of `attn.rope`, the sine and the cosine of
    angle t as elements 2t and 2t + 1 (`pairs(interleaved)`), or as elements t
    and t + d/2 (`pairs(half_split)`). The output is [rows, d], or [batch, rows,
    d]; `offset` and `positions` are as for `attn.rope`.

    Example:

    ```mlir
    %e = attn.sinusoidal_positions outs(%init : tensor<?x512xf32>) -> tensor<?x512xf32>
    ```
  }];
  let arguments = !con((ins
    Optional<AnyType>:$offset, Optional<AnyType>:$positions,
    AnyShaped:$output), Attn_AngleArguments, (ins
    OptionalAttr<Attn_ScheduleAttrInterface>:$schedule));
  let assemblyFormat = [{
    (`pairs` `(` custom<Keyword>($pairs)^ `)`)? (`base` `(` $base^ `)`)?
    (`position_scale` `(` $position_scale^ `)`)?
    (`schedule` `(` $schedule^ `)`)?
    (`offset` `(` $offset^ `:` type($offset) `)`)?
    (`positions` `(` $positions^ `:` type($positions) `)`)?
    `outs` `(` $output `:` type($output) `)` attr-dict (`->` type($result)^)?
  }];
  let extraClassDeclaration = destinationDeclaration # [{
    int64_t getRowDimension();
    /// Whether positions differ along the first dimension.
    bool hasPositionsByFirst();
  }];
}

#endif // ATTN_DIALECT_ATTN_IR_POSITIONOPS_TD
