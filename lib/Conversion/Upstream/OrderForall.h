//===- OrderForall.h - Parallel loops whose writes may meet -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_UPSTREAM_ORDERFORALL_H
#define ATTN_LIB_CONVERSION_UPSTREAM_ORDERFORALL_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace attn {

/// Whether no two threads write the same place: each result has one write, and
/// for each induction variable a dimension whose offset is that variable times
/// at least the extent of the slice, plus what all threads share.
bool writesApart(mlir::scf::ForallOp loop);

/// Makes it a nest of scf.for, in whose order the last write stays. What the
/// body reads of a result is what was there before the loop, as it was.
void orderThreads(mlir::IRRewriter &rewriter, mlir::scf::ForallOp loop);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_UPSTREAM_ORDERFORALL_H
