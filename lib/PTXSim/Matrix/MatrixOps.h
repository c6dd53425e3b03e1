//===- MatrixOps.h - The families of matrix instructions --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_MATRIX_MATRIXOPS_H
#define ATTN_LIB_PTXSIM_MATRIX_MATRIXOPS_H

#include "PTXSim/Exec/OpTable.h"

namespace attn::ptx {

/// wgmma: products of a warpgroup, and their fence, commit and wait.
void registerWgmmaOps(OpTable &table);

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_MATRIX_MATRIXOPS_H
