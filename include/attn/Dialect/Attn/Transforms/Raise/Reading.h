//===- Reading.h - What raising reads off an expression ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps from the expression of a result to an attention: the softmax around
// the weights, the score inside of it, the masks, and the roles of dimensions.
// No step changes IR; each returns false with a reason.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_READING_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_READING_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/Transforms/Raise/PullThrough.h"
#include "attn/Remarks/Remarks.h"
#include <string>

namespace attn::raise {

/// Why a candidate is no attention; `progress` orders reasons, so that of
/// several attempts the one that came furthest is reported.
struct Rejection {
  int progress = 0;
  std::string reason;

  bool reject(int newProgress, llvm::Twine newReason) {
    if (reason.empty() || newProgress > progress) {
      progress = newProgress;
      reason = newReason.str();
    }
    return false;
  }
};

/// sum_j exp(score_ij + row_i) value_j / (sum_j exp(score_ij + row_i) + extra).
struct Softmax {
  unsigned key = 0;              // the variable j
  Expr score = nullptr;          // what depends on j in the exponent
  Expr shift = nullptr;          // row_i, what else there is
  llvm::SmallVector<Expr> value; // the other factors of the sum
  double extra = 0.0;            // e0
  Expr sink = nullptr;           // e0 = exp(sink)
  bool isGuarded = false;        // rows of only -inf give 0
  bool replacesNaN = false;      // and so do all rows that are NaN
  Expr keep = nullptr;           // else e^score is 0; null: everywhere
  Expr visible = nullptr;        // rows where it holds for no j give 0, or null
};
bool matchSoftmax(ExprGraph &graph, Expr result, Softmax &softmax,
                  Rejection &why);
/// The same without value and sum: one weight of a row along the variable
/// `key`.
bool matchWeights(ExprGraph &graph, Expr result, unsigned key, Softmax &softmax,
                  Rejection &why);
/// Whether the row's largest score is taken from all of them, which are at
/// least `lowest` or -inf: then one weight is 1, and no sum underflows.
bool takesMaximum(ExprGraph &graph, const Softmax &softmax, double lowest);
/// Whether `result` has the outer form of a weighted sum of exponentials.
bool isCandidate(Expr result);
/// Whether exponentials over a sum of such occur in `x`.
bool hasQuotient(Expr x);

/// One softmax of those whose weights a value product adds: what it is
/// multiplied by, and its own product.
struct WeightedPart {
  Expr factor = nullptr, product = nullptr;
};
/// The parts of a product; none where it sums nothing.
llvm::SmallVector<WeightedPart> splitWeights(ExprGraph &graph, Expr product);
/// Whether the factors vary with the result's dimensions only, and can be
/// computed.
bool haveFactors(llvm::ArrayRef<WeightedPart> parts,
                 llvm::ArrayRef<mlir::AffineExpr> result);
/// The sum of the parts' attentions, each times its factor, in place of `root`.
mlir::Value addParts(mlir::OpBuilder &builder, mlir::Value root,
                     const ExprGraph &graph,
                     llvm::ArrayRef<mlir::AffineExpr> result,
                     llvm::ArrayRef<WeightedPart> parts,
                     llvm::ArrayRef<mlir::Value> attentions);

/// What is done to the score after the softcap: a mask, or a term is added.
struct ScoreStep {
  Expr keep = nullptr; // a mask: true where the key is visible
  double fill = 0.0;   // score or term where it is not
  bool isTerm =
      false; // the fill is added to the score, and does not replace it
  Expr bias = nullptr;     // the term where there is no mask
  bool multiplies = false; // by the mask, so that -inf where it is 0 is NaN

  bool isMask() const { return keep != nullptr; }
};

struct Score {
  Expr query = nullptr, key = nullptr; // loads
  unsigned headDim = 0;                // the variable of the dot product
  double scale = 1.0;
  llvm::SmallVector<Expr> rowScales; // factors of lambda that vary
  CosineAttr cosine;                 // or null
  std::optional<double> softcap;
  llvm::SmallVector<ScoreStep> steps; // the last one first
};
/// A fill below this hides a key of a row that has a visible one: the
/// difference to any score of reasonable size underflows in exp.
constexpr double largestFill = -1e4;
/// Whether `term` is as large as a fill, or made with such a number: where it
/// belongs to all scores of a row, they are lost beside it, and so it is no
/// shift that the row's maximum takes back.
bool mayDrown(Expr term);
bool readScore(PullThrough &pull, const Softmax &softmax, Score &score,
               Rejection &why);

/// Whether a load reads a whole tensor by variables, as an operand of an
/// attention may: each index is a variable over the full size, such a variable
/// divided by a constant, or 0 in a size of 1.
bool isOperand(const ExprGraph &graph, Expr load);
/// The load of the first producer that still is an operand, by moving through
/// data movement (and, where allowed, products with constants, which then are
/// factors of the load); null if there is none.
Expr findOperand(PullThrough &pull, const Element &element, bool mayScale);

/// The operand `load`, or where its tensor was copied in another order, the
/// same elements as a view of what it was copied from. The view keeps at least
/// `minUnits` of the load's dimensions of size 1. `whyCopied` is the reason for
/// a copy that stays, empty without one.
Expr viewOperand(mlir::OpBuilder &builder, PullThrough &pull, Expr load,
                 unsigned minUnits, llvm::StringRef &whyCopied);

/// Iteration dimensions of the attention in their order. A dimension of size 1
/// has no variable.
struct Roles {
  llvm::SmallVector<std::optional<unsigned>> batch;
  std::optional<unsigned> row, value;
  unsigned key = 0, headDim = 0;

  unsigned getNumDims() const { return batch.size() + 4; }
  unsigned getRowDim() const { return batch.size(); }
  /// The dimension of a variable.
  std::optional<unsigned> find(unsigned variable) const;
  /// The indexing map of an operand. Unit dimensions named in `units` are given
  /// to indices 0 from the right, the batch's from the left.
  mlir::AffineMap getMap(llvm::ArrayRef<mlir::AffineExpr> indices,
                         llvm::ArrayRef<unsigned> units,
                         mlir::MLIRContext *context) const;
};
bool assignRoles(const ExprGraph &graph,
                 llvm::ArrayRef<mlir::AffineExpr> result,
                 const Softmax &softmax, const Score &score, Roles &roles,
                 Rejection &why);

/// One policy with the expressions of its params.
struct Policy {
  mlir::Attribute attribute;
  Expr param = nullptr; // null: no param
  ParamElement element = ParamElement::Float;
  Expr second = nullptr; // another one of the same elements, or null
};

/// A step in the score region: where one of `conditions` does not hold the
/// score is replaced by `fill`, or that is added; or `bias` is added.
struct RegionStep {
  /// An index that is not negative, or a boolean param.
  struct Condition {
    mlir::AffineExpr index; // in row and key, or null
    Policy param;
    bool isNegated = false;
  };
  llvm::SmallVector<Condition> conditions;
  double fill = 0.0;
  bool isTerm = false;
  Policy bias;
};

/// What an attention does to its scores after the softcap.
struct ScorePlan {
  llvm::SmallVector<Policy> biases, masks;
  llvm::SmallVector<RegionStep> region; // the first one first
};

/// What a model may compute of the weights of a row.
enum class RowStatistic { Entropy, Squares, Largest };
/// A tensor that holds it: for each of its dimensions the index of the
/// attention, and that of the weights that are reduced.
struct RowNumber {
  mlir::Value tensor;
  RowStatistic kind;
  llvm::SmallVector<mlir::AffineExpr> indices;
  mlir::AffineExpr key;
};
/// Those that are computed from the weights, whose last index is `key`, and
/// that nothing before `root` uses.
llvm::SmallVector<RowNumber> findRowNumbers(PullThrough &pull,
                                            mlir::Operation *root,
                                            const Element &weights,
                                            mlir::AffineExpr key);

/// Everything BuildAttention needs.
struct Plan {
  Softmax softmax;
  Score score;
  Roles roles;
  llvm::SmallVector<mlir::AffineExpr> result; // indices of the result
  Policy scale, normalizer;
  ScorePlan scores;
  /// Rows without a visible key have the mean of all values, as with one finite
  /// fill for all keys.
  bool meansEmptyRows = false;
  std::optional<Alignment> align;
  /// What becomes probes.
  llvm::SmallVector<RowNumber> numbers;
  llvm::SmallVector<Remark> remarks;
};
/// Masks and terms as attributes, and in the score region where finite fills
/// may matter.
bool readSteps(PullThrough &pull, Plan &plan, Rejection &why);
/// Whether a key is visible to every row where `keep` holds: one with a closed
/// index.
bool everyRowKeepsAKey(ExprGraph &graph, const Roles &roles, Expr keep);
/// Adds what hides the keys where `keep` does not hold.
bool readMasks(PullThrough &pull, Plan &plan, Expr keep, ScorePlan &scores,
               Rejection &why);
/// Reads a term as slopes of heads times the distance of row and key; masks are
/// read before, because a causal one shows distances of one sign only.
bool readAlibi(PullThrough &pull, Plan &plan, Expr term, ScorePlan &scores);
/// Narrows a band whose position 0 is that of a row which stands where it would
/// if the last row stood at the last key, the lengths being dynamic.
bool narrowAtEnd(ExprGraph &graph, const Plan &plan, Expr condition,
                 KeyBand &band);
/// Scale and normaliser as attributes.
bool readPolicies(ExprGraph &graph, Plan &plan, Rejection &why);

/// Whether emitExpr can compute `x` outside of an attention.
bool canEmit(Expr x);
/// The same with loads of tensors in place of parts that emitExpr cannot
/// compute, where there are tensors that hold those; null otherwise.
Expr makeEmittable(PullThrough &pull, Expr x);
/// A tensor over the given variables that holds `x`.
mlir::Value emitTensor(mlir::OpBuilder &builder, mlir::Location loc,
                       const ExprGraph &graph, Expr x,
                       llvm::ArrayRef<unsigned> variables,
                       llvm::ArrayRef<mlir::OpFoldResult> sizes,
                       mlir::Type element);

/// A tensor over the dimensions `dims` of the tensor that `input` loads from,
/// which holds `x` by the indices of `input`: the one that `x` loads from, or
/// one of `element` that is computed.
mlir::Value buildParam(mlir::OpBuilder &builder, mlir::Location loc,
                       ExprGraph &graph, Expr x, Expr input,
                       llvm::ArrayRef<int64_t> dims, mlir::Type element);

/// Builds the attention that replaces `root` at the builder's position.
mlir::Value buildAttention(mlir::OpBuilder &builder, mlir::Value root,
                           ExprGraph &graph, const Plan &plan);

} // namespace attn::raise

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_READING_H
