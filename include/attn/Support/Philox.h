//===- Philox.h - Random bits from a counter --------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_SUPPORT_PHILOX_H
#define ATTN_SUPPORT_PHILOX_H

#include <array>
#include <cstdint>

namespace attn {

using PhiloxWords = std::array<uint32_t, 4>;

/// Philox 4x32-10 of J. K. Salmon and others, "Parallel random numbers: as easy
/// as 1, 2, 3" (2011).
PhiloxWords philox4x32(PhiloxWords counter, std::array<uint32_t, 2> key);

} // namespace attn

#endif // ATTN_SUPPORT_PHILOX_H
