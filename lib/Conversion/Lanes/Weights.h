//===- Weights.h - The exponential of the softmax ---------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_LANES_WEIGHTS_H
#define ATTN_LIB_CONVERSION_LANES_WEIGHTS_H

#include "attn/Dialect/Attn/IR/LaneBuilder.h"
#include "attn/Target/TargetDescription.h"
#include "mlir/IR/Builders.h"

namespace attn {

/// 2^x for x <= 0, a vector, with an error of at most 2 ulp; NaN gives NaN and
/// -inf gives 0. AVX-512 has instructions for the two steps around the
/// polynomial, which make it a third shorter than emitExp2; they may return
/// denormals, which kernels flush. A weight that becomes `rounded` afterwards,
/// bf16 or f16, may be less exact; null where it stays what it is. Where
/// `isCut` it has half a unit of that type more, so that it is rounded to
/// nearest, ties up, by cutting its lower bits off.
mlir::Value emitWeight(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value x, const TargetDescription &target,
                       mlir::FloatType rounded = {}, bool isCut = false);

/// 2^x for x <= 0 with results as small as the type allows: a factor of
/// outputs, which may be that small, unlike products p * v.
mlir::Value emitOutputWeight(LaneBuilder &lanes, mlir::Value x);

/// e^x for x <= 0, or hardly above, in the same way.
mlir::Value emitNaturalWeight(LaneBuilder &lanes, mlir::Value x,
                              const TargetDescription &target);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_LANES_WEIGHTS_H
