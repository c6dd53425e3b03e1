//===- RaiseGroupNorm.h - Layer norms of groups of channels -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_RAISEGROUPNORM_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_RAISEGROUPNORM_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn::raise {

/// Says what norm was found, and with which params.
void remarkRaised(NormOp op);

/// Makes layer norms of whole groups of channels, with what follows them and
/// belongs to the channels, norms of kind `group`.
void raiseGroupNorms(mlir::Operation *root);

} // namespace attn::raise

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_RAISEGROUPNORM_H
