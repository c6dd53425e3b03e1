//===- IndexingMaps.h - Maps that no positions follow from ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_INDEXINGMAPS_H
#define ATTN_DIALECT_ATTN_IR_INDEXINGMAPS_H

#include "mlir/IR/AffineMap.h"

namespace attn {

/// The divisors of floordiv, ceildiv and mod in a map, constants or not.
llvm::SmallVector<mlir::AffineExpr> getDivisors(mlir::AffineMap map);

/// What is wrong with the indexing map of a structured op: constant divisors
/// below 1, and constants of 2^31 and more, whose products with an index could
/// wrap. Empty for others.
llvm::StringRef findIndexingFault(mlir::AffineMap map);

} // namespace attn

#endif // ATTN_DIALECT_ATTN_IR_INDEXINGMAPS_H
