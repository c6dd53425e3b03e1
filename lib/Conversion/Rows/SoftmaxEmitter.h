//===- SoftmaxEmitter.h - The steps of attn.softmax -------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the forms of attn.softmax on memrefs have in common. Rows along the last
// dimension have their elements in the lanes (SoftmaxRows), and very long ones
// are cut (SoftmaxSegments); rows along another one stand side by side in the
// lanes (SoftmaxColumns).
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_ROWS_SOFTMAXEMITTER_H
#define ATTN_LIB_CONVERSION_ROWS_SOFTMAXEMITTER_H

#include "../Shared/SoftmaxRow.h"
#include "RowLoop.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Target/TargetDescription.h"

namespace attn {

class SoftmaxEmitter {
public:
  SoftmaxEmitter(mlir::OpBuilder &builder, SoftmaxOp op,
                 const TargetDescription &target);

protected:
  /// The policies of a row, or of the rows in the lanes.
  struct Policies {
    mlir::Value scale, logExtra;
  };
  /// Of the row with these indices of the input; that of the key dimension may
  /// be null. In a vector builder of the rows from there on, as many as there
  /// are; the last one fills the lanes.
  Policies emitPolicies(LaneBuilder &lanes, mlir::ValueRange indices);
  mlir::Value emitWeight(LaneBuilder &lanes, mlir::Value x,
                         const SoftmaxWeighting &row);
  /// 1 / sum, or 0 where the sum is.
  mlir::Value emitFactor(LaneBuilder &lanes, mlir::Value sum);
  /// How rows along the last dimension are gone over, but for their size.
  RowShape getRowShape();
  /// A size of the input.
  mlir::Value getSize(mlir::OpBuilder &b, unsigned dim);
  bool areInVectors();
  int64_t getRank() {
    return llvm::cast<mlir::ShapedType>(op.getInput().getType()).getRank();
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
  SoftmaxOp op;
  SoftmaxScheduleAttr schedule;
  const TargetDescription &target;
  mlir::FloatType type;

private:
  mlir::Value loadParam(LaneBuilder &lanes, unsigned index,
                        mlir::ValueRange indices);
};

/// Each emits the whole op. The key dimension of the first two is the last one.
void emitSoftmaxRows(mlir::OpBuilder &builder, SoftmaxOp op,
                     const TargetDescription &target);
void emitSoftmaxSegments(mlir::OpBuilder &builder, SoftmaxOp op,
                         const TargetDescription &target);
void emitSoftmaxColumns(mlir::OpBuilder &builder, SoftmaxOp op,
                        const TargetDescription &target);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ROWS_SOFTMAXEMITTER_H
