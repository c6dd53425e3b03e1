//===- StagedSums.h - Fragments of sums on their way out --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes hold pairs of neighbours of a few rows. Each warp puts a fragment of
// rows into shared memory, so that lanes side by side have neighbours of one
// row for bias, epilogue and store.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_PRODUCT_STAGEDSUMS_H
#define ATTN_LIB_CONVERSION_GPU_PRODUCT_STAGEDSUMS_H

#include "../Fragment/FragmentContraction.h"
#include "ProductEnd.h"

namespace attn {

/// A warp's part of a block's tile.
struct WarpPart {
  mlir::Value row, column;
  int64_t columns;
};

/// Shared memory that a warp's fragment takes in bytes.
int64_t getStagedBytes(int64_t columns, mlir::Type compute);

class StagedSums {
public:
  /// All warps that store have numbers from 0 on in `place`, and their memory
  /// begins where the block's does. Nobody else uses it by then.
  StagedSums(KernelBuilder &, const DeviceProduct &product,
             const ProductPlace &place, const FragmentLayout &layout,
             const WarpPart &part);

  /// A vector for each row that a lane has, fragment by fragment.
  void emit(mlir::ValueRange sums);

private:
  void storeFragment(int64_t fragment, int64_t width);
  mlir::Value loadStaged(mlir::Value row, mlir::Value column, int64_t width);

  KernelBuilder &kernel;
  const ProductPlace &place;
  FragmentLayout layout;
  WarpPart part;
  SharedTile staged;
  ProductEnd end;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_PRODUCT_STAGEDSUMS_H
