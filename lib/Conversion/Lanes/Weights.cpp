//===- Weights.cpp - The exponential of the softmax -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Weights.h"

#include "../Math/AVX512.h"
#include "../Math/FloatEmitter.h"
#include "attn/Conversion/Math/ExpandMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cmath>

using namespace mlir;
using namespace attn;

/// Relative minimax of 2^r on [0, 1) among polynomials that are 1 at 0. Errors
/// before rounding: 8.6e-5 (a 20th of what rounding to bf16 takes), 2.9e-6 (an
/// 80th of what it takes to f16), 8.3e-8 and 1.8e-17.
static constexpr double coefficientsBF16[] = {
    1.0, 0.6951167872089681, 0.2276449876677335, 0.07706704524175521};
static constexpr double coefficientsF16[] = {
    1.0, 0.6930448448211494, 0.24128020539892248, 0.05224247284000355,
    0.013426685132834293};
static constexpr double coefficientsF32[] = {1.0,
                                             0.693151311805,
                                             0.240164450155,
                                             0.0557999131037,
                                             0.00901703032245,
                                             0.00186713006987};
static constexpr double coefficientsF64[] = {1.0,
                                             0.693147180559946,
                                             0.2402265069590633,
                                             0.05550410866560226,
                                             0.00961812909955076,
                                             0.001333355862956859,
                                             0.00015403512309571384,
                                             1.5253175056694234e-05,
                                             1.3208367274744745e-06,
                                             1.0253212545571002e-07,
                                             6.559528845952509e-09,
                                             6.263467031152499e-10};

static bool hasInstructions(VectorType type, const TargetDescription &target) {
  return target.hasAVX512 &&
         type.getNumElements() * type.getElementTypeBitWidth() == 512;
}

Value attn::emitWeight(OpBuilder &builder, Location loc, Value x,
                       const TargetDescription &target, FloatType rounded,
                       bool isCut) {
  auto type = cast<VectorType>(x.getType());
  auto element = cast<FloatType>(type.getElementType());
  if (!hasInstructions(type, target)) {
    // A sum in f64 notices weights that one in f32 does not.
    Exp2Options options;
    options.flushBelow = element.isF64() ? -512.0 : -64.0;
    return emitExp2(builder, loc, x, options);
  }
  auto constant = [&](double value) -> Value {
    auto scalar = builder.getFloatAttr(element, value);
    return arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(type, Attribute(scalar)));
  };
  Value fraction = avx512::emitFraction(builder, loc, x);
  ArrayRef<double> coefficients = coefficientsF32;
  if (element.isF64())
    coefficients = coefficientsF64;
  else if (rounded)
    coefficients = rounded.isF16() ? ArrayRef(coefficientsF16)
                                   : ArrayRef(coefficientsBF16);
  // The power is in [1, 2), where all numbers of a type have one unit.
  double shift = 0.0;
  if (isCut)
    shift = std::ldexp(
        1.0, -int(APFloat::semanticsPrecision(rounded.getFloatSemantics())));
  Value power = constant(coefficients.back());
  for (auto [i, coefficient] :
       llvm::enumerate(llvm::reverse(coefficients.drop_back())))
    power = vector::FMAOp::create(builder, loc, power, fraction,
                                  constant(i + 2 == coefficients.size()
                                               ? coefficient + shift
                                               : coefficient));
  return avx512::emitScale(builder, loc, power, x);
}

Value attn::emitOutputWeight(LaneBuilder &lanes, Value x) {
  Exp2Options options;
  options.flushBelow = lanes.getElementType().isF64() ? -1022.0 : -126.0;
  return emitExp2(lanes.getBuilder(), lanes.getLoc(), x, options);
}

Value attn::emitNaturalWeight(LaneBuilder &lanes, Value x,
                              const TargetDescription &target) {
  auto type = dyn_cast<VectorType>(x.getType());
  if (!type || !hasInstructions(type, target))
    return lanes.exp(x);
  OpBuilder &builder = lanes.getBuilder();
  Location loc = lanes.getLoc();
  FloatEmitter e(builder, loc, type);
  // Far below every number, but finite: the remainder of -inf would be NaN.
  Value low = e.constant(e.isDouble() ? -800.0 : -110.0);
  x = e.select(e.compare(arith::CmpFPredicate::OGT, low, x), low, x);
  ExpRemainder rest = emitExpRemainder(e, x);
  SmallVector<double> coefficients = {1.0, 1.0};
  llvm::append_range(coefficients, getExpCoefficients(e.isDouble()));
  Value power = e.polynomial(rest.r, coefficients);
  Value n = e.subExact(rest.biased, e.constant(getRoundingMagic(e)));
  return avx512::emitScale(builder, loc, power, n);
}
