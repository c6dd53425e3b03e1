//===- Parameters.h - Weights of ops that have no name for them -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An attn op says which of its operands are trained. Of a contraction it is the
// matrix that attn-raise-linear would take for a weight, of an elementwise op
// the argument that has one number for each column, and is added or multiplied,
// and the factor of a ReZero branch. A model has the same parameters before and
// after it is raised, expanded or fused.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_ANALYSIS_PARAMETERS_H
#define ATTN_LIB_ANALYSIS_PARAMETERS_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

/// The tensor that a weight is a view of: casts, slices, reshapes, transposes
/// and repetitions do not make another one.
mlir::Value findRoot(mlir::Value tensor);

/// Whether what `op` computes goes through a softmax into a product.
bool isScore(mlir::Operation *op);

/// Whether a value comes out of a softmax, element by element.
bool isWeights(mlir::Value value);

/// The tables of more than one row that the body of `op` looks up: an index is
/// read from a tensor.
llvm::SmallVector<mlir::Value> findTables(mlir::Operation *op);

/// Appends what `op`, of linalg or arith, or the epilogue of a layer, reads as
/// a parameter: roots of operands, or arguments that are numbers.
void collectParameters(mlir::Operation *op,
                       llvm::SmallVectorImpl<mlir::Value> &parameters);

} // namespace attn

#endif // ATTN_LIB_ANALYSIS_PARAMETERS_H
