//===- AttentionShape.h - What an attention kernel is made for --*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that is known of a kernel when it is compiled: sizes of heads, the
// schedule, and how shared memory is shared out.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_ATTENTION_ATTENTIONSHAPE_H
#define ATTN_LIB_CONVERSION_GPU_ATTENTION_ATTENTIONSHAPE_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"
#include "llvm/Support/MathExtras.h"

namespace attn {

struct AttentionShape {
  /// Fails with a diagnostic where no kernel can be made.
  static mlir::FailureOr<AttentionShape> get(AttentionOp op);

  GPUAttentionAttr schedule;
  /// The type of query, key and value, and that of scores.
  mlir::FloatType element, compute;
  int64_t headDim, valueDim;
  bool isCosine;
  /// Whether hidden keys may have values that are not known to be finite.
  bool hides;
  /// Query heads whose rows are in one tile: those of a key head where keys are
  /// split, else 1.
  int64_t headGroup;

  bool splitsKeys() const { return schedule.getSplitKeys() != 0; }
  /// Whether groups of warps multiply, and another one copies.
  bool hasRoles() const { return schedule.getStages() > 1; }
  int64_t getGroups() const { return getWarps() / kGroupWarps; }
  int64_t getRows() const { return schedule.getRows(); }
  int64_t getKeys() const { return schedule.getKeys(); }
  /// Warps that multiply.
  int64_t getWarps() const { return schedule.getWarps(); }
  int64_t getThreads() const { return 32 * getWarps(); }
  int64_t getRowsPerWarp() const { return getRows() / getWarps(); }
  /// Heads padded to whole fragments.
  int64_t getPaddedHead() const {
    return llvm::alignTo(headDim, kFragmentSize);
  }
  int64_t getPaddedValue() const {
    return llvm::alignTo(valueDim, kFragmentSize);
  }
  /// Whether products are matrix instructions; else fused multiply-adds.
  bool usesMatrices() const { return element.isF16() || element.isBF16(); }
  /// Whether groups of warps can multiply.
  bool takesRoles() const;
  /// Whether a warp keeps its query in registers.
  bool keepsQuery() const;
  /// Whether numbers lie at multiples of 16 bytes if rows do.
  bool fillsChunks() const;

  /// Shared memory: the query (and later the weights of a tile that holds
  /// numbers which are not finite, and the output), keys, values, in bytes.
  int64_t getQueryBytes() const;
  int64_t getKeyBytes() const {
    return getKeys() * getPaddedHead() * getElementBytes();
  }
  int64_t getValueBytes() const {
    return getKeys() * getPaddedValue() * getElementBytes();
  }
  int64_t getWeightsOffset() const {
    return keepsQuery() ? 0 : getQueryBytes() + getKeyBytes() + getValueBytes();
  }
  /// 1 / norm of each key of the tile, where similarity is cosine.
  int64_t getKeyFactorsOffset() const;
  int64_t getSharedBytes() const;

  /// The same rows in a kernel without roles.
  AttentionShape withoutRoles() const;
  int64_t getElementBytes() const {
    return element.getIntOrFloatBitWidth() / 8;
  }
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_ATTENTION_ATTENTIONSHAPE_H
