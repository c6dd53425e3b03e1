//===- TileProducts.h - Products of four tiles in parts ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_BENCHMARKS_CEILINGS_TILEPRODUCTS_H
#define ATTN_BENCHMARKS_CEILINGS_TILEPRODUCTS_H

#include "Tiles.h"

#include <utility>

namespace ceilings {

/// An array of bf16, or of the parts of an array.
struct PartArray {
  const BF16 *data;
  long stride;
};

/// Which parts are multiplied, the smallest products first. Most steps keep one
/// side's tiles.
template <int Parts> struct PartProducts;
template <> struct PartProducts<1> {
  static constexpr int kCount = 1, kLeft[] = {0}, kRight[] = {0};
};
template <> struct PartProducts<2> {
  static constexpr int kCount = 3, kLeft[] = {0, 0, 1}, kRight[] = {1, 0, 0};
};
template <> struct PartProducts<3> {
  static constexpr int kCount = 6, kLeft[] = {1, 0, 0, 0, 1, 2};
  static constexpr int kRight[] = {1, 1, 2, 0, 0, 0};
};

/// Products of tiles in a step over 32 terms.
template <int Parts>
constexpr int kStepProducts = 4 * PartProducts<Parts>::kCount;

template <int... Numbers, typename Body>
[[gnu::always_inline]] inline void
callWith(std::integer_sequence<int, Numbers...>, Body body) {
  (body(std::integral_constant<int, Numbers>()), ...);
}

/// Calls body(0), body(1), ... with numbers that are known when compiling.
template <int Count, typename Body>
[[gnu::always_inline]] inline void repeat(Body body) {
  callWith(std::make_integer_sequence<int, Count>(), body);
}

/// Adds 32 terms to 32 x 32 sums in tiles 0 to 3. left(part, i) and
/// right(part, i) are the operands of rows and of columns i. Each product is
/// followed by meanwhile(its number).
template <int Parts, typename Left, typename Right, typename Meanwhile>
[[gnu::always_inline]] inline void addTiles(Left left, long leftBytes,
                                            Right right, Meanwhile meanwhile) {
  using Products = PartProducts<Parts>;
  repeat<Products::kCount>([&](auto step) __attribute__((always_inline)) {
    constexpr int kStep = step, kBefore = kStep == 0 ? 0 : kStep - 1;
    constexpr int kLeft = Products::kLeft[kStep];
    constexpr int kRight = Products::kRight[kStep];
    constexpr bool kNewLeft = kStep == 0 || kLeft != Products::kLeft[kBefore];
    constexpr bool kNewRight =
        kStep == 0 || kRight != Products::kRight[kBefore];
    if (kNewLeft)
      _tile_loadd(4, left(kLeft, 0), leftBytes);
    if (kNewRight)
      _tile_loadd(6, right(kRight, 0), kTileBytes);
    _tile_dpbf16ps(0, 4, 6);
    meanwhile(4 * kStep);
    if (kNewRight)
      _tile_loadd(7, right(kRight, 1), kTileBytes);
    _tile_dpbf16ps(1, 4, 7);
    meanwhile(4 * kStep + 1);
    if (kNewLeft)
      _tile_loadd(5, left(kLeft, 1), leftBytes);
    _tile_dpbf16ps(2, 5, 6);
    meanwhile(4 * kStep + 2);
    _tile_dpbf16ps(3, 5, 7);
    meanwhile(4 * kStep + 3);
  });
}

} // namespace ceilings

#endif // ATTN_BENCHMARKS_CEILINGS_TILEPRODUCTS_H
