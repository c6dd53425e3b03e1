//===- RangeStates.h - What ranges of keys leave in memory ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where keys are split, a block sees one range of the keys of its rows. It
// writes their states to scratch memory, and a second launch merges those of a
// row in the order of the ranges.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_ATTENTION_RANGESTATES_H
#define ATTN_LIB_CONVERSION_GPU_ATTENTION_RANGESTATES_H

#include "../Fragment/KernelBuilder.h"
#include "AttentionShape.h"

namespace attn {

struct RangeStates {
  /// Tiles, ranges, rows of a tile, columns; and tiles, ranges, numbers, rows:
  /// the maximum in log2 units, the sum, and the statistics of probes.
  mlir::Value accumulators, numbers;
  /// How many ranges there are, an index.
  mlir::Value ranges;

  /// A row of a tile in a range (i32).
  struct Place {
    mlir::Value tile, range, row;
  };

  /// Memory for `tiles` tiles (an index), whose keys are split as the schedule
  /// says.
  static RangeStates allocate(mlir::OpBuilder &, AttentionOp op,
                              const AttentionShape &shape, mlir::Value tiles,
                              mlir::Value keys);
  void free(mlir::OpBuilder &, mlir::Location loc) const;

  void storePair(KernelBuilder &, const Place &at, mlir::Value column,
                 mlir::Value pair) const;
  void storeNumber(KernelBuilder &, const Place &at, int64_t number,
                   mlir::Value value) const;
  mlir::Value loadElement(KernelBuilder &, const Place &at,
                          mlir::Value column) const;
  mlir::Value loadNumber(KernelBuilder &, const Place &at,
                         int64_t number) const;
};

/// Launches the kernel that merges the states of all rows and writes the op's
/// outputs. `sizes` are the op's, one index for each iteration dimension.
void emitMergeLaunch(mlir::OpBuilder &, AttentionOp op,
                     const AttentionShape &shape,
                     llvm::ArrayRef<mlir::Value> sizes,
                     const RangeStates &states);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_ATTENTION_RANGESTATES_H
