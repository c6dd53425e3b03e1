//===- StructuredKernel.h - A structured op as a kernel ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There are three forms. Any op has a thread for each element of its result,
// and its reductions are loops of that thread. Where nothing is reduced, a
// thread takes neighbours of 16 bytes of aligned tensors; and what is read
// across its rows goes through shared memory in squares.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_STRUCTURED_STRUCTUREDKERNEL_H
#define ATTN_LIB_CONVERSION_GPU_STRUCTURED_STRUCTUREDKERNEL_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attn {

class StructuredKernel {
public:
  StructuredKernel(mlir::OpBuilder &builder, mlir::linalg::LinalgOp op)
      : builder(builder), op(op), loc(op.getLoc()), indices(op.getNumLoops()) {}

  /// Emits the launches in front of the op, which stays.
  void emit();

private:
  using Values = llvm::SmallVector<mlir::Value>;

  /// The dimensions that have a thread for each index, in the order in which
  /// the first result lies in memory; what all results name, each once.
  llvm::SmallVector<unsigned> getThreadDims();
  Values getPosition(mlir::OpBuilder &b, mlir::OpOperand &operand);
  mlir::Value loadOperand(mlir::OpBuilder &b, mlir::OpOperand &operand);
  /// The op's body on what `load` gives for an operand; returns its results.
  Values emitBody(mlir::OpBuilder &b,
                  llvm::function_ref<mlir::Value(mlir::OpOperand &)> load);
  void store(mlir::OpBuilder &b, mlir::ValueRange values);
  int64_t getStaticSize(unsigned dim);

  //===--------------------------------------------------------------------===//
  // A thread an element (StructuredKernel.cpp)
  //===--------------------------------------------------------------------===//

  void emitElements(mlir::OpBuilder &b);
  void emitThread(mlir::OpBuilder &b, llvm::ArrayRef<unsigned> loopDims);
  /// The loops over `dims`, with the results so far as carried values where
  /// they stay in registers.
  Values emitLoops(mlir::OpBuilder &b, llvm::ArrayRef<unsigned> dims,
                   mlir::ValueRange carried);

  //===--------------------------------------------------------------------===//
  // Neighbours (WideElements.cpp)
  //===--------------------------------------------------------------------===//

  /// Whether each thread computes one element of all results, of its own, by
  /// numbers alone.
  bool isElementwise();
  /// Whether the operand's elements along its last dimension are those of loop
  /// `dim`, and no other index depends on it.
  bool hasRowsAlong(mlir::OpOperand &operand, unsigned dim);
  /// Operands whose rows are along the innermost dimension.
  llvm::SmallVector<mlir::OpOperand *> getWideOperands();
  /// How many neighbours fill an access, or 1.
  int64_t getWidth();
  /// Whether all their rows are aligned to that; null where they never are.
  mlir::Value emitAlignment(mlir::OpBuilder &b, int64_t width);
  void emitWide(mlir::OpBuilder &b, int64_t width);
  void emitNeighbours(mlir::OpBuilder &b, int64_t width);

  //===--------------------------------------------------------------------===//
  // Squares (TransposedElements.cpp)
  //===--------------------------------------------------------------------===//

  /// Inputs whose rows are along another dimension than the innermost one, the
  /// same for all of them: that one is `across`.
  llvm::SmallVector<mlir::OpOperand *> getTransposed();
  void emitSquares(mlir::OpBuilder &b,
                   llvm::ArrayRef<mlir::OpOperand *> transposed);
  void emitSquare(mlir::OpBuilder &b, mlir::Value thread,
                  llvm::ArrayRef<mlir::OpOperand *> transposed);

  mlir::OpBuilder &builder;
  mlir::linalg::LinalgOp op;
  mlir::Location loc;
  /// By loop, those that are known where code is emitted.
  Values indices;
  Values sizes;
  llvm::SmallVector<unsigned> threadDims;
  unsigned across = 0;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_STRUCTURED_STRUCTUREDKERNEL_H
