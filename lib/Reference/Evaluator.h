//===- Evaluator.h - Values and ops of one function call --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_REFERENCE_EVALUATOR_H
#define ATTN_LIB_REFERENCE_EVALUATOR_H

#include "ScalarProgram.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace attn::reference::detail {

/// Runs the ops of one function call on tensors. Values are shared and never
/// changed once defined; a destination that nothing else needs is reused.
class Evaluator {
public:
  Evaluator(Rounding rounding, unsigned depth)
      : rounding(rounding), depth(depth) {}

  Rounding getRounding() const { return rounding; }

  /// Runs a function on arguments that fit its type.
  mlir::FailureOr<std::vector<TensorRef>>
  call(mlir::FunctionOpInterface function, std::vector<TensorRef> arguments);

  /// Runs a block and returns what its terminator is given. `beforeEnd` is
  /// called while the block's values still exist.
  mlir::FailureOr<std::vector<TensorRef>>
  runBlock(mlir::Block &block, std::vector<TensorRef> arguments,
           llvm::function_ref<mlir::LogicalResult()> beforeEnd = nullptr);

  //===--------------------------------------------------------------------===//
  // For the ops.
  //===--------------------------------------------------------------------===//

  TensorRef get(mlir::Value value) const { return values.lookup(value); }
  /// The value of an index or integer scalar.
  int64_t getIndex(mlir::Value value) const { return get(value)->ints[0]; }
  /// Constants and values of index lists.
  llvm::SmallVector<int64_t>
  getIndices(llvm::ArrayRef<mlir::OpFoldResult> list) const;
  /// A tensor to write on that starts with the value's elements. It is the
  /// value's own storage where the current op is its last use.
  std::shared_ptr<Tensor> takeOrCopy(mlir::Value value);
  /// Defines a result; an error when the shape contradicts the type.
  mlir::LogicalResult set(mlir::Value result, TensorRef value);

  unsigned getDepth() const { return depth; }

private:
  mlir::LogicalResult execute(mlir::Operation &op);
  void findLastUses(mlir::Block &block);

  Rounding rounding;
  unsigned depth;
  llvm::DenseMap<mlir::Value, TensorRef> values;
  /// Values of a block that no op after this one uses.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> lastUses;
  llvm::DenseSet<mlir::Block *> analysed;
  mlir::Operation *current = nullptr;
};

/// Ops by family. Each sets the results of `op`, or emits a diagnostic.
mlir::LogicalResult executeElementwise(Evaluator &evaluator,
                                       mlir::Operation *op);
mlir::LogicalResult executeStructured(Evaluator &evaluator,
                                      mlir::Operation *op);
mlir::LogicalResult executeSoftmax(Evaluator &evaluator, mlir::Operation *op);
mlir::LogicalResult executeControlFlow(Evaluator &evaluator,
                                       mlir::Operation *op);
mlir::LogicalResult executeTensorOp(Evaluator &evaluator, mlir::Operation *op);
mlir::LogicalResult executeAttn(Evaluator &evaluator, mlir::Operation *op);

/// Tensors in tiles, and gathered rows.
mlir::LogicalResult executePack(Evaluator &evaluator, mlir::linalg::PackOp op);
mlir::LogicalResult executeUnPack(Evaluator &evaluator,
                                  mlir::linalg::UnPackOp op);
mlir::LogicalResult executeGather(Evaluator &evaluator,
                                  mlir::tensor::GatherOp op);

/// Fails with a diagnostic where sizes of operands disagree that the meaning of
/// the op makes equal.
mlir::LogicalResult checkOperandSizes(Evaluator &evaluator,
                                      mlir::Operation *op);

mlir::LogicalResult emitUnsupported(mlir::Operation *op);

/// Copies `source` into the slice of `result` that the op names.
mlir::LogicalResult insertSlice(Evaluator &evaluator,
                                mlir::OffsetSizeAndStrideOpInterface op,
                                const Tensor &source, Tensor &result);

} // namespace attn::reference::detail

#endif // ATTN_LIB_REFERENCE_EVALUATOR_H
