//===- AttentionRows.h - Scores and outputs of one row at a time *- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_REFERENCE_ATTENTIONROWS_H
#define ATTN_LIB_REFERENCE_ATTENTIONROWS_H

#include "AttentionProblem.h"

namespace attn::reference::detail {

/// Computes rows of scores in T: double for the f64 run, the compute type of
/// the op (float, or double for f64) for the run as written.
template <typename T> class ScoreRows {
public:
  /// `packed`: queries are normalised already.
  ScoreRows(const AttentionProblem &problem, bool packed);

  /// Compiles the score region, if there is one.
  mlir::LogicalResult prepare();
  /// Reads the keys and values of the batch at a point.
  void startBatch(llvm::ArrayRef<int64_t> point);
  /// Computes scores and hidden of the row at a point.
  mlir::LogicalResult computeRow(llvm::ArrayRef<int64_t> point);
  /// Adds sum_j weights_j v_j over the visible keys to `out`, without products
  /// of second parts.
  void addValues(llvm::ArrayRef<T> weights, llvm::MutableArrayRef<T> out,
                 llvm::ArrayRef<T> seconds = {}) const;

  llvm::ArrayRef<T> getScores() const { return scores; }
  bool isHidden(int64_t key) const { return hidden[key]; }
  int64_t getNumKeys() const { return numKeys; }

private:
  void addSimilarities(llvm::ArrayRef<T> query, llvm::ArrayRef<T> seconds);
  void applyBiases(llvm::SmallVector<int64_t> point);
  mlir::LogicalResult applyRegion(llvm::SmallVector<int64_t> point);
  void applyMasks(llvm::SmallVector<int64_t> point);

  const AttentionProblem &problem;
  mutable AttentionOpInterface op;
  bool packed;
  int64_t numKeys, headDim, valueDim;
  /// Keys as [d][n], so that the innermost loop runs over keys; values [n][dv].
  std::vector<T> keys, values;
  /// Their second parts, where products are made of two.
  std::vector<T> keySeconds, valueSeconds;
  std::vector<T> scores;
  std::vector<bool> hidden;
  std::optional<ScalarProgram> region;
  llvm::SmallVector<unsigned> regionArguments;
  unsigned regionResult = 0;
};

/// Runs attn.attention: `outputs` are o and, if asked for, lse.
mlir::LogicalResult
runAttention(const AttentionProblem &problem,
             llvm::ArrayRef<std::shared_ptr<Tensor>> outputs);

/// Run the ops on tiles. Each updates its `outputs`, which hold the
/// destinations' elements.
mlir::LogicalResult
runOnlineAttention(const AttentionProblem &problem, bool packed,
                   llvm::ArrayRef<std::shared_ptr<Tensor>> outputs);
mlir::LogicalResult
runPackQuery(const AttentionProblem &problem,
             llvm::ArrayRef<std::shared_ptr<Tensor>> outputs);
mlir::LogicalResult
runFinalize(const AttentionProblem &problem,
            llvm::ArrayRef<std::shared_ptr<Tensor>> outputs);

/// Changes a row of the query or of the key, read at a point, as the op says.
template <typename T>
void changeRow(const AttentionProblem &problem, LoadedRows rows,
               llvm::ArrayRef<int64_t> point, llvm::MutableArrayRef<T> row);

/// l2-normalises a row of query or key as the op's similarity says.
template <typename T>
void normaliseVector(AttentionOpInterface op, llvm::MutableArrayRef<T> row);

/// Rounds what enters a product to two parts where the op allows that, in a run
/// as written; returns the second ones, none where it does not.
template <typename T>
std::vector<T> roundToParts(const AttentionProblem &problem,
                            llvm::MutableArrayRef<T> numbers);

/// Whether the run computes in float: as written, for everything but f64.
bool computesInFloat(const AttentionProblem &problem);

/// Calls `visit` for each index of the dimensions below `count`, the last
/// fastest, on a point whose other indices are 0. Stops at a failure.
mlir::LogicalResult forEachPoint(
    llvm::ArrayRef<int64_t> extents, unsigned count,
    llvm::function_ref<mlir::LogicalResult(llvm::SmallVector<int64_t> &)>
        visit);

/// Computes each row of scores, by batch, and calls `visit` at its point. Stops
/// at a failure.
template <typename T>
mlir::LogicalResult
forEachRow(const AttentionProblem &problem, ScoreRows<T> &rows,
           llvm::function_ref<void(llvm::SmallVector<int64_t> &)> visit) {
  auto runBatch = [&](llvm::SmallVector<int64_t> &point) {
    rows.startBatch(point);
    int64_t &row = point[problem.getRowDim()];
    for (row = 0; row < problem.getExtent(problem.getRowDim()); ++row) {
      if (failed(rows.computeRow(point)))
        return mlir::failure();
      visit(point);
    }
    return mlir::success();
  };
  return forEachPoint(problem.getExtents(), problem.getNumBatchDims(),
                      runBatch);
}

} // namespace attn::reference::detail

#endif // ATTN_LIB_REFERENCE_ATTENTIONROWS_H
