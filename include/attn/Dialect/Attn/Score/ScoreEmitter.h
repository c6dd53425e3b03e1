//===- ScoreEmitter.h - Scores, masks and scales as IR ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that turns the policies of an attention op into arithmetic. The
// portable path calls it with scalars, the CPU microkernel with a vector of
// rows. What depends on the row only is built by prepareRow, what depends on
// the key only by prepareColumn, so that hoisting is by construction.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_SCORE_SCOREEMITTER_H
#define ATTN_DIALECT_ATTN_SCORE_SCOREEMITTER_H

#include "attn/Dialect/Attn/Score/ParamSource.h"

#include <functional>
#include <optional>

namespace attn {

class ScoreEmitter {
public:
  /// Gives the element of param `index` at `where`, converted to the builder's
  /// float, int or bool type as getParamElement says: that of the lanes, or
  /// that of the rows where it varies with rows only. Params of the score
  /// region are floats, of the builder's type or of their own, or booleans.
  using ParamLoader =
      std::function<mlir::Value(unsigned index, const ScoreIndices &where)>;

  /// What holds for a row (or for each of a vector of rows): values of the
  /// rows' builder.
  struct Row {
    ScoreIndices local;
    /// Absolute row, aligned position (null without `align`), and the number of
    /// keys the batch has: ints.
    mlir::Value absolute, position, keyCount;
    /// First and one-past-last key that the range masks leave (ints).
    mlir::Value lower, upper;
    /// Absolute head index (int), null without batch dimensions.
    mlir::Value head;
    /// lambda, where the caller has it already; null otherwise.
    mlir::Value scale;
    /// What emitScore multiplies a similarity by, and what it needs of each
    /// bias (null where that is nothing); empty before prepareFactor.
    mlir::Value factor;
    llvm::SmallVector<mlir::Value, 2> preparedBiases;
  };
  /// What holds for a key (or for each of a vector of keys): values of the
  /// lanes' builder.
  struct Column {
    LaneIndex local;
    mlir::Value absolute;
  };

  /// `sizes` are the problem's sizes, one index value per iteration dimension
  /// (op.getSizes() on a tile). The op must outlive the emitter.
  ///
  /// `rows` builds what holds for a row, and `lanes` scores: lanes of both,
  /// or a scalar row of elements in lanes.
  ScoreEmitter(LaneBuilder &rows, LaneBuilder &lanes, AttentionOpInterface op,
               mlir::ValueRange sizes, ParamLoader loadParam);
  ScoreEmitter(LaneBuilder &lanes, AttentionOpInterface op,
               mlir::ValueRange sizes, ParamLoader loadParam)
      : ScoreEmitter(lanes, lanes, op, sizes, std::move(loadParam)) {}

  /// Gives the first key of a row's segment, as an absolute int. Needed only
  /// where n = position meets segment_ids.
  void setSegmentStart(std::function<mlir::Value(const Row &)> callback) {
    segmentStart = std::move(callback);
  }

  /// Scores stay similarities from now on, and what is added to them is divided
  /// by `scale`, the same for all rows and not 0; there may be neither softcap
  /// nor region. The exponential multiplies distances by the row's factor.
  void keepSimilarities(double scale) { similarityUnit = 1.0 / scale; }

  /// Scores are in natural units from now on. What is added to them is used as
  /// it is then, and the exponential multiplies distances by log2 e.
  void useNaturalUnits() { naturalUnits = true; }

  Row prepareRow(ScoreIndices local);
  Row prepareRow(llvm::ArrayRef<mlir::Value> batch, LaneIndex localRow);
  Column prepareColumn(LaneIndex localKey);

  /// lambda of the row, a float.
  mlir::Value emitScale(const Row &row);
  /// lambda where it is one number, known now.
  std::optional<double> getKnownScale();
  /// Computes what of a score holds for the whole row, so that emitScore does
  /// not do it per element.
  void prepareFactor(Row &row);

  /// The score after scale, softcap, biases, region and additive masks, in log2
  /// units (natural units times log2 e, if not natural ones), of a similarity
  /// s_ij. Hidden elements are not treated here: see emitVisible.
  mlir::Value emitScore(mlir::Value similarity, const Row &row,
                        const Column &column);

  /// The same in natural units, from `scaled`, which is lambda_i s_ij.
  mlir::Value emitScaledScore(mlir::Value scaled, const Row &row,
                              const Column &column);

  /// Whether the element is visible, or null where no mask may hide it.
  /// `inRange` promises that the range masks do not.
  mlir::Value emitVisible(const Row &row, const Column &column,
                          bool inRange = false);

  /// log e0 of the row, or null when e0 is 0.
  mlir::Value emitLogExtra(const Row &row);

private:
  mlir::Value emitLength(const Row &row);
  /// The size of the problem's head dimension, at least 1, kDynamic if unknown.
  int64_t getStaticHeadDim();
  double getUnit();
  mlir::Value emitDistance(const Row &row, const Column &column);
  mlir::Value emitBias(unsigned bias, const Row &row, const Column &column,
                       double unit);
  mlir::Value emitMaskTerms(const Row &row, const Column &column);
  llvm::SmallVector<mlir::Value, 2> loadParams(ParamRange range,
                                               const ScoreIndices &where);
  ElementInputs getInputs(const Row &row, const Column *column,
                          ParamRange params);
  mlir::Value emitRegion(mlir::Value score, const Row &row,
                         const Column &column);
  mlir::Value getOrigin(unsigned dim);
  /// A value of a row as one of elements.
  mlir::Value spread(mlir::Value value);

  LaneBuilder &rows, &lanes;
  AttentionOpInterface op;
  llvm::SmallVector<mlir::Value> sizes;
  ParamLoader loadParam;
  std::function<mlir::Value(const Row &)> segmentStart;
  bool naturalUnits = false;
  std::optional<double> similarityUnit;
};

} // namespace attn

#endif // ATTN_DIALECT_ATTN_SCORE_SCOREEMITTER_H
