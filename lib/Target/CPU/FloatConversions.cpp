//===- FloatConversions.cpp - bf16 conversions that LLVM may call ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatConversions.h"
#include <cstdint>
#include <cstring>

/// Rounds to nearest even. The result travels in a vector register, which the
/// type __bf16 stands for.
static __bf16 roundFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  bool isNaN = (bits & 0x7fffffff) > 0x7f800000;
  bits = isNaN ? bits | 0x400000 : bits + 0x7fff + ((bits >> 16) & 1);
  uint16_t half = static_cast<uint16_t>(bits >> 16);
  __bf16 result;
  std::memcpy(&result, &half, sizeof(half));
  return result;
}

/// Goes through a float rounded to odd, so that it rounds only once.
static __bf16 roundDouble(double value) {
  float narrow = static_cast<float>(value);
  double back = narrow;
  if (back != value && value == value) {
    uint32_t bits;
    std::memcpy(&bits, &narrow, sizeof(bits));
    if (!(bits & 1)) {
      bool tooFar = (back > value) == (value > 0);
      bits += tooFar ? -1 : 1;
    }
    std::memcpy(&narrow, &bits, sizeof(bits));
  }
  return roundFloat(narrow);
}

std::vector<std::pair<const char *, void *>> attn::getFloatConversions() {
  return {{"__truncsfbf2", reinterpret_cast<void *>(&roundFloat)},
          {"__truncdfbf2", reinterpret_cast<void *>(&roundDouble)}};
}
