//===- SoftmaxSteps.h - What the forms of attn.softmax share ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows along the last dimension have their elements in the lanes (SoftmaxRows),
// and very long ones are cut (SoftmaxSegments); rows along another one may
// stand side by side in the lanes.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_ROWS_SOFTMAXSTEPS_H
#define ATTN_LIB_CONVERSION_ROWS_SOFTMAXSTEPS_H

#include "../Shared/SoftmaxRow.h"
#include "RowMachine.h"

namespace attn {

class SoftmaxSteps {
public:
  explicit SoftmaxSteps(SoftmaxOp op)
      : op(op), loc(op.getLoc()), type(op.getComputeType()) {}

  /// The policies of a row, or of the rows in the lanes.
  struct Policies {
    mlir::Value scale, logExtra;
  };
  /// Of the row with these indices of the input; that of the key dimension may
  /// be null. In a vector builder of the rows from there on, as many as there
  /// are; the last one fills the lanes.
  Policies emitPolicies(LaneBuilder &lanes, mlir::ValueRange indices);
  /// 1 / sum, or 0 where the sum is.
  static mlir::Value emitFactor(LaneBuilder &lanes, mlir::Value sum);
  /// A size of the input.
  mlir::Value getSize(mlir::OpBuilder &b, unsigned dim);
  int64_t getRank() {
    return llvm::cast<mlir::ShapedType>(op.getInput().getType()).getRank();
  }

protected:
  SoftmaxOp op;
  mlir::Location loc;
  mlir::FloatType type;

private:
  mlir::Value loadParam(LaneBuilder &lanes, unsigned index,
                        mlir::ValueRange indices);
};

/// The passes over a row along the last dimension, or over a part of one.
class SoftmaxPasses : public SoftmaxSteps {
public:
  SoftmaxPasses(SoftmaxOp op, RowMachine &machine)
      : SoftmaxSteps(op), machine(machine) {}

  RowSpace getSpace(mlir::OpBuilder &b);
  /// Of the scores times the sign of the scale. `asks` ahead where the row
  /// comes from memory.
  mlir::Value emitMaximum(mlir::OpBuilder &b, const RowPlace &row,
                          mlir::Value scale, bool asks = false);
  /// Of the weights; keeps them, and asks for the next row, if so asked.
  mlir::Value emitSum(mlir::OpBuilder &b, const RowPlace &row,
                      const SoftmaxWeighting &weighting, bool keeps);
  mlir::Value emitWeight(const RowPiece &piece, mlir::Value x,
                         const SoftmaxWeighting &weighting) {
    return machine.emitWeight(piece.lanes,
                              emitSoftmaxDistance(piece.lanes, x, weighting));
  }
  /// Stores a weight times the factor.
  void emitQuotient(const RowPiece &piece, const RowPlace &row,
                    mlir::Value weight, mlir::Value factor);

protected:
  llvm::SmallVector<mlir::Value> getIndices(const RowPiece &piece,
                                            const RowPlace &row) {
    return row.origin.locate(piece.lanes.getBuilder(), loc, piece.position);
  }

  RowMachine &machine;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ROWS_SOFTMAXSTEPS_H
