//===- Weights.cpp - The exponential of the softmax -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Weights.h"

#include "attn/Conversion/ExpandMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

/// Relative minimax of 2^r on [0, 1) among polynomials that are 1 at 0. Error
/// before rounding: 8.3e-8.
static constexpr double weightCoefficients[] = {1.0,
                                                0.693151311805,
                                                0.240164450155,
                                                0.0557999131037,
                                                0.00901703032245,
                                                0.00186713006987};

/// An AVX-512 intrinsic `name` of x and `second` on all 16 lanes, in the
/// current rounding mode.
static Value emitIntrinsic(OpBuilder &builder, Location loc, StringRef name,
                           Value x, Value second) {
  constexpr int64_t currentDirection = 4;
  Value everyLane =
      LLVM::ConstantOp::create(builder, loc, builder.getI16IntegerAttr(-1));
  Value rounding = LLVM::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(currentDirection));
  return LLVM::CallIntrinsicOp::create(
             builder, loc, x.getType(), builder.getStringAttr(name),
             ValueRange{x, second, x, everyLane, rounding})
      .getResult(0);
}

Value attn::emitWeight(OpBuilder &builder, Location loc, Value x,
                       const TargetDescription &target) {
  auto type = cast<VectorType>(x.getType());
  bool fits = type.getElementType().isF32() && type.getNumElements() == 16;
  if (!target.hasAVX512 || !fits)
    return emitExp2(builder, loc, x);
  auto constant = [&](double value) -> Value {
    auto scalar = builder.getF32FloatAttr(value);
    return arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(type, Attribute(scalar)));
  };
  // The fraction is x - floor(x), which raises no flag; scalef takes the floor
  // of x itself.
  constexpr int64_t quietFloor = 9;
  Value mode = LLVM::ConstantOp::create(builder, loc,
                                        builder.getI32IntegerAttr(quietFloor));
  Value fraction = emitIntrinsic(builder, loc,
                                 "llvm.x86.avx512.mask.reduce.ps.512", x, mode);
  Value power = constant(weightCoefficients[5]);
  for (int i = 4; i >= 0; --i)
    power = vector::FMAOp::create(builder, loc, power, fraction,
                                  constant(weightCoefficients[i]));
  return emitIntrinsic(builder, loc, "llvm.x86.avx512.mask.scalef.ps.512",
                       power, x);
}
