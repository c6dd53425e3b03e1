//===- Wgmma.h - The arithmetic of wgmma ------------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One warp's share of a warpgroup's product: 16 of the 64 rows. Everything
// here works on plain arrays; WgmmaOps.cpp brings them in from registers and
// shared memory and back.
//
// Numerics. Elements become float exactly and so do their products (bf16's
// may overflow or underflow). The k products of one instruction are summed in
// float in ascending k, the sum is added to D with one more rounding to D's
// type. A GPU adds all of them to D at once with a few bits less care, so
// results agree to about k units in the last place of the largest addend, and
// exactly for integers below 2^24. Sums of 8-bit integers are exact here too:
// 32 products of less than 2^16. NaN results are the canonical one.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_MATRIX_WGMMA_H
#define ATTN_LIB_PTXSIM_MATRIX_WGMMA_H

#include "PTXSim/Matrix/MatrixDescriptor.h"
#include "PTXSim/Matrix/WgmmaShape.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace attn::ptx {

/// The shared addresses of the 16-byte pieces of `rows` rows of A (columns of
/// B) from `first` on, all k of one instruction. K-major: two pieces a row.
/// Else the rows' pieces of k = 0, then those of k = 1, and so on.
std::vector<uint32_t> operandPieces(const MatrixDescriptor &descriptor,
                                    bool kMajor, uint32_t first, uint32_t rows);

/// Elements of A or B as numbers.
void decodeElements(ir::Type type, const uint8_t *from, size_t count,
                    float *to);

/// The contents of the pieces, one after the other, as the matrix [rows][k].
std::vector<float> decodeRows(ir::Type type, bool kMajor, uint32_t rows,
                              uint32_t k, llvm::ArrayRef<uint8_t> pieces);
/// ... as its transpose [k][rows].
std::vector<float> decodeColumns(ir::Type type, bool kMajor, uint32_t rows,
                                 uint32_t k, llvm::ArrayRef<uint8_t> pieces);
/// A [16][k] from the four registers of each lane.
std::vector<float> decodeFragment(ir::Type type, uint32_t k,
                                  const uint32_t *const registers[4]);

/// sums[16][n] = a[16][k] b[k][n], the signs of the shape applied.
std::vector<float> multiply(const WgmmaShape &shape, llvm::ArrayRef<float> a,
                            llvm::ArrayRef<float> b);

/// D = sums + D, or just the sums. `registers[i]` are the 32 lanes' values of
/// the i-th register of D.
void accumulate(const WgmmaShape &shape, llvm::ArrayRef<float> sums, bool add,
                llvm::ArrayRef<uint32_t *> registers);

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_MATRIX_WGMMA_H
