//===- MemRefMemory.h - What memory a memref is -----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_SHARED_MEMREFMEMORY_H
#define ATTN_LIB_CONVERSION_SHARED_MEMREFMEMORY_H

#include "mlir/IR/Value.h"

namespace attn {

/// The value whose memory `memref` is a view of.
mlir::Value getMemoryRoot(mlir::Value memref);

/// Bytes of an element in memory; a boolean has one.
int64_t getElementBytes(mlir::Type element);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_SHARED_MEMREFMEMORY_H
