//===- AMXPeak.h - What the tile unit can do at best ------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_RUN_AMXPEAK_H
#define ATTN_RUN_AMXPEAK_H

#include <cstdint>

namespace attn::run {

/// Floating-point operations of one call of runAMXTiles.
constexpr double kAMXTileFlops = 2000 * 4 * (16.0 * 16 * 32 * 2);

/// Bytes that one thread's loop needs: four operand tiles and four sums.
constexpr int64_t kAMXTileBytes = 8 * 1024;

/// Products of bf16 tiles, 2 x 2 of them to a step as a matrix product would
/// have, with their operands in L1. Only where the host's description, which
/// asks Linux for the permission, has AMX. `operands` has kAMXTileBytes bytes,
/// 64-byte aligned.
void runAMXTiles(void *operands);

} // namespace attn::run

#endif // ATTN_RUN_AMXPEAK_H
