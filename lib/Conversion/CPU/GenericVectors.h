//===- GenericVectors.h - Bodies of structured ops on vectors ---*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CPU_GENERICVECTORS_H
#define ATTN_LIB_CONVERSION_CPU_GENERICVECTORS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace attn {

/// Whether vectors can lie along the last loop of an op on memrefs: the rows of
/// each operand are contiguous, or it has one element per row, and each lane
/// may run the body by itself.
bool canUseGenericVectors(mlir::linalg::GenericOp op);

/// The view of one row by the variable of the loop directly around the op, if
/// the memref is one of memory that was there before the loop.
mlir::memref::SubViewOp getRowOfLoop(mlir::linalg::GenericOp op,
                                     mlir::Value memref);

/// Emits the body of an op for several elements of a row at once. Works at the
/// builder's insertion point, which it moves into the loops that it enters.
class GenericVectors {
public:
  /// Vectors of `bits`, with lanes as wide as the widest type of the body. Or,
  /// where PairedHalves.h allows it, of two such vectors in its order. A long
  /// body works on several such vectors side by side.
  GenericVectors(mlir::OpBuilder &builder, mlir::linalg::GenericOp op,
                 int64_t bits, bool isPaired = false);

  /// Spreads the values that the body takes from outside.
  void broadcastCaptures();
  /// The sizes of all loops.
  llvm::SmallVector<mlir::Value> createSizes();
  /// The next inner loop, over this part of its dimension.
  void enter(mlir::Value low, mlir::Value high);
  /// A loop whose body is written next; returns its variable.
  mlir::Value enter(mlir::Value low, mlir::Value high, mlir::Value step);
  /// Lets bodies ask for the next row of each input of which a row comes after
  /// the other and none of `limit` bytes or more, while they go over it for the
  /// last time.
  void findNextRows(int64_t limit);

  /// The values of the body for the lanes from `column` on, or for those of
  /// them that `mask` selects, if there is one. Leaves out `skipped` ops, and
  /// arguments without a use.
  mlir::IRMapping
  emitBody(mlir::Value column, mlir::Value mask,
           const llvm::DenseSet<mlir::Operation *> &skipped = {});
  /// Asks for what each operand along rows has some way after `column`: a body
  /// of many ops leaves the machine no room to reach the loads after it, and
  /// its own prefetcher stops at the end of each page. What is written past the
  /// caches is not asked for.
  void prefetch(mlir::Value column, bool pastCaches);
  /// Of pairs, `value` is f32 and is rounded.
  void store(mlir::OpOperand &operand, mlir::Value value, mlir::Value mask,
             bool pastCaches);
  /// What one store instruction writes of a vector of the operand, in bytes.
  int64_t getStoreBytes(mlir::OpOperand &operand) const;

  mlir::Value index(int64_t value);
  /// Selects the first `count` lanes.
  mlir::Value createMask(mlir::Value count);
  mlir::VectorType getVector(mlir::Type element) const;
  int64_t getNumLanes() const { return lanes; }
  bool isPaired() const { return paired; }
  /// Where the operand's element lies at the current indices.
  llvm::SmallVector<mlir::Value> getIndices(mlir::OpOperand &operand);
  llvm::SmallVector<mlir::Value> &getLoopIndices() { return indices; }

private:
  mlir::Value broadcast(mlir::Value scalar);
  mlir::Value load(mlir::OpOperand &operand, mlir::Value mask);
  mlir::Value emitLaneOp(mlir::Operation &inner, mlir::IRMapping &values);
  /// The else part is computed for all lanes, the other one only where one of
  /// them takes it: it should be the rare one.
  mlir::Value emitBranch(mlir::scf::IfOp branch, mlir::IRMapping &values);
  bool isAlongRow(mlir::OpOperand &operand);
  void askForNextRows();

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::linalg::GenericOp op;
  int64_t bits;
  int64_t lanes;
  bool paired;
  /// Operands and the row that follows theirs.
  llvm::SmallVector<std::pair<mlir::OpOperand *, mlir::Value>> nextRows;
  /// Values from outside of the body, as vectors.
  mlir::IRMapping captures;
  /// Of all dimensions; the last is that of the first lane.
  llvm::SmallVector<mlir::Value> indices;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CPU_GENERICVECTORS_H
