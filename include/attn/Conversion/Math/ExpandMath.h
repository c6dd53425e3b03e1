//===- ExpandMath.h - Exponentials and logarithms as arithmetic -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions here emit arith and math.sqrt-class ops only, never a call.
// `x` is f32 or f64 or a vector of them; the result has the type of `x`.
// Results below the smallest normal number are zero, and so are such inputs.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_MATH_EXPANDMATH_H
#define ATTN_CONVERSION_MATH_EXPANDMATH_H

#include "attn/Target/TargetDescription.h"
#include "mlir/IR/Builders.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace attn {

/// What an exponential has to cope with; each answer saves instructions.
struct Exp2Options {
  /// Degree of the f32 polynomial, 3 to 6. Largest relative errors before
  /// rounding: 1.1e-4, 2.9e-6, 9.2e-8, 2.0e-9. f64 always uses degree 13.
  unsigned degree = 5;
  /// Results for x below this are exactly 0. At least -126 for f32 and -1022
  /// for f64. -64 keeps the products p * v of attention away from denormals.
  double flushBelow = -64.0;
  /// False promises that x < 128 (f32) or x < 1024 (f64). Otherwise larger x
  /// give +inf.
  bool mayOverflow = false;
};

/// 2^x. NaN gives NaN, -inf gives 0. Error with degree 5: at most 2.5 ulp, with
/// degree 6: at most 1.1 ulp.
mlir::Value emitExp2(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x, const Exp2Options &options = {});

/// e^x, at most 1.1 ulp, over the full range.
mlir::Value emitExp(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value x);
/// base^x for a finite base above 0 other than 1, at most 1.3 ulp, over the
/// full range.
mlir::Value emitPower(mlir::OpBuilder &builder, mlir::Location loc, double base,
                      mlir::Value x);
/// e^x - 1, at most 2 ulp, accurate near 0 as well.
mlir::Value emitExpM1(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value x);
/// Hyperbolic tangent, at most 3 ulp.
mlir::Value emitTanh(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x);
/// Natural logarithm, at most 1 ulp.
mlir::Value emitLog(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value x);
/// Logarithm to the base 2, at most 2 ulp.
mlir::Value emitLog2(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x);
/// log(1 + x), at most 3 ulp, accurate near 0 as well.
mlir::Value emitLog1P(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value x);
/// log(1 + e^y) for y <= 0, at most 3 ulp.
mlir::Value emitLog1PExp(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value y);
/// 1 + e^y, at most 2 ulp.
mlir::Value emitOnePlusExp(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value y);
/// a / (1 + e^y), at most 5 ulp, also where e^y is too large for a number and
/// the quotient is not too small for one.
mlir::Value emitSigmoidGate(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value a, mlir::Value y);

/// The sine and the cosine of an angle, which is f64, up to about 2^50. At most
/// 2 units of 2^-53. `isFused` promises that the target fuses multiply-adds.
struct SineAndCosine {
  mlir::Value sine, cosine;
};
SineAndCosine emitSineAndCosine(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value angle, bool isFused);

/// Error function, at most 3 ulp.
mlir::Value emitErf(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value x);
/// 1 - erf(x), at most 16 ulp.
mlir::Value emitErfc(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x);
/// x times the normal distribution function, x/2 erfc(-x / sqrt 2). At most 7
/// ulp for positive x, and 7 (1 + x^2/4) ulp for negative x.
mlir::Value emitGelu(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x);

/// The same on a GPU, of f32: at most 8 ulp for positive x, and 8 (1 + x^2/4)
/// ulp for negative x. That of -0 is +0.
mlir::Value emitDeviceGelu(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value x);

/// 2^x and 1 / x of f32 numbers or vectors by a GPU's own instructions, at most
/// 2 and 1 ulp. Denormal numbers are 0; so is 1 / x from 2^126 on.
mlir::Value emitDeviceExp2(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value x);
mlir::Value emitDeviceReciprocal(mlir::OpBuilder &builder, mlir::Location loc,
                                 mlir::Value x);

/// Cube root, at most 2 ulp.
mlir::Value emitCbrt(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x);
/// Inverse hyperbolic sine, cosine and tangent, at most 6 ulp, accurate for
/// small results as well.
mlir::Value emitAsinh(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value x);
mlir::Value emitAcosh(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value x);
mlir::Value emitAtanh(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value x);

/// math.exp, exp2, expm1, log, log2, log1p, tanh, erf, erfc, cbrt, asinh, acosh
/// and atanh on f16, bf16, f32, f64 and vectors of them become the above, and
/// so do powers of a constant base above 0; the two narrow types go through
/// f32.
void populateExpandMathPatterns(mlir::RewritePatternSet &patterns);

/// What else a GPU has no function for: math.sin, cos, tan, sinh, cosh,
/// log10 and powf, by way of f64. Angles are at most about 2^50.
void populateDeviceMathPatterns(mlir::RewritePatternSet &patterns);

/// Products that are gelu, with erf or erfc, become emitGelu where they are f32
/// or narrower. Where the error function is marked `afn` and the target has
/// AVX-512, whole registers of them take two thirds of the instructions and no
/// division: negative results above -1.3e-13 may be 0, and errors are at most
/// 7 (1 + x^4/32) ulp for negative x.
void populateGeluPatterns(mlir::RewritePatternSet &patterns,
                          const TargetDescription &target);

/// log1p(exp(-|x|)), which is softplus for negative x, becomes emitLog1PExp
/// where it is f32.
void populateSoftplusPattern(mlir::RewritePatternSet &patterns);

/// Where the exponential has no other use, 1 + exp(y) becomes emitOnePlusExp if
/// it is f32; a / (1 + exp(y)) and a * (1 / (1 + exp(y))) become
/// emitSigmoidGate, unless they are rounded to f16 or bf16.
void populateOnePlusExpPattern(mlir::RewritePatternSet &patterns);

/// math.isinf, isnormal and clampf become comparisons and selections.
void populatePredicatePatterns(mlir::RewritePatternSet &patterns);

/// The bits of f32 numbers whose upper halves are the bf16 numbers nearest to
/// x; what is below them is to be cut off. A NaN gives a quiet NaN.
mlir::Value emitRoundedToBF16(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value x);
/// f32 and vectors of it to bf16, to nearest even; a NaN gives a quiet NaN.
void populateRoundToBF16Pattern(mlir::RewritePatternSet &patterns);

} // namespace attn

#endif // ATTN_CONVERSION_MATH_EXPANDMATH_H
