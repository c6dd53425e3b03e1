//===- LoadedRows.h - Moving changes of rows into an attention --*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What fusing a norm and fusing a rotation have in common. Whether it pays
// depends on how often an attention loads a row: a query row once, a key once
// for each query head that shares it and each block of query rows. docs/
// Rationale.md says where the bound comes from.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_FUSE_LOADEDROWS_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_FUSE_LOADEDROWS_H

#include "attn/Dialect/Attn/Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace attn {

/// The query or the key of one attention.
class LoadedOperand {
public:
  LoadedOperand(AttentionOp op, LoadedRows rows)
      : op(op), self(op.getOperation()), rows(rows) {}

  llvm::StringRef getName() const {
    return rows == LoadedRows::Query ? "query" : "key";
  }
  mlir::Value get();
  mlir::AffineMap getMap();
  /// The iteration dimension of its rows.
  unsigned getRowDim();
  /// Whether the elements of a row lie along the last dimension.
  bool hasRowsLast();

  /// Lets sizes of this operand be asked of `destination`, which has the same.
  void forwardSizes(mlir::RewriterBase &rewriter, mlir::Value destination);

  /// Why a change of the rows by `producer`, whose result this operand is,
  /// stays an op of its own; none where it pays to load changed rows.
  std::optional<Remark> findObstacle(mlir::Operation *producer);

  /// The remark that says so.
  Remark createMissed(mlir::Operation *producer, llvm::StringRef reason);

  /// Reads `input` instead, and changes its rows before all other changes.
  /// Remarks it, and erases the producer.
  void takeChange(mlir::RewriterBase &rewriter, mlir::Operation *producer,
                  mlir::Value input, mlir::Attribute change,
                  mlir::ValueRange params,
                  llvm::ArrayRef<mlir::AffineMap> maps);

private:
  AttentionOp op;
  AttentionOpInterface self;
  LoadedRows rows;
};

/// fuseRope or fuseQkNorm.
using FuseRows = bool (*)(mlir::RewriterBase &, AttentionOp, LoadedRows);

/// Fuses into the query and the key of every attention on tensors, as its
/// schedule says that it pays.
void fuseLoadedRows(mlir::func::FuncOp function, FuseRows fuse);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_FUSE_LOADEDROWS_H
