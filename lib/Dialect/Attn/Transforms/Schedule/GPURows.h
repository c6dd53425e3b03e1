//===- GPURows.h - What schedules of rows on a GPU count with ---*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_GPUROWS_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_GPUROWS_H

#include "mlir/IR/BuiltinTypes.h"
#include <algorithm>
#include <cstdint>

namespace attn {

/// A warp has a row of up to so many 32-bit numbers a thread; then warps are
/// added, which cost a meeting in shared memory.
constexpr int64_t kWarpPieces = 16;
/// Warps of a block whose rows have one each, and of long rows.
constexpr int64_t kBlockWarps = 4, kLongWarps = 8;
/// What one access takes.
constexpr int64_t kAccessBytes = 16;
/// The bytes of an element.
inline int64_t getBytes(mlir::Type type) {
  return std::max<int64_t>(
             mlir::getElementTypeOrSelf(type).getIntOrFloatBitWidth(), 8) /
         8;
}

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_GPUROWS_H
