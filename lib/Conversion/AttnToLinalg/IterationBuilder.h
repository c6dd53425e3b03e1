//===- IterationBuilder.h - Loops over iteration dimensions -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_ATTNTOLINALG_ITERATIONBUILDER_H
#define ATTN_LIB_CONVERSION_ATTNTOLINALG_ITERATIONBUILDER_H

#include "attn/Dialect/Attn/IR/GenericBuilder.h"

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/Score/ScoreEmitter.h"

namespace attn {

/// The body of a structured op at one element.
class ElementBody {
public:
  ElementBody(LaneBuilder &lanes, AttentionOpInterface op,
              llvm::ArrayRef<unsigned> dims, mlir::ValueRange arguments)
      : lanes(lanes), op(op), dims(dims), arguments(arguments) {}

  LaneBuilder &lanes;
  AttentionOpInterface op;

  /// The inputs' elements, then the outputs' old ones; floats have the compute
  /// type.
  mlir::Value operator[](unsigned i) const { return arguments[i]; }
  /// The local index along an iteration dimension; 0 where it is not looped
  /// over.
  mlir::Value getIndex(unsigned dim);
  llvm::SmallVector<mlir::Value> getBatch();

private:
  llvm::ArrayRef<unsigned> dims;
  llvm::SmallVector<mlir::Value> arguments;
};

/// Builds linalg.generic ops over subsets of an attention op's dimensions.
class IterationBuilder {
public:
  IterationBuilder(mlir::OpBuilder &builder, AttentionOpInterface op);

  mlir::OpBuilder &getBuilder() { return generics.getBuilder(); }
  mlir::Location getLoc() const { return generics.getLoc(); }
  AttentionOpInterface getOp() const { return op; }
  mlir::FloatType getComputeType() const { return generics.getComputeType(); }

  /// All batch dimensions followed by `last`.
  llvm::SmallVector<unsigned> withBatch(llvm::ArrayRef<unsigned> last);
  /// The size of the tile (or problem) along a dimension.
  mlir::OpFoldResult getSize(unsigned dim) const {
    return generics.getSize(dim);
  }
  /// That of the whole problem.
  mlir::Value getProblemSize(unsigned dim) const { return problemSizes[dim]; }
  void setSize(unsigned dim, mlir::OpFoldResult size) {
    generics.setSize(dim, size);
  }

  MappedTensor createEmpty(llvm::ArrayRef<unsigned> dims, mlir::Type element) {
    return generics.createEmpty(dims, element);
  }
  MappedTensor createFilled(llvm::ArrayRef<unsigned> dims,
                            mlir::TypedAttr value) {
    return generics.fill(createEmpty(dims, value.getType()), value);
  }
  /// The part of a tensor inside the iteration sizes.
  MappedTensor createPart(MappedTensor whole);

  using BodyFunction =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(ElementBody &)>;
  /// One linalg.generic with loops over those of the `wanted` dimensions that
  /// index an operand, in that order; those that no output uses are reductions.
  /// Elements are widened to `type`, the compute type unless given, when read
  /// and rounded to the output's type when written.
  llvm::SmallVector<MappedTensor> create(llvm::ArrayRef<unsigned> wanted,
                                         llvm::ArrayRef<MappedTensor> inputs,
                                         llvm::ArrayRef<MappedTensor> outputs,
                                         BodyFunction body,
                                         mlir::FloatType type = {});

  /// An emitter for use in a body: params are read from their tensors there.
  ScoreEmitter createEmitter(ElementBody &body);

  /// The element of `operand` at these indices, as it is stored.
  mlir::Value loadElement(LaneBuilder &lanes, MappedTensor operand,
                          const ScoreIndices &where, mlir::Value headDim);

private:
  AttentionOpInterface op;
  /// Over all of the op's dimensions.
  GenericBuilder generics;
  /// The whole problem's sizes.
  llvm::SmallVector<mlir::Value> problemSizes;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ATTNTOLINALG_ITERATIONBUILDER_H
