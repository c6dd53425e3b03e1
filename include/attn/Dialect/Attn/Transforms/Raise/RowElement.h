//===- RowElement.h - Elements of rows as functions of an input -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_ROWELEMENT_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_ROWELEMENT_H

#include "attn/Dialect/Attn/Transforms/Raise/PullThrough.h"

namespace attn::raise {

/// A row whose number, or whose position, is given, with what an offset adds to
/// it. The other dimensions but the last one stay variables: nothing but loads
/// may depend on them.
struct Sample {
  unsigned rowDim;
  std::optional<int64_t> row; // unknown where only the position counts
  double position, offset;
  llvm::function_ref<double(int64_t)> element; // of the input's row
};

/// An element of each row of a tensor, in terms of those of another one.
class RowElement {
public:
  RowElement(mlir::Value tensor, mlir::Value input, int64_t element);

  std::optional<double> evaluate(const Sample &sample) {
    return evaluate(expr, sample, 0);
  }
  /// Whether it is a sum of elements of the input with factors that do not
  /// depend on the input.
  bool isLinear() { return isLinear(expr, 0); }
  /// Whether rows turn by an affine function of their numbers or positions, and
  /// by nothing else.
  bool turnsAffinely(unsigned rowDim) {
    return turnsAffinely(expr, place[rowDim], /*isAngle=*/false, 0);
  }
  /// The number that is added to those of the rows, or to the positions, before
  /// they become angles; 0 where none is found.
  int64_t getStart(unsigned rowDim);
  /// The open tensor that the element needed, if that is why there was none.
  mlir::Value getOpenTensor() const { return open; }
  /// The tensor of integers that was taken for positions, if there was one.
  mlir::Value getPositions() const { return positions; }
  /// The integer, or tensor of such, that was taken for an offset of positions,
  /// if there was one: it is the same for all rows.
  mlir::Value getOffset() const { return offset; }
  /// The number of places where slices may start, if the offset is one and
  /// there are no others but 0 up to that.
  std::optional<int64_t> countOffsets() const;

private:
  /// Where a slice of a table starts: `variable` stands for the value, which is
  /// less than `count` where that is known.
  struct Shift {
    mlir::Value value;
    unsigned variable;
    std::optional<int64_t> count;
  };
  std::optional<double> evaluate(Expr x, const Sample &sample, unsigned depth);
  std::optional<double> evaluateLeaf(Expr leaf, const Sample &sample,
                                     unsigned depth);
  std::optional<int64_t> evaluateVariable(unsigned variable,
                                          const Sample &sample);
  Expr openLeaf(Expr leaf);
  Expr openSlice(mlir::Operation *op, Expr leaf);
  mlir::AffineExpr getShift(mlir::Value value, std::optional<int64_t> count);
  bool isShift(Expr x) const;
  bool isPositionOf(Expr leaf, mlir::AffineExpr row) const;
  bool isOffset(Expr leaf) const;
  Expr findAngle(Expr x, mlir::AffineExpr row, unsigned depth);
  bool hasInput(Expr x, unsigned depth);
  bool isLinear(Expr x, unsigned depth);
  bool isFixed(Expr x, mlir::AffineExpr row, unsigned depth);
  bool turnsAffinely(Expr x, mlir::AffineExpr row, bool isAngle,
                     unsigned depth);
  /// What is computed in the body of an op cannot be an operand of attn.rope.
  bool isOutside(mlir::Value value) const {
    return value.getParentRegion()->isAncestor(region);
  }

  ExprGraph graph;
  PullThrough pull;
  mlir::Region *region;
  mlir::Value input, open, positions, offset;
  llvm::SmallVector<mlir::AffineExpr> place; // of the row
  llvm::SmallVector<Shift, 2> shifts;
  llvm::DenseMap<Expr, Expr> opened;
  llvm::DenseMap<Expr, bool> withInput, fixed;
  Expr expr;
};

} // namespace attn::raise

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_ROWELEMENT_H
