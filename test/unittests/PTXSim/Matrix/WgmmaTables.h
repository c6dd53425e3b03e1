//===- WgmmaTables.h - The layouts of wgmma, stated again -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the PTX ISA says of fragments and of matrices in shared memory, written
// down as tables and row by row, without the code under test.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_UNITTESTS_PTXSIM_MATRIX_WGMMATABLES_H
#define ATTN_UNITTESTS_PTXSIM_MATRIX_WGMMATABLES_H

#include <cstdint>

namespace attn::ptx::test {

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

struct Place {
  unsigned lane, value;
};

/// D[row][column] of a warp's 16 rows: the figure for .m64nNk*, "D fragment":
/// row 0 is T0:{d0,d1} T1:{d0,d1} T2:{d0,d1} T3:{d0,d1} T0:{d4,d5} ...,
/// row 1 begins with T4, and row 8 is T0:{d2,d3} T1:{d2,d3} ....
inline Place placeOfD(unsigned row, unsigned column) {
  static const unsigned firstLane[16] = {0, 4, 8, 12, 16, 20, 24, 28,
                                         0, 4, 8, 12, 16, 20, 24, 28};
  static const unsigned laneIn8[8] = {0, 0, 1, 1, 2, 2, 3, 3};
  static const unsigned upper[8] = {0, 1, 0, 1, 0, 1, 0, 1};
  static const unsigned lower[8] = {2, 3, 2, 3, 2, 3, 2, 3};
  unsigned c = column % 8;
  return {firstLane[row] + laneIn8[c],
          (row < 8 ? upper[c] : lower[c]) + column / 8 * 4};
}

/// A[row][k] of a warp's 16 rows in registers, by the size of its elements:
/// the figures "A fragment" of .m64nNk16, .m64nNk8 and .m64nNk32.
inline Place placeOfA(unsigned bytes, unsigned row, unsigned k) {
  static const unsigned lane16[16] = {0, 0, 1, 1, 2, 2, 3, 3,
                                      0, 0, 1, 1, 2, 2, 3, 3};
  static const unsigned value16[16] = {0, 1, 0, 1, 0, 1, 0, 1,
                                       4, 5, 4, 5, 4, 5, 4, 5};
  static const unsigned lane32[8] = {0, 1, 2, 3, 0, 1, 2, 3};
  static const unsigned value32[8] = {0, 0, 0, 0, 2, 2, 2, 2};
  static const unsigned lane8[32] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                     2, 3, 3, 3, 3, 0, 0, 0, 0, 1, 1,
                                     1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
  static const unsigned value8[32] = {0,  1,  2, 3, 0,  1,  2, 3,  0,  1, 2,
                                      3,  0,  1, 2, 3,  8,  9, 10, 11, 8, 9,
                                      10, 11, 8, 9, 10, 11, 8, 9,  10, 11};
  unsigned first = 4 * (row % 8), below = row < 8 ? 0 : 1;
  if (bytes == 2)
    return {first + lane16[k], value16[k] + 2 * below};
  if (bytes == 4)
    return {first + lane32[k], value32[k] + below};
  return {first + lane8[k], value8[k] + 4 * below};
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Where the figures of the swizzling modes put 16-byte piece `piece` of line
/// `line` of the repeating pattern of eight lines.
inline unsigned swizzled(unsigned width, unsigned line, unsigned piece) {
  static const unsigned by128[8][8] = {
      {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
      {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
      {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2},
      {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0}};
  static const unsigned by64[8][4] = {{0, 1, 2, 3}, {0, 1, 2, 3}, {1, 0, 3, 2},
                                      {1, 0, 3, 2}, {2, 3, 0, 1}, {2, 3, 0, 1},
                                      {3, 2, 1, 0}, {3, 2, 1, 0}};
  static const unsigned by32[8][2] = {{0, 1}, {0, 1}, {0, 1}, {0, 1},
                                      {1, 0}, {1, 0}, {1, 0}, {1, 0}};
  return width == 128  ? by128[line][piece]
         : width == 64 ? by64[line][piece]
         : width == 32 ? by32[line][piece]
                       : 0;
}

/// One operand in shared memory. `width` is the swizzle's, 0: none.
struct Layout {
  unsigned width = 0;
  bool kMajor = true;
  uint32_t leading = 0, stride = 0; ///< Byte offsets.
  uint32_t start = 0;               ///< Byte offset of the matrix.
  uint32_t skip = 0;                ///< Of the first k, inside a line.

  /// Of element (row, k), `row` being a column for B.
  uint32_t address(unsigned bytes, unsigned row, unsigned k) const {
    unsigned along = kMajor ? k * bytes + skip : row * bytes;
    unsigned line = kMajor ? row : k;
    unsigned byte = along % 16, piece = along / 16;
    // Core matrices of 8 lines of 16 bytes. "Leading" is the distance of core
    // matrices along k, "stride" the one along rows, whatever the major-ness.
    if (width == 0) {
      unsigned lines = line / 8, inLine = line % 8;
      uint32_t k16 = kMajor ? piece : lines, rows = kMajor ? lines : piece;
      return start + k16 * leading + rows * stride + inLine * 16 + byte;
    }
    // Lines as wide as the swizzle; eight of them make the pattern. Patterns
    // follow each other at "stride" across lines, at "leading" along them.
    unsigned inPattern = piece % (width / 16);
    return start + piece / (width / 16) * leading + line / 8 * stride +
           line % 8 * width + swizzled(width, line % 8, inPattern) * 16 + byte;
  }

  uint64_t bits() const {
    uint64_t mode = width == 128 ? 1 : width == 64 ? 2 : width == 32 ? 3 : 0;
    return mode << 62 | uint64_t(stride >> 4) << 32 |
           uint64_t(leading >> 4) << 16 | ((start + skip) >> 4);
  }
};

} // namespace attn::ptx::test

#endif // ATTN_UNITTESTS_PTXSIM_MATRIX_WGMMATABLES_H
