//===- KeyRanges.h - Which keys a block of rows sees ------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Range masks leave each row one range of keys. A block of rows has keys that
// all of its rows see, and before and after them keys that only some see, which
// need masks.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_SCORE_KEYRANGES_H
#define ATTN_DIALECT_ATTN_SCORE_KEYRANGES_H

#include "attn/Dialect/Attn/Score/ScoreEmitter.h"

namespace attn {

/// Whether a mask of `op` hides all keys but a range.
bool hasRangeMask(AttentionOpInterface op);
bool hasOnlyRangeMasks(AttentionOpInterface op);

/// Keys [lower, upper), as ints of a scalar builder.
struct KeyRange {
  mlir::Value lower, upper;
};

struct KeyRanges {
  /// Keys that some row of the block may see, and those that every row sees as
  /// far as the range masks say: inside of `some`, and possibly none.
  KeyRange some, every;
  /// The number of keys that the block's batch has.
  mlir::Value keyCount;
};

/// The ranges of the rows from `firstRow` to `lastRow`, of one batch.
KeyRanges emitKeyRanges(LaneBuilder &lanes, ScoreEmitter &emitter,
                        llvm::ArrayRef<mlir::Value> batch, LaneIndex firstRow,
                        LaneIndex lastRow);

/// Cuts every part to multiples of `multiple` keys: the left edge and then the
/// full part, whose rest the right edge takes, since a mask treats it as
/// visible; and the right edge up to `limit`, the keys that exist, since a mask
/// hides them. With a left edge a full part of less than `shortest` keys is not
/// worth a loop of its own, and is empty.
void roundKeyRanges(LaneBuilder &lanes, KeyRanges &ranges, int64_t multiple,
                    int64_t shortest, mlir::Value limit, bool leftEdge);

/// How many ranges of keys are worked on side by side, an index: until there
/// are `sideBySide` of them for all `items` together, but none of less than
/// `least` of the `keys`, and at least one.
mlir::Value emitRangeCount(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value keys, mlir::Value items, int64_t least,
                           int64_t sideBySide);

/// Leaves of all parts, which begin at multiples of `multiple` keys from the
/// first one, what lies in range `number` of `count`, which are as long as each
/// other but for the last ones.
void cutKeyRanges(LaneBuilder &lanes, KeyRanges &ranges, mlir::Value number,
                  mlir::Value count, int64_t multiple);

} // namespace attn

#endif // ATTN_DIALECT_ATTN_SCORE_KEYRANGES_H
