//===- DecomposeStatistics.cpp - Statistics as reductions -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/ElementOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attn {
namespace {

/// Builds structured ops over the input's dimensions, or over those that are
/// kept.
class StatisticsEmitter {
public:
  StatisticsEmitter(OpBuilder &builder, StatisticsOp op)
      : builder(builder), loc(op.getLoc()), op(op) {
    rank = op.getInput().getType().getRank();
    for (int64_t dim = 0; dim < rank; ++dim)
      if (!op.isReduced(dim))
        kept.push_back(builder.getAffineDimExpr(dim));
  }

  Value real(double value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF64FloatAttr(value));
  }
  /// The number of elements that one result describes.
  Value count();
  /// A tensor of the output's shape, filled with 0.
  Value zeros(Type element);

  using Body = function_ref<SmallVector<Value>(OpBuilder &, ValueRange)>;
  /// Sums (or whatever `body` does) over the input, with `rows` at hand. The
  /// body's arguments are the input's element, those of `rows` and the results
  /// so far.
  ValueRange reduce(ValueRange rows, ValueRange inits, Body body);
  /// One value per result, rounded into the op's output.
  Value finish(ValueRange rows, Body body);

  /// The element as an f64.
  static Value widen(OpBuilder &builder, Location loc, Value x) {
    if (x.getType().isF64())
      return x;
    return arith::ExtFOp::create(builder, loc, builder.getF64Type(), x);
  }

private:
  OpBuilder &builder;
  Location loc;
  StatisticsOp op;
  int64_t rank;
  SmallVector<AffineExpr> kept;
};

Value StatisticsEmitter::count() {
  Value product = real(1.0);
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (!op.isReduced(dim))
      continue;
    Value size = tensor::DimOp::create(builder, loc, op.getInput(), dim);
    size = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), size);
    size = arith::SIToFPOp::create(builder, loc, builder.getF64Type(), size);
    product = arith::MulFOp::create(builder, loc, product, size);
  }
  return product;
}

Value StatisticsEmitter::zeros(Type element) {
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, op.getOutput()),
      element);
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getFloatAttr(element, 0.0));
  return linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
}

ValueRange StatisticsEmitter::reduce(ValueRange rows, ValueRange inits,
                                     Body body) {
  AffineMap onKept = AffineMap::get(rank, 0, kept, builder.getContext());
  SmallVector<AffineMap> maps = {builder.getMultiDimIdentityMap(rank)};
  maps.append(rows.size() + inits.size(), onKept);
  SmallVector<utils::IteratorType> loops;
  for (int64_t dim = 0; dim < rank; ++dim)
    loops.push_back(op.isReduced(dim) ? utils::IteratorType::reduction
                                      : utils::IteratorType::parallel);
  SmallVector<Value> inputs = {op.getInput()};
  llvm::append_range(inputs, rows);
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange(inits), inputs, inits, maps, loops,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(builder, loc, body(builder, arguments));
      });
  return generic.getResults();
}

Value StatisticsEmitter::finish(ValueRange rows, Body body) {
  int64_t keptRank = kept.size();
  SmallVector<AffineMap> maps(rows.size() + 1,
                              builder.getMultiDimIdentityMap(keptRank));
  SmallVector<utils::IteratorType> loops(keptRank,
                                         utils::IteratorType::parallel);
  Type element = op.getOutput().getType().getElementType();
  auto generic = linalg::GenericOp::create(
      builder, loc, op.getOutput().getType(), rows, op.getOutput(), maps, loops,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        Value result = body(builder, arguments)[0];
        unsigned from = result.getType().getIntOrFloatBitWidth();
        if (from > element.getIntOrFloatBitWidth())
          result = arith::TruncFOp::create(builder, loc, element, result);
        else if (from < element.getIntOrFloatBitWidth())
          result = arith::ExtFOp::create(builder, loc, element, result);
        linalg::YieldOp::create(builder, loc, result);
      });
  return generic.getResult(0);
}

Value emitInfinityNorm(OpBuilder &builder, StatisticsOp op) {
  Location loc = op.getLoc();
  StatisticsEmitter e(builder, op);
  // A maximum is exact, in f32 also that of narrower elements.
  Type element = op.getInput().getType().getElementType();
  Type wide = element.isF64() ? element : builder.getF32Type();
  Value largest = e.reduce(
      {}, e.zeros(wide), [&](OpBuilder &builder, ValueRange arguments) {
        Value x = arguments[0];
        if (x.getType() != wide)
          x = arith::ExtFOp::create(builder, loc, wide, x);
        Value magnitude = math::AbsFOp::create(builder, loc, x);
        return SmallVector<Value>{
            arith::MaximumFOp::create(builder, loc, arguments[1], magnitude)};
      })[0];
  return e.finish(largest, [](OpBuilder &, ValueRange arguments) {
    return SmallVector<Value>{arguments[0]};
  });
}

Value emitKurtosis(OpBuilder &builder, StatisticsOp op) {
  Location loc = op.getLoc();
  StatisticsEmitter e(builder, op);
  Type f64 = builder.getF64Type();
  Value count = e.count();
  Value sum =
      e.reduce({}, e.zeros(f64), [&](OpBuilder &builder, ValueRange arguments) {
        Value x = e.widen(builder, loc, arguments[0]);
        return SmallVector<Value>{
            arith::AddFOp::create(builder, loc, arguments[1], x)};
      })[0];
  // The sums of (x - mu)^2 and (x - mu)^4.
  ValueRange powers = e.reduce(
      sum, {e.zeros(f64), e.zeros(f64)},
      [&](OpBuilder &builder, ValueRange arguments) {
        Value x = e.widen(builder, loc, arguments[0]);
        Value mean = arith::DivFOp::create(builder, loc, arguments[1], count);
        Value difference = arith::SubFOp::create(builder, loc, x, mean);
        Value square =
            arith::MulFOp::create(builder, loc, difference, difference);
        Value fourth = arith::MulFOp::create(builder, loc, square, square);
        return SmallVector<Value>{
            arith::AddFOp::create(builder, loc, arguments[2], square),
            arith::AddFOp::create(builder, loc, arguments[3], fourth)};
      });
  return e.finish(powers, [&](OpBuilder &builder, ValueRange arguments) {
    Value variance = arith::DivFOp::create(builder, loc, arguments[0], count);
    Value fourth = arith::DivFOp::create(builder, loc, arguments[1], count);
    Value square = arith::MulFOp::create(builder, loc, variance, variance);
    return SmallVector<Value>{
        arith::DivFOp::create(builder, loc, fourth, square)};
  });
}

} // namespace

LogicalResult decomposeStatistics(RewriterBase &rewriter, StatisticsOp op) {
  rewriter.setInsertionPoint(op);
  Value result = op.getMeasure() == Measure::Kurtosis
                     ? emitKurtosis(rewriter, op)
                     : emitInfinityNorm(rewriter, op);
  rewriter.replaceOp(op, result);
  return success();
}

} // namespace attn
