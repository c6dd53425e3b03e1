//===- SharedMatrix.h - A or B of a wgmma in shared memory ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_MATRIX_SHAREDMATRIX_H
#define ATTN_LIB_PTXSIM_MATRIX_SHAREDMATRIX_H

#include "PTXSim/Async/Engine.h"
#include "PTXSim/IR/Module.h"

namespace attn::ptx {

/// Rows of A, or columns of B, that an instruction reads. The warps of a
/// warpgroup share B: the first that comes to the instruction finds out what
/// it covers and reads it, the others only check that they may.
struct SharedMatrix {
  char name = 'B';
  ir::Type type = ir::Type::F16;
  bool kMajor = true;
  uint32_t first = 0, rows = 0; ///< Rows of A or columns of B.
  uint32_t allRows = 0;         ///< Of the whole warpgroup's matrix.
  uint32_t k = 0;

  std::vector<uint32_t> pieces = {}; ///< Offsets of 16 bytes in the CTA.
  std::vector<ByteRange> ranges = {};
  std::vector<AccessRecord> writers = {}; ///< Of the bytes.
  std::vector<float> elements = {}; ///< Once read: [rows][k], or [k][rows].

  /// Takes the descriptor; the ranges are added to the operation's reads.
  /// False, after a finding: it is not legal or leads outside.
  bool open(Exec &x, const Inst &inst, uint64_t descriptor, Operation &op);
  /// What the other warps check. False as before.
  bool check(Exec &x, const Inst &inst) const;
  /// Reads the elements unless that has happened.
  void read(const uint8_t *shared);

private:
  void addRanges(uint32_t rank);
  void checkSwizzle(Exec &x, const Inst &inst, uint8_t width) const;
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_MATRIX_SHAREDMATRIX_H
