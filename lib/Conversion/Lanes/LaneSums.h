//===- LaneSums.h - Sums and maxima across lanes ----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_LANES_LANESUMS_H
#define ATTN_LIB_CONVERSION_LANES_LANESUMS_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace attn {

/// One vector whose lane i is the sum over the lanes of vector i of n vectors
/// of n lanes, n a power of two of at least 4 (2 for f64): a tree that adds
/// while it transposes, with half the shuffles of a transpose. It may be cut:
/// of fewer vectors, m, a power of two, what comes back holds m sums, each in
/// n / m parts, and n / m such vectors are what it goes on from with `held` m.
mlir::Value emitLaneSums(mlir::OpBuilder &builder, mlir::Location loc,
                         llvm::ArrayRef<mlir::Value> vectors, int64_t held = 1);

/// What `combine` makes of several values, as a tree of fixed shape, so that
/// they do not wait for each other: the second half joins the first.
mlir::Value
emitTree(llvm::SmallVector<mlir::Value> values,
         llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);

/// A vector whose lanes all hold the reduction of the lanes of `vector`, as a
/// tree of fixed shape.
mlir::Value
emitAllLanes(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value vector,
             llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);

/// A scalar of all lanes of several vectors: first the vectors, then the lanes.
mlir::Value
emitReduced(mlir::OpBuilder &builder, mlir::Location loc,
            llvm::SmallVector<mlir::Value> vectors,
            llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_LANES_LANESUMS_H
