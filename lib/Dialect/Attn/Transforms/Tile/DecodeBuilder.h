//===- DecodeBuilder.h - The parts of a split attention ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Few query rows on many keys: the rows of all query heads that share a key
// head are one work item on one range of keys, so that keys and values are read
// once. The states of the ranges are merged in their order.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_TILE_DECODEBUILDER_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_TILE_DECODEBUILDER_H

#include "KeyParts.h"
#include "TileBuilder.h"

namespace attn {

/// Builds one split attention, part by part, in the order of the methods.
class DecodeBuilder : public TileBuilder {
public:
  DecodeBuilder(mlir::RewriterBase &rewriter, AttentionOp op);

  /// The parallel loop over batch, key heads and ranges of keys; returns the
  /// states of all ranges: acc, max and sum.
  llvm::SmallVector<mlir::Value> createPartialStates();
  /// The parallel loop that merges the states and finishes the rows; returns
  /// the attention's results.
  mlir::ValueRange createMerge(mlir::ValueRange states);
  /// From how many tensors keys and values are read.
  size_t getNumParts() const { return parts.size(); }

private:
  /// Computes the number of ranges from the problem's sizes alone.
  mlir::Value createSplitCount();
  /// The counts of the loops over batch dimensions and key heads.
  llvm::SmallVector<mlir::OpFoldResult> getItemCounts();
  /// Makes the item of these loops current: one key head, all of its rows.
  void enterItem(mlir::ValueRange ivs);
  /// The range number `number` of `keys`.
  KeyRange getSplit(KeyRange keys, mlir::Value number);
  /// The state after those of `keys` that `part` has, whose first key is
  /// `begin`.
  llvm::SmallVector<mlir::Value> createPart(const KeyPart &part,
                                            mlir::OpFoldResult begin,
                                            KeyRange keys, bool masked,
                                            mlir::ValueRange state);
  /// The dimension of the key operand that its keys lie along.
  unsigned getKeyAxis();
  /// The state after `keys`; `masked` keeps the masks that the range follows.
  llvm::SmallVector<mlir::Value> createAttention(KeyRange keys, bool masked,
                                                 mlir::ValueRange state);
  llvm::SmallVector<mlir::Value> createRangeState(mlir::Value split,
                                                  mlir::ValueRange state);
  Policies getPolicies(bool masked);
  /// Whether a policy other than the masks themselves looks at the masks.
  bool needsMasks();
  /// A slice that keeps the head dimension, rows and what follows.
  Slice sliceRows(mlir::Value operand, mlir::AffineMap map);
  /// The state of the current item within the states of all items; `ranges`
  /// selects one range, or all of them as a leading dimension.
  Slice sliceState(mlir::Value states, unsigned number, mlir::Value range);
  void getStateSlice(unsigned number, mlir::Value range,
                     llvm::SmallVectorImpl<mlir::OpFoldResult> &offsets,
                     llvm::SmallVectorImpl<mlir::OpFoldResult> &sizes,
                     llvm::SmallVectorImpl<mlir::OpFoldResult> &strides);
  /// Iteration dimensions of a state's rows: the head, if any, and the row;
  /// acc has the value dimension, too.
  llvm::SmallVector<unsigned> getStateDims(unsigned number);
  llvm::SmallVector<mlir::OpFoldResult>
  getSizesOf(llvm::ArrayRef<unsigned> dims);

  /// What keys and values are read from.
  llvm::SmallVector<KeyPart> parts;
  /// Query heads that share a key head.
  int64_t group;
  bool hasHead;
  mlir::Value splits;
  /// Loop indices of the current item.
  llvm::SmallVector<mlir::OpFoldResult> item;
};

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_TILE_DECODEBUILDER_H
