//===- Chains.h - Why what is left was not raised ---------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Left-over ops that feed one another are one chain: a remark that one of them
// has holds for all.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_RAISED_CHAINS_H
#define ATTN_LIB_RAISED_CHAINS_H

#include "Rows.h"
#include "attn/Raised/RaiseReport.h"

namespace attn {

/// The chain of each row, by its position: a number, which rows of one chain
/// share; none for raised ops, but for those that are one step of a longer
/// spelling (a softmax, an activation).
std::vector<std::optional<size_t>> findChains(llvm::ArrayRef<RaisedRow> rows);

/// Why a row is left, or what else was said of it.
struct RowReasons {
  /// Of the row itself.
  std::vector<GivenRemark> own;
  /// Of the row's chain, the first of what says most; none for raised ops.
  std::optional<GivenRemark> why;
};

/// For each row, by its position. What raised ops lack is in `remarks`.
std::vector<RowReasons> findReasons(llvm::ArrayRef<RaisedRow> rows,
                                    llvm::ArrayRef<GivenRemark> remarks);

} // namespace attn

#endif // ATTN_LIB_RAISED_CHAINS_H
