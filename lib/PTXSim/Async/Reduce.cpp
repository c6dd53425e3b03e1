//===- Reduce.cpp - What bulk reductions do to an element -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Async/AsyncHandlers.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace attn::ptx {

unsigned reduceBytes(ReduceType type) {
  switch (type) {
  case ReduceType::F16:
  case ReduceType::BF16:
    return 2;
  case ReduceType::U32:
  case ReduceType::S32:
  case ReduceType::F32:
  case ReduceType::B32:
    return 4;
  default:
    return 8;
  }
}

namespace {
struct Add {
  template <typename T> T operator()(T a, T b) const { return T(a + b); }
};
struct Min {
  template <typename T> T operator()(T a, T b) const { return std::min(a, b); }
};
struct Max {
  template <typename T> T operator()(T a, T b) const { return std::max(a, b); }
};
struct Inc {
  template <typename T> T operator()(T a, T b) const {
    return a >= b ? T(0) : T(a + 1);
  }
};
struct Dec {
  template <typename T> T operator()(T a, T b) const {
    return a == 0 || a > b ? b : T(a - 1);
  }
};
struct And {
  template <typename T> T operator()(T a, T b) const { return a & b; }
};
struct Or {
  template <typename T> T operator()(T a, T b) const { return a | b; }
};
struct Xor {
  template <typename T> T operator()(T a, T b) const { return a ^ b; }
};
} // namespace

template <typename T, typename F>
static void apply(uint8_t *target, const uint8_t *value) {
  T a, b;
  std::memcpy(&a, target, sizeof(T));
  std::memcpy(&b, value, sizeof(T));
  a = F()(a, b);
  std::memcpy(target, &a, sizeof(T));
}

/// 16-bit floats: the operation rounds once, as addition in f32 followed by
/// rounding does for both formats.
template <typename F, bool IsBF16>
static void applyHalf(uint8_t *target, const uint8_t *value) {
  const llvm::fltSemantics &format =
      IsBF16 ? llvm::APFloat::BFloat() : llvm::APFloat::IEEEhalf();
  auto load = [&](const uint8_t *from) {
    uint16_t bits;
    std::memcpy(&bits, from, 2);
    return llvm::APFloat(format, llvm::APInt(16, bits)).convertToFloat();
  };
  llvm::APFloat result(float(F()(load(target), load(value))));
  bool inexact;
  result.convert(format, llvm::APFloat::rmNearestTiesToEven, &inexact);
  auto bits = uint16_t(result.bitcastToAPInt().getZExtValue());
  std::memcpy(target, &bits, 2);
}

template <typename U> static ReduceFn integerReduction(llvm::StringRef name) {
  return llvm::StringSwitch<ReduceFn>(name)
      .Case("add", apply<U, Add>)
      .Case("min", apply<U, Min>)
      .Case("max", apply<U, Max>)
      .Default(nullptr);
}

template <typename U> static ReduceFn bitReduction(llvm::StringRef name) {
  return llvm::StringSwitch<ReduceFn>(name)
      .Case("inc", apply<U, Inc>)
      .Case("dec", apply<U, Dec>)
      .Case("and", apply<U, And>)
      .Case("or", apply<U, Or>)
      .Case("xor", apply<U, Xor>)
      .Default(nullptr);
}

template <bool IsBF16> static ReduceFn halfReduction(llvm::StringRef name) {
  return llvm::StringSwitch<ReduceFn>(name)
      .Case("add", applyHalf<Add, IsBF16>)
      .Case("min", applyHalf<Min, IsBF16>)
      .Case("max", applyHalf<Max, IsBF16>)
      .Default(nullptr);
}

ReduceFn findReduction(llvm::StringRef name, ReduceType type) {
  switch (type) {
  case ReduceType::U32:
    if (ReduceFn f = integerReduction<uint32_t>(name))
      return f;
    return bitReduction<uint32_t>(name);
  case ReduceType::B32:
    return bitReduction<uint32_t>(name);
  case ReduceType::S32:
    if (ReduceFn f = integerReduction<int32_t>(name))
      return f;
    return bitReduction<uint32_t>(name);
  case ReduceType::U64:
    if (ReduceFn f = integerReduction<uint64_t>(name))
      return f;
    return bitReduction<uint64_t>(name);
  case ReduceType::B64:
    return bitReduction<uint64_t>(name);
  case ReduceType::S64:
    if (ReduceFn f = integerReduction<int64_t>(name))
      return f;
    return bitReduction<uint64_t>(name);
  case ReduceType::F16:
    return halfReduction<false>(name);
  case ReduceType::BF16:
    return halfReduction<true>(name);
  case ReduceType::F32:
    return name == "add" ? apply<float, Add> : nullptr;
  case ReduceType::F64:
    return name == "add" ? apply<double, Add> : nullptr;
  }
  return nullptr;
}

} // namespace attn::ptx
