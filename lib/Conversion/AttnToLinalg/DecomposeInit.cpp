//===- DecomposeInit.cpp - Initial weights as structured ops --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Shared/ConvertFloat.h"
#include "InitDraws.h"
#include "attn/Conversion/AttnToLinalg/ElementOps.h"
#include "attn/Dialect/Attn/IR/LaneBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>

using namespace mlir;

namespace attn {
namespace {

/// The product of some of the tensor's sizes, in f64.
Value emitFan(LaneBuilder &lanes, Value tensor, ArrayRef<int64_t> dims) {
  Value product = lanes.constant(1.0);
  for (int64_t dim : dims) {
    Value size =
        tensor::DimOp::create(lanes.getBuilder(), lanes.getLoc(), tensor, dim);
    product = lanes.mul(product, lanes.toFloatLanes(size));
  }
  return product;
}

/// The standard deviation.
Value emitDeviation(LaneBuilder &lanes, InitOp op) {
  // c / m, or 2 / (m + n).
  double numerator = 1.0;
  switch (op.getVariance()) {
  case VarianceRule::Constant:
    return lanes.constant(std::sqrt(op.getValue()->convertToDouble()));
  case VarianceRule::Zero:
    return lanes.constant(0.0);
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
  Value fan = emitFan(lanes, op.getOutput(), op.getFanInDims());
  if (op.getVariance() == VarianceRule::Xavier)
    fan = lanes.add(fan, emitFan(lanes, op.getOutput(), op.getFanOutDims()));
  return lanes.sqrt(lanes.div(lanes.constant(numerator), fan));
}

/// A draw of mean 0 and variance 1, from a uniform number in (0, 1).
Value emitStandardDraw(LaneBuilder &lanes, InitOp op, Value uniform) {
  auto affine = [&](Value x, double factor, double term) {
    return lanes.add(lanes.mul(x, lanes.constant(factor)),
                     lanes.constant(term));
  };
  switch (op.getDistribution()) {
  case Distribution::Uniform:
    return lanes.mul(affine(uniform, 2.0, -1.0),
                     lanes.constant(std::sqrt(3.0)));
  case Distribution::Normal:
    return emitNormalQuantile(lanes.getBuilder(), lanes.getLoc(),
                              affine(uniform, 2.0, -1.0));
  case Distribution::TruncatedNormal: {
    auto [low, high] = op.getCutInterval();
    double begin = std::erf(low / std::sqrt(2.0));
    double end = std::erf(high / std::sqrt(2.0));
    Value z = emitNormalQuantile(lanes.getBuilder(), lanes.getLoc(),
                                 affine(uniform, end - begin, begin));
    TruncatedNormal cut = computeTruncatedNormal(low, high);
    return lanes.mul(lanes.add(z, lanes.constant(-cut.mean)),
                     lanes.constant(1.0 / std::sqrt(cut.variance)));
  }
  }
  llvm_unreachable("all distributions are handled");
}

/// The row-major position of the element that a body is at.
Value emitPosition(OpBuilder &builder, Location loc, ArrayRef<Value> sizes) {
  Value position;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    Value index =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                   linalg::IndexOp::create(builder, loc, dim));
    if (position)
      index = arith::AddIOp::create(
          builder, loc, arith::MulIOp::create(builder, loc, position, size),
          index);
    position = index;
  }
  return position ? position
                  : arith::ConstantOp::create(builder, loc,
                                              builder.getI64IntegerAttr(0));
}

} // namespace

LogicalResult decompose(RewriterBase &rewriter, InitOp op) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  LaneBuilder outer(rewriter, loc, rewriter.getF64Type());
  RankedTensorType type = op.getOutput().getType();
  Value deviation = emitDeviation(outer, op);
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    sizes.push_back(arith::IndexCastOp::create(
        rewriter, loc, rewriter.getI64Type(),
        tensor::DimOp::create(rewriter, loc, op.getOutput(), dim)));
  bool isConstant = op.getVariance() == VarianceRule::Zero;
  auto body = [&](OpBuilder &builder, Location, ValueRange) {
    LaneBuilder lanes(builder, loc, builder.getF64Type());
    Value draw = lanes.constant(op.getMeanValue());
    if (!isConstant) {
      Value uniform = emitUniform(builder, loc, op.getSeed(),
                                  emitPosition(builder, loc, sizes));
      draw = lanes.add(
          draw, lanes.mul(emitStandardDraw(lanes, op, uniform), deviation));
    }
    draw = convertFloat(builder, loc, draw, type.getElementType());
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
