//===- DecomposeInit.cpp - Initial weights as structured ops --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InitDraws.h"
#include "attn/Conversion/ElementOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>

using namespace mlir;

namespace attn {
namespace {

/// Arithmetic on f64 and i64 numbers.
struct InitEmitter {
  OpBuilder &builder;
  Location loc;

  Value real(double value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF64FloatAttr(value));
  }
  Value add(Value a, Value b) {
    return arith::AddFOp::create(builder, loc, a, b);
  }
  Value mul(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  /// The size of a dimension as an i64.
  Value size(Value tensor, int64_t dim) {
    Value size = tensor::DimOp::create(builder, loc, tensor, dim);
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), size);
  }
  /// The product of some sizes as an f64.
  Value fan(Value tensor, ArrayRef<int64_t> dims) {
    Value product = real(1.0);
    for (int64_t dim : dims)
      product = mul(product,
                    arith::SIToFPOp::create(builder, loc, builder.getF64Type(),
                                            size(tensor, dim)));
    return product;
  }
};

/// The standard deviation.
Value emitDeviation(InitEmitter &e, InitOp op) {
  // c / m, or 2 / (m + n).
  double numerator = 1.0;
  switch (op.getVariance()) {
  case VarianceRule::Constant:
    return e.real(std::sqrt(op.getValue()->convertToDouble()));
  case VarianceRule::Zero:
    return e.real(0.0);
  case VarianceRule::LeCun:
    break;
  case VarianceRule::He:
  case VarianceRule::Xavier:
    numerator = 2.0;
    break;
  case VarianceRule::T5:
    numerator = 1.0 / std::sqrt(double(*op.getHeadDim()));
    break;
  case VarianceRule::Solved:
    numerator = *solveInitVariance(*op.getFunction());
    break;
  }
  Value fan = e.fan(op.getOutput(), op.getFanInDims());
  if (op.getVariance() == VarianceRule::Xavier)
    fan = e.add(fan, e.fan(op.getOutput(), op.getFanOutDims()));
  Value variance =
      arith::DivFOp::create(e.builder, e.loc, e.real(numerator), fan);
  return math::SqrtOp::create(e.builder, e.loc, variance);
}

/// A draw of mean 0 and variance 1, from a uniform number in (0, 1).
Value emitStandardDraw(InitEmitter &e, InitOp op, Value uniform) {
  auto affine = [&](Value x, double factor, double term) {
    return e.add(e.mul(x, e.real(factor)), e.real(term));
  };
  switch (op.getDistribution()) {
  case Distribution::Uniform:
    return e.mul(affine(uniform, 2.0, -1.0), e.real(std::sqrt(3.0)));
  case Distribution::Normal:
    return emitNormalQuantile(e.builder, e.loc, affine(uniform, 2.0, -1.0));
  case Distribution::TruncatedNormal: {
    auto [low, high] = op.getCutInterval();
    double begin = std::erf(low / std::sqrt(2.0));
    double end = std::erf(high / std::sqrt(2.0));
    Value z = emitNormalQuantile(e.builder, e.loc,
                                 affine(uniform, end - begin, begin));
    TruncatedNormal cut = computeTruncatedNormal(low, high);
    return e.mul(e.add(z, e.real(-cut.mean)),
                 e.real(1.0 / std::sqrt(cut.variance)));
  }
  }
  llvm_unreachable("all distributions are handled");
}

/// The row-major position of the element that a body is at.
Value emitPosition(InitEmitter &e, ArrayRef<Value> sizes) {
  Value position;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    Value index = arith::IndexCastOp::create(
        e.builder, e.loc, e.builder.getI64Type(),
        linalg::IndexOp::create(e.builder, e.loc, dim));
    if (position)
      index = arith::AddIOp::create(
          e.builder, e.loc,
          arith::MulIOp::create(e.builder, e.loc, position, size), index);
    position = index;
  }
  return position ? position
                  : arith::ConstantOp::create(e.builder, e.loc,
                                              e.builder.getI64IntegerAttr(0));
}

} // namespace

LogicalResult decomposeInit(RewriterBase &rewriter, InitOp op) {
  rewriter.setInsertionPoint(op);
  InitEmitter outer{rewriter, op.getLoc()};
  RankedTensorType type = op.getOutput().getType();
  Value deviation = emitDeviation(outer, op);
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    sizes.push_back(outer.size(op.getOutput(), dim));
  bool isConstant = op.getVariance() == VarianceRule::Zero;
  auto body = [&](OpBuilder &builder, Location loc, ValueRange) {
    InitEmitter e{builder, loc};
    Value draw = e.real(op.getMeanValue());
    if (!isConstant) {
      Value uniform =
          emitUniform(builder, loc, op.getSeed(), emitPosition(e, sizes));
      draw = e.add(draw, e.mul(emitStandardDraw(e, op, uniform), deviation));
    }
    if (!type.getElementType().isF64())
      draw = arith::TruncFOp::create(builder, loc, type.getElementType(), draw);
    linalg::YieldOp::create(builder, loc, draw);
  };
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, type, ValueRange(), op.getOutput(), ArrayRef{identity}, loops, body);
  return success();
}

} // namespace attn
