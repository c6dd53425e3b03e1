//===- AttentionTiles.cpp - The attention ops on tiles --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionRows.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace attn::reference::detail {

static constexpr double log2e = 1.44269504088896340736;
static constexpr double ln2 = 0.69314718055994530942;
static constexpr double infinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// attn.online_attention
//===----------------------------------------------------------------------===//

namespace {

/// Folds one row's scores, in log2 units, into its state.
template <typename T> class StateUpdate {
public:
  StateUpdate(const AttentionProblem &problem,
              ArrayRef<std::shared_ptr<Tensor>> outputs)
      : acc(*outputs[0]), max(*outputs[1]), sum(*outputs[2]),
        accAccess(problem.getOutputAccess(0, acc)),
        maxAccess(problem.getOutputAccess(1, max)),
        sumAccess(problem.getOutputAccess(2, sum)),
        step(accAccess.getStep(problem.getValueDim())),
        row(problem.getExtent(problem.getValueDim())) {}

  void run(const ScoreRows<T> &scores, ArrayRef<int64_t> point);

private:
  Tensor &acc, &max, &sum;
  AffineAccess accAccess, maxAccess, sumAccess;
  int64_t step;
  SmallVector<T> row;
};

} // namespace

template <typename T>
void StateUpdate<T>::run(const ScoreRows<T> &scores, ArrayRef<int64_t> point) {
  double &top = max.floats[maxAccess.getOffset(point)];
  double &total = sum.floats[sumAccess.getOffset(point)];
  T before = T(top), after = before;
  std::vector<T> weights(scores.getNumKeys(), T(0));
  for (int64_t j = 0; j < scores.getNumKeys(); ++j)
    if (!scores.isHidden(j)) {
      T score = scores.getScores()[j] * T(log2e);
      // NaN stays the maximum once it is one.
      if (!(score <= after) && !std::isnan(after))
        after = score;
    }
  if (after == T(-infinity))
    return;
  T factor = before == after ? T(1) : T(std::exp2(double(before - after)));
  T newSum = T(total) * factor;
  for (int64_t j = 0; j < scores.getNumKeys(); ++j)
    if (!scores.isHidden(j)) {
      T score = scores.getScores()[j] * T(log2e);
      weights[j] = T(std::exp2(double(score - after)));
      newSum += weights[j];
    }
  int64_t at = accAccess.getOffset(point);
  for (auto [index, value] : llvm::enumerate(row))
    value = T(acc.floats[at + int64_t(index) * step]) * factor;
  scores.addValues(weights, row);
  for (auto [index, value] : llvm::enumerate(row))
    acc.floats[at + int64_t(index) * step] = value;
  top = after;
  total = newSum;
}

template <typename T>
static LogicalResult
runOnlineAttentionIn(const AttentionProblem &problem, bool packed,
                     ArrayRef<std::shared_ptr<Tensor>> outputs) {
  ScoreRows<T> rows(problem, packed);
  if (failed(rows.prepare()))
    return failure();
  StateUpdate<T> update(problem, outputs);
  return forEachRow(problem, rows, [&](SmallVector<int64_t> &point) {
    update.run(rows, point);
  });
}

LogicalResult runOnlineAttention(const AttentionProblem &problem, bool packed,
                                 ArrayRef<std::shared_ptr<Tensor>> outputs) {
  return computesInFloat(problem)
             ? runOnlineAttentionIn<float>(problem, packed, outputs)
             : runOnlineAttentionIn<double>(problem, packed, outputs);
}

//===----------------------------------------------------------------------===//
// attn.pack_query
//===----------------------------------------------------------------------===//

template <typename T>
static LogicalResult runPackQueryIn(const AttentionProblem &problem,
                                    ArrayRef<std::shared_ptr<Tensor>> outputs) {
  AttentionOpInterface op = problem.getOp();
  unsigned rowDim = problem.getRowDim(), headDim = problem.getHeadDimDim();
  AffineAccess access = problem.getOutputAccess(0, *outputs[0]);
  AffineAccess scaleAccess = problem.getOutputAccess(1, *outputs[1]);
  std::optional<unsigned> rowResult = op.getOutputMap(0).getResultPosition(
      getAffineDimExpr(rowDim, op.getContext()));
  if (!rowResult)
    return op->emitError("the output must be indexed by rows");
  int64_t bound = outputs[0]->shape[*rowResult];
  int64_t rows = problem.getExtent(rowDim);
  std::vector<T> query(problem.getExtent(headDim));

  auto packRow = [&](SmallVector<int64_t> point, int64_t to) {
    for (auto [index, value] : llvm::enumerate(query)) {
      point[headDim] = index;
      value = T(problem.getInput(0).load(point));
    }
    point[headDim] = 0;
    changeRow<T>(problem, LoadedRows::Query, point, query);
    normaliseVector<T>(op, query);
    double lambda = problem.getLambda(point);
    point[rowDim] = to;
    outputs[1]->floats[scaleAccess.getOffset(point)] = T(lambda);
    for (auto [index, value] : llvm::enumerate(query)) {
      point[headDim] = index;
      outputs[0]->floats[access.getOffset(point)] = value;
    }
  };
  auto packBatch = [&](SmallVector<int64_t> &point) {
    for (int64_t to = 0; to < bound && rows > 0; ++to) {
      point[rowDim] = std::min(to, rows - 1);
      packRow(point, to);
    }
    return success();
  };
  return forEachPoint(problem.getExtents(), problem.getNumBatchDims(),
                      packBatch);
}

LogicalResult runPackQuery(const AttentionProblem &problem,
                           ArrayRef<std::shared_ptr<Tensor>> outputs) {
  return computesInFloat(problem) ? runPackQueryIn<float>(problem, outputs)
                                  : runPackQueryIn<double>(problem, outputs);
}

//===----------------------------------------------------------------------===//
// attn.finalize
//===----------------------------------------------------------------------===//

namespace {
/// What a finished row multiplies its acc by, and its lse.
struct FinishedRow {
  double factor;
  double lse;
};
} // namespace

static FinishedRow finish(double max, double sum, double logExtra) {
  double extra = logExtra * log2e;
  if (std::isnan(max) || std::isnan(extra) || max == infinity)
    return {std::numeric_limits<double>::quiet_NaN(),
            std::numeric_limits<double>::quiet_NaN()};
  double top = std::max(max, extra);
  if (std::isinf(top))
    return {0.0, top};
  double kept = std::exp2(max - top);
  double z = sum * kept + std::exp2(extra - top);
  if (z == 0.0)
    return {0.0, -infinity};
  return {kept / z, (top + std::log2(z)) * ln2};
}

namespace {
/// The states of all ranges of keys of one row, merged.
struct MergedRow {
  double max = -infinity;
  double sum = 0;
  /// What each range's acc is multiplied by.
  std::vector<double> weights;
};
} // namespace

/// Without ranges along the keys there is one state a row, which keeps its
/// maximum.
static MergedRow merge(const AttentionProblem &problem,
                       SmallVector<int64_t> point, int64_t ranges) {
  unsigned keyDim = problem.getOp().getKeyDim();
  MergedRow row;
  bool isNaN = false;
  for (point[keyDim] = 0; point[keyDim] < ranges; ++point[keyDim]) {
    double max = problem.getInput(1).load(point);
    isNaN |= std::isnan(max);
    row.max = std::max(row.max, max);
  }
  if (isNaN)
    row.max = std::numeric_limits<double>::quiet_NaN();
  for (point[keyDim] = 0; point[keyDim] < ranges; ++point[keyDim]) {
    double max = problem.getInput(1).load(point);
    // The same maximum, even an infinite one, weighs 1.
    row.weights.push_back(max == row.max ? 1.0 : std::exp2(max - row.max));
    row.sum += row.weights.back() * problem.getInput(2).load(point);
  }
  return row;
}

LogicalResult runFinalize(const AttentionProblem &problem,
                          ArrayRef<std::shared_ptr<Tensor>> outputs) {
  AffineAccess access = problem.getOutputAccess(0, *outputs[0]);
  unsigned valueDim = problem.getValueDim(),
           keyDim = problem.getOp().getKeyDim();
  bool hasRanges = problem.getOp().getInputMap(1).isFunctionOfDim(keyDim);
  int64_t ranges = hasRanges ? problem.getExtent(keyDim) : 1;
  auto finishRow = [&](SmallVector<int64_t> &point) {
    MergedRow merged = merge(problem, point, ranges);
    FinishedRow row =
        finish(merged.max, merged.sum, problem.getLogExtra(point));
    if (outputs.size() > 1) {
      double &lse = outputs[1]->floats[problem.getOutputAccess(1, *outputs[1])
                                           .getOffset(point)];
      lse = row.lse;
      quantise(&lse, 1,
               getQuantum(outputs[1]->elementType, problem.getRounding()));
    }
    for (int64_t c = 0; c < problem.getExtent(valueDim); ++c) {
      point[valueDim] = c;
      double &out = outputs[0]->floats[access.getOffset(point)];
      double sum = 0;
      for (int64_t range = 0; range < ranges; ++range) {
        point[keyDim] = range;
        sum += problem.getInput(0).load(point) * merged.weights[range];
      }
      point[keyDim] = 0;
      out = sum * row.factor;
      quantise(&out, 1,
               getQuantum(outputs[0]->elementType, problem.getRounding()));
    }
    return success();
  };
  return forEachPoint(problem.getExtents(), problem.getRowDim() + 1, finishRow);
}

} // namespace attn::reference::detail
