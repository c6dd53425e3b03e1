//===- IntegerMath.h - Integer functions of one lane
//------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_OPS_INTEGERMATH_H
#define ATTN_LIB_PTXSIM_OPS_INTEGERMATH_H

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace attn::ptx {

/// Wide enough, and unsigned, so that nothing overflows in C++.
template <typename T>
using Wrap = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <typename T> struct AddInt {
  T operator()(T a, T b) const { return T(Wrap<T>(a) + Wrap<T>(b)); }
};
template <typename T> struct SubInt {
  T operator()(T a, T b) const { return T(Wrap<T>(a) - Wrap<T>(b)); }
};
template <typename T> struct MulLow {
  T operator()(T a, T b) const { return T(Wrap<T>(a) * Wrap<T>(b)); }
};
template <typename T> struct MulHigh {
  T operator()(T a, T b) const {
    if constexpr (sizeof(T) == 8 && std::is_signed_v<T>)
      return T(uint64_t(__int128(a) * b >> 64));
    else if constexpr (sizeof(T) == 8)
      return T((unsigned __int128)(a)*b >> 64);
    else if constexpr (std::is_signed_v<T>)
      return T(int64_t(a) * b >> (8 * sizeof(T)));
    else
      return T(uint64_t(a) * b >> (8 * sizeof(T)));
  }
};
template <typename T> struct MadLow {
  T operator()(T a, T b, T c) const {
    return T(Wrap<T>(a) * Wrap<T>(b) + Wrap<T>(c));
  }
};
template <typename T> struct MadHigh {
  T operator()(T a, T b, T c) const {
    return AddInt<T>()(MulHigh<T>()(a, b), c);
  }
};

inline int32_t saturate(int64_t value) {
  return int32_t(
      std::min<int64_t>(std::max<int64_t>(value, INT32_MIN), INT32_MAX));
}
struct AddSat {
  int32_t operator()(int32_t a, int32_t b) const {
    return saturate(int64_t(a) + b);
  }
};
struct SubSat {
  int32_t operator()(int32_t a, int32_t b) const {
    return saturate(int64_t(a) - b);
  }
};
struct MadHighSat {
  int32_t operator()(int32_t a, int32_t b, int32_t c) const {
    return saturate((int64_t(a) * b >> 32) + c);
  }
};

/// The low 24 bits of the operands; bits 0-31 or 16-47 of the product.
template <typename T, bool high> struct Mul24 {
  T operator()(T a, T b) const {
    int64_t product;
    if constexpr (std::is_signed_v<T>)
      product = llvm::SignExtend64<24>(uint64_t(a) & 0xffffff) *
                llvm::SignExtend64<24>(uint64_t(b) & 0xffffff);
    else
      product = int64_t((uint64_t(a) & 0xffffff) * (uint64_t(b) & 0xffffff));
    return T(high ? product >> 16 : product);
  }
};
template <typename T, bool high> struct Mad24 {
  T operator()(T a, T b, T c) const {
    return AddInt<T>()(Mul24<T, high>()(a, b), c);
  }
};
struct Mad24HighSat {
  int32_t operator()(int32_t a, int32_t b, int32_t c) const {
    return saturate(int64_t(Mul24<int32_t, true>()(a, b)) + c);
  }
};

/// Division by zero gives all ones and its remainder the dividend, as GPUs do;
/// PTX leaves both open.
template <typename T> struct DivInt {
  T operator()(T a, T b) const {
    if (b == 0)
      return T(~T(0));
    if (std::is_signed_v<T> && b == T(-1))
      return T(Wrap<T>(0) - Wrap<T>(a));
    return T(a / b);
  }
};
template <typename T> struct RemInt {
  T operator()(T a, T b) const {
    if (b == 0)
      return a;
    if (std::is_signed_v<T> && b == T(-1))
      return 0;
    return T(a % b);
  }
};
template <typename T> struct MinInt {
  T operator()(T a, T b) const { return a < b ? a : b; }
};
template <typename T> struct MaxInt {
  T operator()(T a, T b) const { return a > b ? a : b; }
};
template <typename F> struct Relu {
  template <typename T> T operator()(T a, T b) const {
    T value = F()(a, b);
    return value < 0 ? T(0) : value;
  }
};
template <typename T> struct AbsInt {
  T operator()(T a) const { return a < 0 ? T(Wrap<T>(0) - Wrap<T>(a)) : a; }
};
template <typename T> struct NegInt {
  T operator()(T a) const { return T(Wrap<T>(0) - Wrap<T>(a)); }
};
template <typename T> struct SumAbsDiff {
  T operator()(T a, T b, T c) const {
    Wrap<T> difference =
        a < b ? Wrap<T>(b) - Wrap<T>(a) : Wrap<T>(a) - Wrap<T>(b);
    return T(Wrap<T>(c) + difference);
  }
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_OPS_INTEGERMATH_H
