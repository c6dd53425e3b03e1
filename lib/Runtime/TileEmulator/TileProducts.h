//===- TileProducts.h - What a product of tiles computes --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_RUNTIME_TILEEMULATOR_TILEPRODUCTS_H
#define ATTN_LIB_RUNTIME_TILEEMULATOR_TILEPRODUCTS_H

#include <cstdint>

namespace attn {

constexpr unsigned kTileRows = 16, kTileRowBytes = 64;

struct alignas(64) Tile {
  uint8_t rows[kTileRows][kTileRowBytes];
};

enum class TileElement : uint8_t { BF16, F16 };

/// sums += first * second, where `first` has `rows` rows of pairs of elements,
/// `second` as many rows as `first` has pairs, and `sums` columns of f32. As
/// the processor rounds: the first ones of all pairs are summed up, the second
/// ones apart from them, then both together, then that to `sums`; each step is
/// fused, rounds to nearest and makes denormals zero. Columns behind are zero.
void multiplyTiles(TileElement type, Tile &sums, const Tile &first,
                   const Tile &second, unsigned rows, unsigned pairs,
                   unsigned columns);

/// sums[i] += the product of the second elements of bf16 pair i, and then that
/// of the first ones, of 16 pairs; rounded as above.
void addPairs(float *sums, const uint8_t *first, const uint8_t *second);

/// Whether this processor has what that is compiled for.
bool canMultiplyTiles();

} // namespace attn

#endif // ATTN_LIB_RUNTIME_TILEEMULATOR_TILEPRODUCTS_H
