//===- ParamSource.h - Where params of policies are read --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A param is a scalar, a tensor or a memref with a map from the iteration
// dimensions. What one load of it gives depends on what stands in the lanes:
// nothing (a scalar builder), rows, or keys.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_SCORE_PARAMSOURCE_H
#define ATTN_DIALECT_ATTN_SCORE_PARAMSOURCE_H

#include "attn/Dialect/Attn/IR/Attn.h"

#include <functional>

namespace attn {

/// The local indices that the lanes of a builder have along one dimension.
struct LaneIndex {
  LaneIndex() = default;
  /// Of a scalar builder, whose ints have the type index.
  LaneIndex(mlir::Value index) : ints(index), first(index) {}
  LaneIndex(mlir::Value ints, mlir::Value first) : ints(ints), first(first) {}

  explicit operator bool() const { return ints != nullptr; }

  /// Ints of the builder, and that of the first lane as a scalar index.
  mlir::Value ints, first;
  /// Lanes that have an index of the problem; null where that is not known.
  mlir::Value active;
  /// How far from `first` they are, as floats; null where nobody said so.
  mlir::Value apart;
  /// How many lanes of a group of vectors come before these.
  int64_t offset = 0;
  /// By number of param, those that are loaded for these indices; null or
  /// missing for others.
  llvm::SmallVector<mlir::Value> params;
};

/// Local iteration indices of one element, or of a vector of them.
struct ScoreIndices {
  /// One scalar index per batch dimension.
  llvm::SmallVector<mlir::Value> batch;
  /// Null when the value asked for does not vary with it.
  LaneIndex row, key;
};

/// What the policy owning param `index` says of it.
ParamSpec getParamSpec(AttentionOpInterface op, unsigned index);
/// The kind of element that it asks for.
ParamElement getParamElement(AttentionOpInterface op, unsigned index);

/// A scalar param of this kind in the builder's float, int or bool type.
mlir::Value toLanes(LaneBuilder &lanes, ParamElement element,
                    mlir::Value value);

/// The indices of an operand with this map, where the iteration dimensions have
/// the indices `dims`; null stands for 0.
llvm::SmallVector<mlir::Value> emitPosition(mlir::OpBuilder &builder,
                                            mlir::Location loc,
                                            mlir::AffineMap map,
                                            llvm::ArrayRef<mlir::Value> dims);

/// How the elements of a memref come into lanes.
struct LaneAccess {
  /// The dimension of the memref that lanes lie along.
  unsigned axis;
  /// Lanes with an element, where that is known: the others are 0. Otherwise
  /// lanes past the end repeat the last element.
  mlir::Value active;
  /// Whether there is an element for each lane.
  bool isWhole = false;
};
/// The elements of a memref from `position` on, in the builder's type for
/// `element`.
mlir::Value loadParamLanes(LaneBuilder &lanes, ParamElement element,
                           mlir::Value memref,
                           llvm::ArrayRef<mlir::Value> position,
                           const LaneAccess &access);

/// What consecutive lanes differ in.
enum class LaneAxis { None, Rows, Keys };

/// The params of one op's score. It builds with `lanes`, which it refers to.
class ParamSource {
public:
  ParamSource(LaneBuilder &lanes, AttentionOpInterface op, LaneAxis axis)
      : lanes(lanes), op(op), axis(axis) {}

  /// Gives the params that vary with rows and keys where rows are in the lanes
  /// and the key is one: they have no vectors in memory.
  void setMatrixLoader(
      std::function<mlir::Value(unsigned index, const ScoreIndices &where)>
          callback) {
    loadMatrix = std::move(callback);
  }

  /// The indices of lanes from `first`, a scalar index, on.
  LaneIndex getRow(mlir::Value first) {
    return getIndex(first, axis == LaneAxis::Rows);
  }
  LaneIndex getKey(mlir::Value first) {
    return getIndex(first, axis == LaneAxis::Keys);
  }
  /// The row that begins with `first`, of this batch, with all params that do
  /// not vary with keys: so they are loaded once.
  ScoreIndices loadRow(llvm::ArrayRef<mlir::Value> batch, mlir::Value first);
  /// Loads the params that vary with keys only, for this key.
  void loadKeyParams(llvm::ArrayRef<mlir::Value> batch, LaneIndex &key);

  /// Param `index` at `where`, as ScoreEmitter::ParamLoader says.
  mlir::Value load(unsigned index, const ScoreIndices &where);

  /// The indices of an element of `operand`, which has this map. A tile's rows
  /// may be more than the operand has: then they repeat its last one.
  llvm::SmallVector<mlir::Value> getPosition(mlir::Value operand,
                                             mlir::AffineMap map,
                                             const ScoreIndices &where,
                                             mlir::Value headDim = {});

private:
  LaneIndex getIndex(mlir::Value first, bool inLanes);

  LaneBuilder &lanes;
  AttentionOpInterface op;
  LaneAxis axis;
  std::function<mlir::Value(unsigned, const ScoreIndices &)> loadMatrix;
};

} // namespace attn

#endif // ATTN_DIALECT_ATTN_SCORE_PARAMSOURCE_H
