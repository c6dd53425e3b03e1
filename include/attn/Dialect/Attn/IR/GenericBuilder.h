//===- GenericBuilder.h - Structured ops of decompositions ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_GENERICBUILDER_H
#define ATTN_DIALECT_ATTN_IR_GENERICBUILDER_H

#include "attn/Dialect/Attn/IR/LaneBuilder.h"
#include "mlir/IR/AffineMap.h"

namespace attn {

/// A tensor and its map from the dimensions that a builder's loops run over.
struct MappedTensor {
  mlir::Value tensor;
  mlir::AffineMap map;
};

/// Builds linalg.generic ops over `rank` dimensions, all with one compute type.
class GenericBuilder {
public:
  GenericBuilder(mlir::OpBuilder &builder, mlir::Location loc, unsigned rank,
                 mlir::FloatType compute)
      : builder(builder), loc(loc), rank(rank), compute(compute) {}
  /// Over dimensions of these sizes.
  GenericBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                 llvm::ArrayRef<mlir::OpFoldResult> sizes,
                 mlir::FloatType compute)
      : builder(builder), loc(loc), rank(sizes.size()), compute(compute),
        sizes(sizes) {}

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }
  mlir::FloatType getComputeType() const { return compute; }
  void setComputeType(mlir::FloatType type) { compute = type; }

  /// The map to these dimensions, and to all of them.
  mlir::AffineMap getMap(llvm::ArrayRef<unsigned> dims);
  mlir::AffineMap getIdentity();

  /// The size of a dimension, where they were given.
  mlir::OpFoldResult getSize(unsigned dim) const { return sizes[dim]; }
  void setSize(unsigned dim, mlir::OpFoldResult size) { sizes[dim] = size; }

  /// An uninitialised tensor over `dims`, whose sizes were given or are those
  /// of `like`, which has all `rank`.
  MappedTensor createEmpty(llvm::ArrayRef<unsigned> dims, mlir::Type element);
  MappedTensor createEmpty(mlir::Value like, llvm::ArrayRef<unsigned> dims,
                           mlir::Type element);
  MappedTensor fill(MappedTensor destination, mlir::TypedAttr value);
  MappedTensor fill(MappedTensor destination, double value);

  /// One op with loops over the dimensions `loops`, in that order; those that
  /// the outputs do not have are reductions. The body gets the inputs'
  /// elements, then the outputs' old ones; floats are widened to the compute
  /// type, and what it returns is rounded to the outputs.
  using Bodies = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      LaneBuilder &, mlir::ValueRange)>;
  llvm::SmallVector<MappedTensor> create(llvm::ArrayRef<unsigned> loops,
                                         llvm::ArrayRef<MappedTensor> inputs,
                                         llvm::ArrayRef<MappedTensor> outputs,
                                         Bodies body);
  /// The same with one output, over the dimensions given or all.
  using Body = llvm::function_ref<mlir::Value(LaneBuilder &, mlir::ValueRange)>;
  MappedTensor create(llvm::ArrayRef<unsigned> loops,
                      llvm::ArrayRef<MappedTensor> inputs, MappedTensor output,
                      Body body);
  MappedTensor create(llvm::ArrayRef<MappedTensor> inputs, MappedTensor output,
                      Body body);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  unsigned rank;
  mlir::FloatType compute;
  llvm::SmallVector<mlir::OpFoldResult> sizes;
};

/// `tensor` copied in another order of its dimensions; `tensor` itself where
/// nothing changes.
mlir::Value createTranspose(mlir::OpBuilder &builder, mlir::Value tensor,
                            llvm::ArrayRef<int64_t> order);

} // namespace attn

#endif // ATTN_DIALECT_ATTN_IR_GENERICBUILDER_H
