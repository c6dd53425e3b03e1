//===- SeenKeys.h - What a group of rows sees of a block --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_SEENKEYS_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_SEENKEYS_H

#include "attn/Dialect/Attn/Score/KeyRanges.h"

namespace attn {

/// Keys of a block: those from `begin` to `end` are seen by some row of a
/// group, or none is and both are 0; those of `every` by all of its rows, as
/// far as range masks say.
struct SeenKeys {
  mlir::Value begin, end;
  KeyRange every;
};

/// What the rows from `firstRow` to `lastRow` see of a block of `keyCount`
/// keys, from a multiple of `step` on. Rows are those of a tile op on memrefs,
/// which has range masks.
SeenKeys emitSeenKeys(mlir::OpBuilder &builder, AttentionOpInterface op,
                      mlir::Value firstRow, mlir::Value lastRow,
                      mlir::Value keyCount, int64_t step);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_SEENKEYS_H
