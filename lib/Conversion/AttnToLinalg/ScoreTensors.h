//===- ScoreTensors.h - Scores as tensors -----------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_ATTNTOLINALG_SCORETENSORS_H
#define ATTN_LIB_CONVERSION_ATTNTOLINALG_SCORETENSORS_H

#include "IterationBuilder.h"
#include "attn/Dialect/Attn/Score/SoftmaxState.h"

namespace attn {

/// The rows of the query or key operand as scores take them: changed by norms
/// and rotations, then normalised for a cosine similarity, in the compute type;
/// the operand itself where the op asks for neither. Without `forCosine` only
/// the changes are made.
MappedTensor createLoaded(IterationBuilder &iterations, LoadedRows rows,
                          bool forCosine = true);

/// What holds per row and is too dear to compute again for each element.
class RowTensors {
public:
  /// Builds the tensors that the scale needs.
  explicit RowTensors(IterationBuilder &iterations);

  llvm::ArrayRef<MappedTensor> getInputs() const { return inputs; }
  /// The row at `localRow`. The tensors are inputs of `body` from position
  /// `firstInput` on.
  ScoreEmitter::Row prepareRow(ScoreEmitter &emitter, ElementBody &body,
                               mlir::Value localRow, unsigned firstInput);

private:
  void createSegmentStarts(IterationBuilder &iterations);
  void createScales(IterationBuilder &iterations);

  llvm::SmallVector<MappedTensor, 2> inputs;
  bool hasSegments = false, hasScales = false;
};

/// Scores [batch..., m, n], -inf where hidden, and which are visible: a visible
/// score may be -inf too. Without masks all are visible.
struct ScoreTensors {
  MappedTensor scores;
  std::optional<MappedTensor> visible;
};
ScoreTensors createScores(IterationBuilder &iterations, MappedTensor query,
                          MappedTensor key, Units units);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ATTNTOLINALG_SCORETENSORS_H
