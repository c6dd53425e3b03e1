//===- FragmentTables.h - Fragment layouts in the PTX ISA's words ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each "Matrix Fragments for mma.*" entry, with the case
// distinctions as that chapter prints them: g is groupID (%laneid >> 2), t is
// threadID_in_group (%laneid % 4), i numbers a lane's elements. Nothing here is
// shared with the simulator, which derives all of them from one rule.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_UNITTESTS_PTXSIM_MATRIX_FRAGMENTTABLES_H
#define ATTN_UNITTESTS_PTXSIM_MATRIX_FRAGMENTTABLES_H

namespace attn::ptx::test {

struct At {
  unsigned row, column;
};
using Layout = At (*)(unsigned g, unsigned t, unsigned i);

//===--- .f16 and .bf16 ---===//

inline At halfK8A(unsigned g, unsigned t, unsigned i) {
  return {i == 0 || i == 1 ? g : g + 8, t * 2 + (i & 1)};
}
inline At halfK8B(unsigned g, unsigned t, unsigned i) { return {t * 2 + i, g}; }
inline At halfK16A(unsigned g, unsigned t, unsigned i) {
  return {i < 2 || (4 <= i && i < 6) ? g : g + 8,
          i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8};
}
inline At halfK16B(unsigned g, unsigned t, unsigned i) {
  return {i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g};
}

//===--- .tf32 ---===//

inline At tf32K4A(unsigned g, unsigned t, unsigned i) {
  return {i == 0 ? g : g + 8, t};
}
inline At tf32K4B(unsigned g, unsigned t, unsigned) { return {t, g}; }
inline At tf32K8A(unsigned g, unsigned t, unsigned i) {
  return {i == 0 || i == 2 ? g : g + 8, i == 0 || i == 1 ? t : t + 4};
}
inline At tf32K8B(unsigned g, unsigned t, unsigned i) {
  return {i == 0 ? t : t + 4, g};
}

//===--- .f64 ---===//

inline At doubleM8A(unsigned g, unsigned t, unsigned) { return {g, t}; }
inline At doubleM8B(unsigned g, unsigned t, unsigned) { return {t, g}; }
inline At doubleK4A(unsigned g, unsigned t, unsigned i) {
  return {i == 0 ? g : g + 8, t};
}
inline At doubleK8A(unsigned g, unsigned t, unsigned i) {
  return {i == 0 || i == 2 ? g : g + 8, i == 0 || i == 1 ? t : t + 4};
}
inline At doubleK8B(unsigned g, unsigned t, unsigned i) {
  return {i == 0 ? t : t + 4, g};
}
inline At doubleK16A(unsigned g, unsigned t, unsigned i) {
  return {i % 2 == 0 ? g : g + 8, i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t};
}
inline At doubleK16B(unsigned g, unsigned t, unsigned i) {
  return {t + i * 4, g};
}

//===--- .s8, .u8, .e4m3, .e5m2 ---===//

inline At byteM8A(unsigned g, unsigned t, unsigned i) { return {g, t * 4 + i}; }
inline At byteM8B(unsigned g, unsigned t, unsigned i) { return {t * 4 + i, g}; }
inline At byteK16A(unsigned g, unsigned t, unsigned i) {
  return {i < 4 ? g : g + 8, t * 4 + (i & 3)};
}
inline At byteK16B(unsigned g, unsigned t, unsigned i) {
  return {t * 4 + i, g};
}
inline At byteK32A(unsigned g, unsigned t, unsigned i) {
  return {i < 4 || (8 <= i && i < 12) ? g : g + 8,
          i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16};
}
inline At byteK32B(unsigned g, unsigned t, unsigned i) {
  return {i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g};
}

//===--- Accumulators ---===//

inline At m8C(unsigned g, unsigned t, unsigned i) { return {g, t * 2 + i}; }
inline At m16C(unsigned g, unsigned t, unsigned i) {
  return {i < 2 ? g : g + 8, t * 2 + (i & 1)};
}

/// The figures of m16n8k16 with .f16: the lane at each place. In A, elements
/// a0 a1 are in the upper left quarter, a2 a3 below it, a4 a5 to its right, a6
/// a7 below that; in B, b0 b1 above and b2 b3 below; in C, c0 c1 above.
inline constexpr unsigned kFigureA[16][16] = {
    {0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3},
    {4, 4, 5, 5, 6, 6, 7, 7, 4, 4, 5, 5, 6, 6, 7, 7},
    {8, 8, 9, 9, 10, 10, 11, 11, 8, 8, 9, 9, 10, 10, 11, 11},
    {12, 12, 13, 13, 14, 14, 15, 15, 12, 12, 13, 13, 14, 14, 15, 15},
    {16, 16, 17, 17, 18, 18, 19, 19, 16, 16, 17, 17, 18, 18, 19, 19},
    {20, 20, 21, 21, 22, 22, 23, 23, 20, 20, 21, 21, 22, 22, 23, 23},
    {24, 24, 25, 25, 26, 26, 27, 27, 24, 24, 25, 25, 26, 26, 27, 27},
    {28, 28, 29, 29, 30, 30, 31, 31, 28, 28, 29, 29, 30, 30, 31, 31},
    {0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3},
    {4, 4, 5, 5, 6, 6, 7, 7, 4, 4, 5, 5, 6, 6, 7, 7},
    {8, 8, 9, 9, 10, 10, 11, 11, 8, 8, 9, 9, 10, 10, 11, 11},
    {12, 12, 13, 13, 14, 14, 15, 15, 12, 12, 13, 13, 14, 14, 15, 15},
    {16, 16, 17, 17, 18, 18, 19, 19, 16, 16, 17, 17, 18, 18, 19, 19},
    {20, 20, 21, 21, 22, 22, 23, 23, 20, 20, 21, 21, 22, 22, 23, 23},
    {24, 24, 25, 25, 26, 26, 27, 27, 24, 24, 25, 25, 26, 26, 27, 27},
    {28, 28, 29, 29, 30, 30, 31, 31, 28, 28, 29, 29, 30, 30, 31, 31}};

/// The upper half of B; the lower half, rows 8 to 15, has the same lanes.
inline constexpr unsigned kFigureB[8][8] = {
    {0, 4, 8, 12, 16, 20, 24, 28},  {0, 4, 8, 12, 16, 20, 24, 28},
    {1, 5, 9, 13, 17, 21, 25, 29},  {1, 5, 9, 13, 17, 21, 25, 29},
    {2, 6, 10, 14, 18, 22, 26, 30}, {2, 6, 10, 14, 18, 22, 26, 30},
    {3, 7, 11, 15, 19, 23, 27, 31}, {3, 7, 11, 15, 19, 23, 27, 31}};

/// An 8 x 8 matrix of 16-bit elements as ldmatrix spreads it over the lanes,
/// which is also the upper half of C.
inline constexpr unsigned kFigureRows[8][8] = {
    {0, 0, 1, 1, 2, 2, 3, 3},         {4, 4, 5, 5, 6, 6, 7, 7},
    {8, 8, 9, 9, 10, 10, 11, 11},     {12, 12, 13, 13, 14, 14, 15, 15},
    {16, 16, 17, 17, 18, 18, 19, 19}, {20, 20, 21, 21, 22, 22, 23, 23},
    {24, 24, 25, 25, 26, 26, 27, 27}, {28, 28, 29, 29, 30, 30, 31, 31}};

} // namespace attn::ptx::test

#endif // ATTN_UNITTESTS_PTXSIM_MATRIX_FRAGMENTTABLES_H
