//===- FragmentLayout.h - Which lane holds which element of a matrix --*- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A warp's matrix instruction takes and gives matrices that lie in registers of
// its 32 lanes, and one of four warps those of 128. Where, the PTX ISA says in
// tables; all of them are linear in the bits of the lane's number and of the
// element's, and are kept so.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_FRAGMENT_FRAGMENTLAYOUT_H
#define ATTN_LIB_CONVERSION_GPU_FRAGMENT_FRAGMENTLAYOUT_H

#include "attn/Dialect/Attn/IR/LaneBuilder.h"
#include <optional>

namespace attn {

/// The operands of D = A B + C: C and D, A, B.
enum class FragmentRole { Accumulator, Lhs, Rhs };

struct MatrixShape {
  int64_t m, n, k;
};

class FragmentLayout {
public:
  /// Row and column of an element; those of a rhs are term and column.
  struct Place {
    int64_t row = 0, column = 0;
    bool operator==(const Place &other) const {
      return row == other.row && column == other.column;
    }
  };

  /// The operand `role` of the instruction of this shape on elements of
  /// `element` (the lhs's and rhs's); nothing where there is none. Of f32 and
  /// f64 there are accumulators only, those of ThreadContraction. Shapes of 64
  /// rows are those of four warps, whose accumulators are blocks of eight
  /// columns side by side: the layout of one block, whatever n is.
  static std::optional<FragmentLayout> get(FragmentRole role, MatrixShape shape,
                                           mlir::Type element);

  int64_t getNumElements() const { return int64_t(1) << elementBits.size(); }
  int64_t getNumRows() const { return rows; }
  int64_t getNumColumns() const { return columns; }
  int64_t getNumLanes() const { return int64_t(1) << laneBits.size(); }
  /// Element `element` of lane `lane`, in the order of the registers.
  Place getPlace(int64_t lane, int64_t element) const;

  /// Rows of which a lane holds elements, and how many of each.
  int64_t getRowsPerThread() const;
  int64_t getColumnsPerRow() const {
    return getNumElements() / getRowsPerThread();
  }
  /// Which of a lane's elements are those of its `row`-th row, in the order of
  /// columns.
  llvm::SmallVector<int64_t> getElementsOfRow(int64_t row) const;

  /// The `row`-th row that a lane holds, and the columns that it holds of each:
  /// ints of the builder, whose lanes may be several fragments side by side.
  mlir::Value emitRow(LaneBuilder &rows, mlir::Value lane, int64_t row) const;
  mlir::Value emitColumns(LaneBuilder &elements, mlir::Value lane) const;

  /// How accumulators become a lhs without moving between lanes: for each
  /// element of the lhs, which element of which accumulator, counted through,
  /// of those that lie side by side along its columns; or none.
  static std::optional<llvm::SmallVector<int64_t>>
  getReuse(const FragmentLayout &accumulator, const FragmentLayout &lhs);

private:
  FragmentLayout(int64_t rows, int64_t columns, llvm::ArrayRef<Place> laneBits,
                 llvm::ArrayRef<Place> elementBits)
      : rows(rows), columns(columns), laneBits(laneBits),
        elementBits(elementBits) {}

  int64_t rows, columns;
  /// What a bit of the lane's number, and of the element's, adds.
  llvm::SmallVector<Place, 8> laneBits;
  llvm::SmallVector<Place, 4> elementBits;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_FRAGMENT_FRAGMENTLAYOUT_H
