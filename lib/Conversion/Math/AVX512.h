//===- AVX512.h - Instructions without an op of their own -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of LLVM's intrinsics on vectors of 512 bits, f32 unless said otherwise,
// for targets that have AVX-512 F and DQ, or what else is said. Each is one
// instruction.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_MATH_AVX512_H
#define ATTN_LIB_CONVERSION_MATH_AVX512_H

#include "mlir/IR/Builders.h"

namespace attn::avx512 {

/// x - floor(x), of f32 or f64; raises no flag.
mlir::Value emitFraction(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value x);
/// x less the nearest multiple of 2^-bits, with ties to even.
mlir::Value emitRest(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x, unsigned bits);
/// x 2^floor(y), of f32 or f64.
mlir::Value emitScale(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value x, mlir::Value y);
/// -min(|x|, |bound|); -|bound| where x is NaN.
mlir::Value emitMinusMagnitude(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value x, mlir::Value bound);
/// The number of 32 that the low five bits of each lane of `index`, i32, count
/// to; `low` has the first sixteen of them.
mlir::Value emitLookUp(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value index, mlir::Value low, mlir::Value high);

/// Two vectors of f32 as bf16, to nearest even, `low` first, for AVX512-BF16.
/// Denormal numbers become 0, and a NaN stays one.
mlir::Value emitRoundedToBF16(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value low, mlir::Value high);
/// sum + x0 y0 + x1 y1 of the pairs in two vectors of bf16, for AVX512-BF16.
/// Both products are added with one rounding each, x1 y1 first; denormal
/// numbers count as 0, whatever the mode.
mlir::Value emitDotBF16(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value sum, mlir::Value x, mlir::Value y);

} // namespace attn::avx512

#endif // ATTN_LIB_CONVERSION_MATH_AVX512_H
