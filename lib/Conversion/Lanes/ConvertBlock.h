//===- ConvertBlock.h - Blocks in another element type ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_LANES_CONVERTBLOCK_H
#define ATTN_LIB_CONVERSION_LANES_CONVERTBLOCK_H

#include "LaneMemory.h"

namespace attn {

/// Copies a rank-2 `block` into the start of `scratch`, which has the same or
/// larger sizes and another float type, and returns that part of it. Rows of
/// the block whose elements lie side by side are converted a vector at a time.
mlir::Value emitConvertedBlock(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value block, mlir::Value scratch,
                               int64_t lanes);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_LANES_CONVERTBLOCK_H
