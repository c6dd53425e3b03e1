//===- ProductKernel.h - A tile of a matrix product -------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block computes a tile of results, each warp a part of it, whose sums lie in
// its registers. All warps go over the terms together, in steps: while one is
// multiplied, the operands of those after it come into shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_PRODUCT_PRODUCTKERNEL_H
#define ATTN_LIB_CONVERSION_GPU_PRODUCT_PRODUCTKERNEL_H

#include "../Fragment/FragmentContraction.h"
#include "StagedSums.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

namespace attn {

/// An operand's tile of one step.
struct OperandShape {
  /// Whether terms are rows of memory: then rows of a left operand, or columns
  /// of a right one, are neighbours.
  bool rowsAreTerms;
  int64_t tileRows, tileColumns;

  int64_t getBytes(mlir::Type element) const {
    return tileRows * tileColumns * element.getIntOrFloatBitWidth() / 8;
  }
};

/// All that is known of such a kernel when it is compiled: types, how operands
/// lie, the schedule, and how shared memory is shared out.
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
  int64_t getLhsBytes() const { return lhs.getBytes(element); }
  int64_t getStageBytes() const {
    return getLhsBytes() + rhs.getBytes(element);
  }
  ProductBlock getBlock() const;
};

class ProductKernel {
public:
  /// With `aligned` operands are known to lie at multiples of 16 bytes.
  ProductKernel(KernelBuilder &, const DeviceProduct &product,
                const ProductShape &shape, const ProductPlace &place,
                bool aligned);
  void emit();

private:
  using Values = llvm::SmallVector<mlir::Value>;
  /// An operand on its way through shared memory.
  struct Operand {
    OperandShape shape;
    SharedTile tile;
    TileCopy copy;
    /// The tile's first row of A, or column of B, and where these end; null
    /// where each tile is whole.
    mlir::Value first, limit;
  };
  Operand createOperand(const DeviceMatrix &matrix, const OperandShape &of,
                        int64_t offset, mlir::Value first, mlir::Value limit,
                        bool aligned);
  TileWindow getWindow(const Operand &operand, mlir::Value term,
                       mlir::Value end, mlir::Value shift);
  void emitCopies(mlir::Value term, mlir::Value end, mlir::Value shift);
  /// The operands of step `step`, those that exist, into the stage at `shift`.
  void startStep(mlir::Value step, mlir::Value shift);
  Values emitLoop();
  Values emitProducts(mlir::Value shift, mlir::ValueRange sums);

  KernelBuilder &kernel;
  const DeviceProduct &product;
  ProductShape shape;
  ProductPlace place;
  FragmentLayout layout;
  /// Where the warp's part of the tile begins.
  mlir::Value warpRow, warpColumn;
  Operand lhs, rhs;
  StagedSums store;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_PRODUCT_PRODUCTKERNEL_H
