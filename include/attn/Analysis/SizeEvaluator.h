//===- SizeEvaluator.h - Sizes of tensors for given arguments ---*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_ANALYSIS_SIZEEVALUATOR_H
#define ATTN_ANALYSIS_SIZEEVALUATOR_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace attn {

/// Evaluates sizes and index arithmetic of one function once the sizes of its
/// arguments are known. Answers nothing where it cannot tell.
class SizeEvaluator {
public:
  /// `sizes` holds the shape of each block argument; without it only static
  /// sizes are known. What cannot be told is `unknown`, if there is one.
  SizeEvaluator(mlir::Block &entry,
                llvm::ArrayRef<llvm::SmallVector<int64_t>> sizes = {},
                std::optional<int64_t> unknown = std::nullopt);

  std::optional<int64_t> getSize(mlir::Value tensor, unsigned dim);
  std::optional<llvm::SmallVector<int64_t>> getShape(mlir::Value tensor);
  std::optional<int64_t> getIndex(mlir::Value index);
  std::optional<int64_t> getIndex(mlir::OpFoldResult index);
  /// The shape of a tensor, dynamic where it is not known.
  llvm::SmallVector<int64_t> getKnownShape(mlir::Value tensor);
  /// What an argument that is an index or another number is.
  void setIndex(mlir::Value argument, int64_t number) {
    indices[argument] = number;
  }
  /// Whether a size was asked for that cannot be told.
  bool hasGuessed() const { return guessed; }

private:
  std::optional<int64_t> computeSize(mlir::Value tensor, unsigned dim);

  mlir::Block &entry;
  llvm::SmallVector<llvm::SmallVector<int64_t>> sizes;
  std::optional<int64_t> unknown;
  bool guessed = false;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, std::optional<int64_t>>
      known;
  llvm::DenseMap<mlir::Value, int64_t> indices;
};

} // namespace attn

#endif // ATTN_ANALYSIS_SIZEEVALUATOR_H
