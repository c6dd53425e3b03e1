//===- ReadRope.h - A rotation read off values ------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_READROPE_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_READROPE_H

#include "attn/Dialect/Attn/Transforms/Raise/Reading.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace attn::raise {

/// How the numbers that lie along a dimension belong to the elements that turn:
/// one to each, or one to both of a pair, halves or neighbours.
enum class TableSpread { Each, Halves, Neighbours };

/// Cosines or sines in a tensor.
struct RopeTable {
  mlir::Value tensor;
  /// For each of its dimensions the result's one that it runs along, or -1: it
  /// is read at `offsets` alone, or from there on along the elements.
  llvm::SmallVector<int64_t> along, offsets;
  unsigned elementDim = 0;
  int64_t stride = 1;
  TableSpread spread = TableSpread::Each;
};

/// Pairs of a row's elements that turn by position.
struct RopeReading {
  PairLayout pairs = PairLayout::HalfSplit;
  double base = 10000.0, positionScale = 1.0;
  int64_t rotated = 0, rowDim = 0;
  mlir::Value positions; // of the rows, or null: their numbers
  // What is added to them: a number, or an integer or tensor of integers that
  // is one for all rows, or for those of each index of the first dimension.
  int64_t start = 0;
  mlir::Value offset;
  // Or cosines and sines, in place of all that says positions and angles.
  std::optional<RopeTable> cosines, sines;
  // Pairs turn by minus the tables' angles.
  bool turnsBack = false;
  // Pairs are halves of the result's rows and neighbours in the input's.
  bool fromNeighbours = false;

  /// Where the input has what the pairs call element `j` of a row of `dim`.
  int64_t getPlace(int64_t j, int64_t dim) const {
    return fromNeighbours ? 2 * (j % (dim / 2)) + j / (dim / 2) : j;
  }
  /// What the pairs call the input's element at `place`.
  int64_t getElement(int64_t place, int64_t dim) const {
    return fromNeighbours ? place / 2 + place % 2 * (dim / 2) : place;
  }
};

/// Whether the elements of `result` are those of `input`, which has the same
/// type, turned by row. `rope` is new, but for `fromNeighbours`.
bool readRope(mlir::Value result, mlir::Value input, RopeReading &rope,
              Rejection &why);

/// The same with cosines and sines of any tensors, which `rope` gets.
bool readRopeTables(mlir::Value result, mlir::Value input, RopeReading &rope,
                    Rejection &why);

/// Whether the pairs that a reader found lie in rows of `dim` elements.
bool hasPairs(const RopeReading &rope, int64_t dim);

/// Puts attn.rope in the place of `result`, at its operation, which stays. Rows
/// turn before a transpose of the input; attentions read past it.
void replaceByRope(mlir::Value result, mlir::Value input,
                   const RopeReading &rope);

/// What parts positions from those of attn.rope: a sum that may wrap, or a cast
/// that loses something.
enum class PositionFault { None, Sum, Cast };

/// None where signed casts that lose nothing and sums that do not wrap before
/// those of attn.rope are all that `result` sees of `integers` besides `input`,
/// and no angle is rounded to less than f32.
PositionFault findPositionFault(mlir::Value result, mlir::Value input,
                                llvm::ArrayRef<mlir::Value> integers);

/// Whether a sum may leave its type, for all that is known of its terms.
bool mayWrap(mlir::arith::AddIOp sum);

/// Whether two sizes are surely equal; dynamic ones are if one tensor or scalar
/// gives both.
bool haveEqualSize(mlir::Value x, int64_t xDim, mlir::Value y, int64_t yDim);

} // namespace attn::raise

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_READROPE_H
