//===- MatrixOps.h - The families of matrix instructions --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_MATRIX_MATRIXOPS_H
#define ATTN_LIB_PTXSIM_MATRIX_MATRIXOPS_H

#include "PTXSim/Exec/Exec.h"
#include "PTXSim/Exec/OpTable.h"

namespace attn::ptx {

/// ldmatrix, stmatrix and movmatrix.
void registerFragmentOps(OpTable &table);
/// mma.sync
void registerMmaOps(OpTable &table);
/// wgmma: products of a warpgroup, and their fence, commit and wait.
void registerWgmmaOps(OpTable &table);

/// Instructions on fragments need all 32 lanes, not only those that are left.
/// False: a finding was reported.
bool requireWholeWarp(Exec &x, const Inst &inst);

/// Whether the module is compiled for at least sm_`architecture`; otherwise
/// the instruction is refused.
bool requireTarget(Decoder &d, unsigned architecture);

/// The registers of a vector operand, or of a single one. False: their number
/// is not `count`, and the instruction was refused.
bool registersOf(Decoder &d, const ir::Operand &operand, unsigned count,
                 ir::Type type, bool isSource,
                 llvm::SmallVectorImpl<Opnd> &out);

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_MATRIX_MATRIXOPS_H
