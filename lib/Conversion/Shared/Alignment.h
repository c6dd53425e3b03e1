//===- Alignment.h - Whether rows lie at multiples of bytes -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_SHARED_ALIGNMENT_H
#define ATTN_LIB_CONVERSION_SHARED_ALIGNMENT_H

#include "mlir/IR/Builders.h"

namespace attn {

/// Whether the elements of `memref` along its last dimension are neighbours and
/// all of these rows begin at multiples of `bytes`, decided at run time; null
/// where they never do.
mlir::Value emitIsAligned(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value memref, int64_t bytes);

/// Elements that lie `stride` apart, `size` of them.
struct Distance {
  mlir::OpFoldResult size, stride;
};

/// Whether the first element of `memref`, and what lies at these distances from
/// it, is at multiples of `bytes`; null where it never is.
mlir::Value emitIsAligned(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value memref,
                          llvm::ArrayRef<Distance> distances, int64_t bytes);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_SHARED_ALIGNMENT_H
