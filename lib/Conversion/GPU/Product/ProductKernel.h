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
#include "ProductShape.h"
#include "StagedSums.h"

namespace attn {

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
