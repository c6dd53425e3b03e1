//===- SeenKeys.h - What a group of rows sees of a block --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_SEENKEYS_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_SEENKEYS_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

/// How many keys of a block of `keyCount` come up to the last one that a row
/// from `firstRow` to `lastRow` sees: 0 where it sees none. Rows are those of a
/// tile op on memrefs, which has range masks.
mlir::Value emitSeenKeys(mlir::OpBuilder &builder, AttentionOpInterface op,
                         mlir::Value firstRow, mlir::Value lastRow,
                         mlir::Value keyCount);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_SEENKEYS_H
