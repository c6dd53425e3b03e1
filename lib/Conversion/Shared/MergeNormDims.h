//===- MergeNormDims.h - Fewer dimensions for attn.norm ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_SHARED_MERGENORMDIMS_H
#define ATTN_LIB_CONVERSION_SHARED_MERGENORMDIMS_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

/// Makes neighbouring dimensions of `op`, which is on memrefs, one where both
/// are normalised or both are not, gamma and beta have both or neither, and
/// their elements follow each other in memory, as they do in most tensors. The
/// rank stays: all but the last of them have size 1 then. What is only known at
/// run time is decided there.
void mergeNormDims(mlir::OpBuilder &builder, NormOp op);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_SHARED_MERGENORMDIMS_H
