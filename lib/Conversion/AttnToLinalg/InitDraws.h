//===- InitDraws.h - Random numbers by position -----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_ATTNTOLINALG_INITDRAWS_H
#define ATTN_LIB_CONVERSION_ATTNTOLINALG_INITDRAWS_H

#include "mlir/IR/Builders.h"

namespace attn {

/// (k + 1/2) / 2^52 in (0, 1), with k the upper 52 of the first 64 bits that
/// Philox 4x32-10 makes of the counter `position` and the key `seed`. All are
/// i64 or f64 scalars.
mlir::Value emitUniform(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value seed, mlir::Value position);

/// The z with 2 Phi(z) - 1 = x, for an x inside (-1, 1).
mlir::Value emitNormalQuantile(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value x);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ATTNTOLINALG_INITDRAWS_H
