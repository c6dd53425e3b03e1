//===- PadStates.h - Rows of states apart from each other -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_PADSTATES_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_PADSTATES_H

#include "mlir/IR/Operation.h"

namespace attn {

/// Gives the packed queries and outputs that the tile unit reads within `root`,
/// which are on memrefs, rows that do not share the sets of the L1 cache.
void padStates(mlir::Operation *root);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_PADSTATES_H
