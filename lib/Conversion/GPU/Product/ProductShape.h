//===- ProductShape.h - What a product kernel is made for -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that is known of a kernel with tiles of results when it is compiled:
// types, how operands lie, the schedule, and how shared memory is shared out.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_PRODUCT_PRODUCTSHAPE_H
#define ATTN_LIB_CONVERSION_GPU_PRODUCT_PRODUCTSHAPE_H

#include "DeviceProduct.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

namespace attn {

/// An operand's tile of one step.
struct OperandShape {
  /// Whether terms are rows of memory: then rows of a left operand, or columns
  /// of a right one, are neighbours.
  bool rowsAreTerms;
  int64_t tileRows, tileColumns;
};

struct ProductShape {
  ProductShape(const DeviceProduct &product, GPUProductAttr schedule);

  GPUProductAttr schedule;
  /// The type of what is multiplied, and that of the sums.
  mlir::FloatType element, compute;
  OperandShape lhs, rhs;

  /// Whether products are matrix instructions; else fused multiply-adds.
  bool usesMatrices() const { return element != compute; }
  /// The part of a warp, and its fragments of rows.
  int64_t getWarpRows() const {
    return schedule.getRows() / schedule.getRowWarps();
  }
  int64_t getWarpColumns() const {
    return schedule.getColumns() / schedule.getColumnWarps();
  }
  int64_t getNumFragments() const { return getWarpRows() / kFragmentSize; }
  int64_t getWarps() const {
    return schedule.getRowWarps() * schedule.getColumnWarps();
  }

  /// Shared memory: the operands of a step, one after the other, for each
  /// stage; later a fragment of sums for each warp. In bytes.
  int64_t getLhsBytes() const;
  int64_t getStageBytes() const;
  ProductBlock getBlock() const;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_PRODUCT_PRODUCTSHAPE_H
