//===- BitMath.h - Bit functions of one lane
//--------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_OPS_BITMATH_H
#define ATTN_LIB_PTXSIM_OPS_BITMATH_H

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstdint>

namespace attn::ptx {

/// Shift amounts beyond the width count as the width.
template <typename T> T shiftLeft(T a, uint32_t amount) {
  constexpr uint32_t bits = 8 * sizeof(T);
  return amount >= bits ? T(0) : T(uint64_t(a) << amount);
}

template <typename T> T shiftRight(T a, uint32_t amount) {
  constexpr uint32_t bits = 8 * sizeof(T);
  if constexpr (std::is_signed_v<T>)
    return T(a >> std::min(amount, bits - 1));
  else
    return amount >= bits ? T(0) : T(a >> amount);
}

struct PopCount {
  template <typename T> uint32_t operator()(T a) const {
    return uint32_t(llvm::popcount(a));
  }
};
struct LeadZeros {
  template <typename T> uint32_t operator()(T a) const {
    return uint32_t(llvm::countl_zero(a));
  }
};

/// Position of the highest bit that is not the sign; ~0 if there is none.
template <bool shiftAmount> struct FindBit {
  template <typename T> uint32_t operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    U value = U(a);
    if (std::is_signed_v<T> && a < 0)
      value = U(~value);
    if (value == 0)
      return ~0u;
    uint32_t zeros = uint32_t(llvm::countl_zero(value));
    return shiftAmount ? zeros : uint32_t(8 * sizeof(T)) - 1 - zeros;
  }
};

template <typename T> T reverseBits(T value) {
  T result = 0;
  for (unsigned k = 0; k != 8 * sizeof(T); ++k)
    result |= T(value >> k & 1) << (8 * sizeof(T) - 1 - k);
  return result;
}

/// bfe, bit by bit as the PTX ISA's pseudocode has it: beyond the top come
/// zeros or the sign bit of the field.
template <typename T> T bitField(T a, uint32_t position, uint32_t length) {
  using U = std::make_unsigned_t<T>;
  constexpr uint32_t msb = 8 * sizeof(T) - 1;
  U value = U(a);
  U sign = 0;
  if (std::is_signed_v<T> && length)
    sign = U(value >> std::min(position + length - 1, msb)) & 1;
  U result = 0;
  for (uint32_t k = 0; k <= msb; ++k) {
    U bit = k < length && position + k <= msb ? U(value >> (position + k)) & 1
                                              : sign;
    result |= U(bit << k);
  }
  return T(result);
}

template <typename T>
T insertBits(T a, T b, uint32_t position, uint32_t length) {
  constexpr uint32_t bits = 8 * sizeof(T);
  if (position >= bits || length == 0)
    return b;
  uint32_t count = std::min(length, bits - position);
  T mask = count >= bits ? T(~T(0)) : T((T(1) << count) - 1);
  return T((b & ~T(mask << position)) | T((a & mask) << position));
}

/// prmt; mode 0 is the general one, then f4e, b4e, rc8, ecl, ecr, rc16.
inline uint32_t permuteBytes(uint32_t a, uint32_t b, uint32_t c,
                             unsigned mode) {
  uint64_t both = uint64_t(b) << 32 | a;
  auto byte = [&](unsigned n) {
    return uint32_t(both >> (8 * (n & 7))) & 0xff;
  };
  uint32_t n = c & 3, result = 0;
  for (unsigned k = 0; k != 4; ++k) {
    uint32_t value = 0;
    switch (mode) {
    case 0: {
      uint32_t selector = c >> (4 * k) & 0xf;
      value = byte(selector & 7);
      if (selector & 8)
        value = value & 0x80 ? 0xff : 0;
      break;
    }
    case 1:
      value = byte(n + k);
      break;
    case 2:
      value = byte(n - k);
      break;
    case 3:
      value = byte(n);
      break;
    case 4:
      value = byte(std::max(k, n));
      break;
    case 5:
      value = byte(std::min(k, n));
      break;
    case 6:
      value = byte((n & 1) * 2 + (k & 1));
      break;
    }
    result |= value << (8 * k);
  }
  return result;
}

/// fns: the `offset`-th set bit from `base` upwards, or downwards if negative.
inline uint32_t findNthSet(uint32_t mask, uint32_t base, int32_t offset) {
  if (offset == 0)
    return base < 32 && (mask >> base & 1) ? base : ~0u;
  int32_t left = offset > 0 ? offset : -int64_t(offset) > 32 ? 33 : -offset;
  int32_t step = offset > 0 ? 1 : -1;
  for (int32_t at = int32_t(std::min(base, 64u)); at >= 0 && at < 32;
       at += step)
    if ((mask >> at & 1) && --left == 0)
      return uint32_t(at);
  return ~0u;
}

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_OPS_BITMATH_H
