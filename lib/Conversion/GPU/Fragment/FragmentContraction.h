//===- FragmentContraction.h - Products of fragments ------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C += A B. C lies in registers, a vector for each row that a lane has. Each
// family of instructions has its own: those of one warp here, whose A lies in
// registers and B in shared memory, those of four warps in GroupContraction.h.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_FRAGMENT_FRAGMENTCONTRACTION_H
#define ATTN_LIB_CONVERSION_GPU_FRAGMENT_FRAGMENTCONTRACTION_H

#include "FragmentLayout.h"
#include "SharedTile.h"

namespace attn {

/// A in registers: those of a block of rows (counted through) and a step of
/// terms, when they are asked for.
using LhsRegisters = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    int64_t rowBlock, int64_t step)>;

class FragmentContraction {
public:
  const FragmentLayout &getAccumulator() const { return accumulator; }
  const FragmentLayout &getLhs() const { return lhs; }
  MatrixShape getShape() const { return shape; }

  /// Rows of accumulators as the lhs of another product, rounded to its type:
  /// the registers of each step of one block of rows.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  emitReuse(KernelBuilder &, mlir::ValueRange rows) const;

protected:
  FragmentContraction(MatrixShape shape, mlir::Type element,
                      FragmentLayout accumulator, FragmentLayout lhs)
      : shape(shape), element(element), accumulator(std::move(accumulator)),
        lhs(std::move(lhs)) {}

  MatrixShape shape;
  mlir::Type element;
  FragmentLayout accumulator, lhs;
};

/// The instruction mma.sync on 16-bit numbers.
class WarpContraction : public FragmentContraction {
public:
  /// Multiplies a B that has a column in each row of shared memory (of terms,
  /// as keys are), or, with `rowsAreTerms`, a term in each row (as values are).
  WarpContraction(mlir::Type element, bool rowsAreTerms);

  /// The accumulators, a vector a row, after `steps` steps of the terms.
  /// Accumulators of all column blocks of a row lie side by side in its vector.
  /// With `fresh` they begin at 0 whatever they hold.
  llvm::SmallVector<mlir::Value> emit(KernelBuilder &, LhsRegisters lhs,
                                      int64_t steps, const MatrixLoader &rhs,
                                      mlir::ValueRange accumulators,
                                      bool fresh);

private:
  using Registers = llvm::SmallVector<mlir::Value, 4>;
  llvm::SmallVector<Registers> split(KernelBuilder &, mlir::ValueRange rows,
                                     bool fresh) const;
  llvm::SmallVector<mlir::Value>
  join(KernelBuilder &, llvm::ArrayRef<Registers> blocks, int64_t rows) const;
  void multiply(KernelBuilder &, mlir::ValueRange a, mlir::ValueRange b,
                Registers &c) const;

  bool rowsAreTerms;
};

/// The loader of A or B. Each row of shared memory has a row of A or a column
/// of B, or with `rowsAreTerms` a term. The warp's part starts at row, or
/// column, `first`, a multiple of 16, or null for 0.
MatrixLoader createLoader(KernelBuilder &, FragmentRole role,
                          const SharedTile &tile, mlir::Value lane,
                          bool rowsAreTerms, mlir::Value first = {});

/// The registers of 16 rows of A, from `row` of the warp's on, at step `step`.
llvm::SmallVector<mlir::Value> loadLhs(KernelBuilder &,
                                       const MatrixLoader &loader, int64_t row,
                                       int64_t step, bool rowsAreTerms = false);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_FRAGMENT_FRAGMENTCONTRACTION_H
