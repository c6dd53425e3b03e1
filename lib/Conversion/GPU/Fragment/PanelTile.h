//===- PanelTile.h - Matrices that four warps multiply -------- -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions of four warps read matrices in shared memory by a descriptor.
// Columns lie in panels of 128 bytes, a panel after the other: what a tensor
// copy with the 128-byte swizzle writes, a box for each panel. Within a panel
// rows follow each other, and their 16-byte chunks are swizzled as SharedTile's
// of this width.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_FRAGMENT_PANELTILE_H
#define ATTN_LIB_CONVERSION_GPU_FRAGMENT_PANELTILE_H

#include "SharedTile.h"

namespace attn {

struct PanelTile {
  static constexpr int64_t kRowBytes = 128;
  /// The swizzle repeats after eight rows: tiles begin at multiples of it.
  static constexpr int64_t kAlignment = 8 * kRowBytes;

  /// Where it starts, at a multiple of kAlignment; rows are a multiple of 8.
  mlir::Value base;
  int64_t rows, columns;
  /// f16 or bf16.
  mlir::Type element;

  /// Columns of a panel, and panels, of which the last may be filled in part.
  int64_t getPanelColumns() const;
  int64_t getPanels() const;
  int64_t getPanelBytes() const { return rows * kRowBytes; }
  int64_t getBytes() const { return getPanels() * getPanelBytes(); }
  SharedTile getPanel(KernelBuilder &kernel, int64_t panel) const;
};

/// Which of several tiles, an i32 or null for the first one, and how many bytes
/// they are apart.
struct TileStage {
  mlir::Value number;
  int64_t bytes;
  /// Whether descriptors are added up as a whole: in uniform registers that is
  /// as fast as the low half alone, in others it is slower.
  bool isUniform = true;
};

/// A lhs or rhs of wgmma: which steps of 16 terms lie where.
class PanelOperand {
public:
  /// Terms lie along columns, or, with `rowsAreTerms`, a term in each row. The
  /// matrix begins at row `firstRow` (i32) of the tile, a multiple of 8, or
  /// null for 0. `tile` is that of the first stage.
  PanelOperand(KernelBuilder &, const PanelTile &tile, bool rowsAreTerms,
               mlir::Value firstRow = {}, const TileStage &stage = {});

  bool isTransposed() const { return rowsAreTerms; }
  /// The descriptor (i64) of a step of terms.
  mlir::Value getStep(KernelBuilder &, int64_t step) const;

private:
  PanelTile tile;
  bool rowsAreTerms;
  /// The descriptor of the first step; where it is not uniform, its low half.
  mlir::Value descriptor;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_FRAGMENT_PANELTILE_H
