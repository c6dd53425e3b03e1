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

/// The rows of the query or key operand as the op changes them, in the compute
/// type; the operand itself where it does not.
MappedTensor createChanged(IterationBuilder &iterations, LoadedRows rows,
                           MappedTensor operand);

/// l2-normalised rows of a query or key operand, in the compute type; the
/// operand itself where similarity is the dot product.
MappedTensor createNormalised(IterationBuilder &iterations,
                              MappedTensor operand);

/// The rows of the query or key operand as scores take them: changed, then
/// normalised.
inline MappedTensor createLoaded(IterationBuilder &iterations,
                                 LoadedRows rows) {
  AttentionOpInterface op = iterations.getOp();
  unsigned input = rows == LoadedRows::Query ? 0 : 1;
  MappedTensor operand = {op.getShapedInputs()[input], op.getInputMap(input)};
  return createNormalised(iterations, createChanged(iterations, rows, operand));
}

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
