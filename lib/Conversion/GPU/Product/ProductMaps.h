//===- ProductMaps.h - Operands that the copy engine brings -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step's part of an operand lies in shared memory as rows of 128 bytes: terms
// of a row or column, or, where terms are rows of memory, neighbours across
// them, in panels one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_PRODUCT_PRODUCTMAPS_H
#define ATTN_LIB_CONVERSION_GPU_PRODUCT_PRODUCTMAPS_H

#include "../Fragment/TensorMap.h"
#include "DeviceProduct.h"
#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

/// Terms of a step, elements of 16 bits.
constexpr int64_t kStepTerms = kBoxRowBytes / 2;

/// An operand as the copy engine sees it.
struct MappedOperand {
  TensorView view;
  /// For each dimension of the map after the first two, which of the batch's.
  llvm::SmallVector<unsigned> batchDims;
  /// Whether terms are neighbours in memory; else those across them are.
  bool areTermsNeighbours = true;
  /// Rows of the left operand, or columns of the right one, in a tile.
  int64_t across = 0;
  /// Blocks that bring an equal part of the tile each.
  int64_t sharers = 1;

  /// For the host. Nothing where neither terms nor what lies across them are
  /// neighbours.
  static std::optional<MappedOperand> get(mlir::OpBuilder &, mlir::Location,
                                          const MatrixProduct &product,
                                          bool isLhs, int64_t across);

  int64_t getTileBytes() const { return across * kBoxRowBytes; }
  llvm::SmallVector<int64_t> getBox() const;
  /// The boxes of a tile, one after the other in shared memory, and what each
  /// has across.
  int64_t getNumBoxes() const { return across / getAcrossBox(); }
  int64_t getAcrossBox() const {
    return areTermsNeighbours ? across / sharers : kStepTerms;
  }
};

/// What is known of a product by roles when it is compiled.
struct RolesShape {
  /// Whether a schedule is for matrix instructions of four warps, which have
  /// operands of type `element`.
  static bool isFor(GPUProductAttr schedule, mlir::Type element);
  /// Fails with a reason. The schedule is for such instructions.
  static std::optional<RolesShape> get(mlir::OpBuilder &, mlir::Location,
                                       const DeviceProduct &product,
                                       GPUProductAttr schedule,
                                       std::string &reason);

  GPUProductAttr schedule;
  mlir::FloatType element;
  MappedOperand lhs, rhs;

  int64_t getGroups() const;
  int64_t getStageBytes() const {
    return lhs.getTileBytes() + rhs.getTileBytes();
  }
  /// Where the barriers lie: stages before, sums later take what is before.
  int64_t getBarrierOffset() const;
  ProductBlock getBlock() const;

  /// For the host: whether both operands have maps; null where they never do.
  mlir::Value emitExists(mlir::OpBuilder &, mlir::Location) const;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_PRODUCT_PRODUCTMAPS_H
