//===- Elements.h - Matrix elements as floats and back ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions of whole arrays, in loops that a compiler turns into vector
// code. All are exact in this direction.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_MATRIX_ELEMENTS_H
#define ATTN_LIB_PTXSIM_MATRIX_ELEMENTS_H

#include "PTXSim/IR/Module.h"

#include "llvm/ADT/bit.h"

#include <cstddef>

namespace attn::ptx {

/// `count` elements of `type`, packed as in memory, to floats. F16, BF16, TF32
/// (the low 13 bits of each 32-bit element do not count), F32, E4M3, E5M2.
void elementsToFloat(ir::Type type, const void *packed, size_t count,
                     float *out);

/// The same for S8 and U8.
void elementsToInteger(ir::Type type, const void *packed, size_t count,
                       int32_t *out);

/// Rounds to nearest; a NaN becomes the one that instructions produce.
uint16_t halfFromDouble(double value);
inline uint32_t singleFromDouble(double value) {
  auto result = float(value);
  return result != result ? 0x7fffffff : llvm::bit_cast<uint32_t>(result);
}

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_MATRIX_ELEMENTS_H
