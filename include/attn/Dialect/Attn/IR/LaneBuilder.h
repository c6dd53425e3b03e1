//===- LaneBuilder.h - Arithmetic on a scalar or on lanes -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_LANEBUILDER_H
#define ATTN_DIALECT_ATTN_IR_LANEBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace attn {

/// What a machine's lanes are good at. The defaults are those of processors.
struct LaneOptions {
  /// Scalar ints are i32, as those of vectors are.
  bool narrowInts = false;
  /// Float maxima and minima are arith.maxnumf and minnumf, where a comparison
  /// and a selection are two instructions. A NaN loses on both sides.
  bool numericExtrema = false;
};

/// Builds elementwise arithmetic that is either scalar or on 1-D vectors, so
/// that a policy is written once for linalg bodies, CPU vectors and GPU
/// fragments. Floats are f32 or f64; ints are `index` as scalars, or i32 where
/// the options say so, and i32 as vectors (positions fit: sizes are checked to
/// be below 2^31 at the entry); booleans are i1.
class LaneBuilder {
public:
  /// `lanes` is 0 for scalars.
  LaneBuilder(mlir::OpBuilder &builder, mlir::Location loc,
              mlir::FloatType floatType, int64_t lanes = 0,
              LaneOptions options = {});

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }
  int64_t getLanes() const { return lanes; }
  bool isVector() const { return lanes != 0; }
  mlir::FloatType getElementType() const { return element; }
  mlir::Type getFloatType() const;
  mlir::Type getIntType() const;
  mlir::Type getBoolType() const;

  /// Constants of the builder's types.
  mlir::Value constant(double value);
  mlir::Value integer(int64_t value);
  mlir::Value boolean(bool value);
  /// A scalar of type index (also in vector builders).
  mlir::Value index(int64_t value);

  /// Spreads a scalar (float of any width, index, integer or i1) over the
  /// lanes and converts it to the builder's float, int or bool type.
  mlir::Value toFloatLanes(mlir::Value scalar);
  mlir::Value toIntLanes(mlir::Value scalar);
  mlir::Value toBoolLanes(mlir::Value scalar);
  /// 0, 1, 2, ... over the lanes (0 for a scalar).
  mlir::Value iota();
  /// Converts ints of the builder to floats.
  mlir::Value intToFloat(mlir::Value ints);

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  /// a * b + c with one rounding.
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);
  /// a * factor for a factor of at least 1. A finite `a` stays finite: one that
  /// overflows downwards is kept as it is.
  mlir::Value mulFinite(mlir::Value a, double factor);
  mlir::Value neg(mlir::Value a);
  mlir::Value abs(mlir::Value a);
  /// Float maximum and minimum that return `b` when `a` is NaN (one machine
  /// instruction), or integer maximum and minimum.
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value sqrt(mlir::Value a);
  mlir::Value exp(mlir::Value a);
  mlir::Value exp2(mlir::Value a);
  mlir::Value log(mlir::Value a);
  mlir::Value log2(mlir::Value a);
  mlir::Value tanh(mlir::Value a);

  mlir::Value cmp(mlir::arith::CmpFPredicate predicate, mlir::Value a,
                  mlir::Value b);
  mlir::Value cmp(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                  mlir::Value b);
  mlir::Value bitAnd(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);

  /// The elementwise ops of a block without captures, for these arguments;
  /// returns what its terminator is given.
  mlir::Value cloneBody(mlir::Block &body, mlir::ValueRange arguments);

private:
  mlir::Type lanesOf(mlir::Type element) const;
  mlir::Value splat(mlir::Value scalar);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::FloatType element;
  int64_t lanes;
  LaneOptions options;
};

} // namespace attn

#endif // ATTN_DIALECT_ATTN_IR_LANEBUILDER_H
