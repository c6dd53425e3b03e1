//===- KeyParts.h - Keys and values that lie in parts -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_TILE_KEYPARTS_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_TILE_KEYPARTS_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/IR/PatternMatch.h"

namespace attn {

/// Some of an attention's keys, with their values.
struct KeyPart {
  mlir::Value key, value;
};

/// What keys and values are put together of, in order: a cache and the rows
/// behind it. One part, the operands, where they are not, or not in the same
/// places.
llvm::SmallVector<KeyPart> getKeyParts(AttentionOp op);

/// Sizes of a concatenation become those of its parts: who asks for one does
/// not need the tensor.
void resolveSizes(mlir::RewriterBase &rewriter, mlir::Value concatenation);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_TILE_KEYPARTS_H
