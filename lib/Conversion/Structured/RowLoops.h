//===- RowLoops.h - How loops over rows are known ---------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_STRUCTURED_ROWLOOPS_H
#define ATTN_LIB_CONVERSION_STRUCTURED_ROWLOOPS_H

#include "llvm/ADT/StringRef.h"

namespace attn {

/// Marks a parallel loop of which each iteration is one row: too little for a
/// work item. attn-group-rows takes it off.
constexpr llvm::StringLiteral kRowLoopAttr = "attn.rows";

} // namespace attn

#endif // ATTN_LIB_CONVERSION_STRUCTURED_ROWLOOPS_H
