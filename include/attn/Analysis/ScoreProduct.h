//===- ScoreProduct.h - What the scores of a softmax are made of *- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A softmax that stands alone, as attn.softmax, linalg.softmax or an op that
// divides exponentials by their sum, has scores as an attention has if they are
// a product of rows. What lies between the product and the softmax is read
// element by element: factors, biases, masks, views.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_ANALYSIS_SCOREPRODUCT_H
#define ATTN_ANALYSIS_SCOREPRODUCT_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <optional>

namespace attn {

/// Whether an op only names another view of its first operand, or has its
/// elements in another float type.
bool isView(mlir::Operation *op);

/// The dimensions of a tensor that have more than one index; 0 for a number.
unsigned countWideDims(mlir::Value value);

/// The ops that read `value` or a view of it, views left out.
llvm::SmallVector<mlir::Operation *> getReaders(mlir::Value value);

/// Where `value` comes from, through the first operands of ops that `passes`.
mlir::Value findSource(mlir::Value value,
                       llvm::function_ref<bool(mlir::Operation *)> passes);

/// The dimensions of an operand that a structured op sums up.
llvm::SmallVector<unsigned> getReducedDims(mlir::linalg::LinalgOp op,
                                           mlir::OpOperand *operand);

/// Whether a constant has numbers that hide scores when they are added: below
/// `limit`, or near the lowest one of their type.
bool hasLowNumber(mlir::Attribute constant, double limit);

struct ScoreProduct {
  /// attn.linear or a linalg contraction.
  mlir::Operation *op = nullptr;
  /// The rows that are multiplied, "queries" and "keys".
  mlir::Value left, right;
  /// How many numbers one score sums up; nothing where that is not static.
  std::optional<int64_t> dim;
  /// The constants that scores are multiplied by on their way.
  double factor = 1.0;
  /// Whether something other than factors and masks comes before the softmax:
  /// a factor of the softmax is then another one than that of the product.
  bool isChanged = false;
  /// The ops between the product and the softmax, and those of the softmax.
  llvm::SmallPtrSet<mlir::Operation *, 8> path;
  /// Whether all rows were divided by their lengths.
  bool isCosine = false;
};

/// The product whose elements the scores of `softmax` are; nothing where there
/// is none, there are several, or a norm or an activation lies between.
std::optional<ScoreProduct> findScoreProduct(mlir::Operation *softmax);

/// The scores of an attention, or of a softmax.
struct ScoreSubject {
  mlir::Operation *op = nullptr;
  /// Null for a softmax that has none.
  ScalePolicyAttrInterface scale = {};
  bool isCosine = false, isAligned = false;
  /// The rows that are multiplied; null where that is not known.
  mlir::Value query = {}, key = {};
  /// Nothing where it is not static.
  std::optional<int64_t> headDim = {};
  /// Of a softmax: a factor of its own would be another one behind the product
  /// if something is added to that.
  std::optional<ScoreProduct> product = {};
};

ScoreSubject describeScores(mlir::Operation *op);

} // namespace attn

#endif // ATTN_ANALYSIS_SCOREPRODUCT_H
