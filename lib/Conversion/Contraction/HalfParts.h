//===- HalfParts.h - Numbers of f16 as two of bf16 --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first part of a number of f16 is its upper 8 bits, and the second one has
// the 3 others. Sums of products with infinity are to be what they are without
// parts. So a second part has the first one's sign, and is 0 only where that
// is: where no bits are left, it is the smallest number that the unit takes.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CONTRACTION_HALFPARTS_H
#define ATTN_LIB_CONVERSION_CONTRACTION_HALFPARTS_H

#include "mlir/IR/Builders.h"

namespace attn {

/// Of the numbers that are no denormal ones, which the unit takes as 0.
constexpr float kSmallest = 0x1p-126f;

/// What follows the upper half of `number`, f32 or a vector of it. Not yet
/// rounded to bf16: a weight has 16 bits more.
mlir::Value emitSecondHalf(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value number);
/// The same of a constant.
float getSecondHalf(float number);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CONTRACTION_HALFPARTS_H
