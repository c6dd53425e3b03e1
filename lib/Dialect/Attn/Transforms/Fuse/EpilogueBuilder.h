//===- EpilogueBuilder.h - A linear layer that grows an epilogue *- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_FUSE_EPILOGUEBUILDER_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_FUSE_EPILOGUEBUILDER_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace attn {

/// Collects the epilogue of a linear layer with one more op in it. Nothing in
/// the function changes before finish().
class EpilogueBuilder {
public:
  /// Starts with the epilogue that `linear` has. The new one is inserted where
  /// `rewriter` stands.
  EpilogueBuilder(mlir::RewriterBase &rewriter, LinearOp linear);

  /// Adds an elementwise op on tensors that uses the layer's result. Returns
  /// why not, or an empty text.
  std::string append(mlir::Operation *op);

  /// The result of the new layer, which takes the place of `op`.
  mlir::Value finish(mlir::Operation *op);

private:
  std::string appendStructured(mlir::linalg::LinalgOp op);
  std::string appendTensorOp(mlir::Operation *op);
  /// The number that stands for one element of `operand`, whose shape is
  /// `rank` last dimensions of the output; null where it cannot be an extra.
  mlir::Value getElement(mlir::Value operand);
  /// A copy of one op on numbers, in the compute type; fails on an op that
  /// depends on the width of its operands.
  mlir::LogicalResult clone(mlir::Operation &op);
  /// Defines captured numbers of a body.
  mlir::LogicalResult mapCaptures(mlir::Operation &op, mlir::Block &body);
  bool isKnownFloat(mlir::Type type);
  mlir::TypedAttr convertConstant(mlir::TypedAttr value) const;
  mlir::Type convertType(mlir::Type type) const;

  mlir::RewriterBase &rewriter;
  LinearOp linear;
  mlir::FloatType compute;
  /// The new epilogue, in no op until finish().
  mlir::Region region;
  mlir::Block *body;
  mlir::OpBuilder builder;
  llvm::SmallVector<mlir::Value> extras;
  mlir::IRMapping values;
  /// What the epilogue yields.
  mlir::Value result;
};

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_FUSE_EPILOGUEBUILDER_H
