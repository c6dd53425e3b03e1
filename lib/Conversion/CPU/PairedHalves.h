//===- PairedHalves.h - bf16 rows, two numbers a word -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CPU_PAIREDHALVES_H
#define ATTN_LIB_CONVERSION_CPU_PAIREDHALVES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attn {

/// Whether the body of an elementwise op widens each bf16 number of a row to
/// f32 and rounds what it yields, so that no lane needs to know its place.
/// `lanes` are in a vector of pairs; shorter rows are not worth one.
bool canPairHalves(mlir::linalg::GenericOp op, int64_t lanes);

/// The numbers of a vector of bf16 as f32, first those at even places and then
/// those at odd ones.
mlir::Value unpackHalves(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value halves);
/// Rounds a vector of f32 in that order to bf16 and puts it into memory's
/// order.
mlir::Value packHalves(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value wide);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CPU_PAIREDHALVES_H
