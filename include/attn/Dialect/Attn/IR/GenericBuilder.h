//===- BlockGenerics.h - Structured ops for the block's ops --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_ATTNTOLINALG_BLOCKGENERICS_H
#define ATTN_LIB_CONVERSION_ATTNTOLINALG_BLOCKGENERICS_H

#include "IterationBuilder.h"

namespace attn {

/// Builds linalg.generic ops over `rank` dimensions, all with one compute type.
class GenericBuilder {
public:
  GenericBuilder(mlir::OpBuilder &builder, mlir::Location loc, unsigned rank,
                 mlir::FloatType compute)
      : builder(builder), loc(loc), rank(rank), compute(compute) {}

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }
  mlir::FloatType getComputeType() const { return compute; }

  /// The map to these dimensions, and to all of them.
  mlir::AffineMap getMap(llvm::ArrayRef<unsigned> dims);
  mlir::AffineMap getIdentity();

  /// An uninitialised tensor with the sizes that `like` has along `dims`, of
  /// which it has all `rank`.
  MappedTensor createEmpty(mlir::Value like, llvm::ArrayRef<unsigned> dims,
                           mlir::Type element);
  MappedTensor fill(MappedTensor destination, double value);

  /// The body gets the inputs' elements, then the outputs' old ones; floats are
  /// widened to the compute type, and what it returns is rounded to the output.
  using Body = llvm::function_ref<mlir::Value(LaneBuilder &, mlir::ValueRange)>;
  MappedTensor create(llvm::ArrayRef<MappedTensor> inputs, MappedTensor output,
                      Body body);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  unsigned rank;
  mlir::FloatType compute;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ATTNTOLINALG_BLOCKGENERICS_H
