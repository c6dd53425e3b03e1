//===- DecomposeNorm.cpp - attn.norm as structured ops --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The variance is taken around the mean, in a second pass: mean x^2 - mu^2
// would lose all digits where the mean is large.
//
//===----------------------------------------------------------------------===//

#include "../Shared/ConvertFloat.h"
#include "../Shared/NormFactor.h"
#include "attn/Conversion/AttnToLinalg/AttnToLinalg.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attn;

namespace {

class NormDecomposer {
public:
  NormDecomposer(OpBuilder &builder, NormOp op)
      : builder(builder), loc(op.getLoc()), op(op), type(op.getComputeType()),
        sizes(tensor::getMixedSizes(builder, loc, op.getInput())) {}

  SmallVector<Value> run();

private:
  using Body = llvm::function_ref<Value(LaneBuilder &, ValueRange)>;
  struct Operand {
    Value tensor;
    SmallVector<int64_t> dims;
  };

  /// One loop nest over `dims`, whose dimensions that `init` lacks are reduced.
  Value createNest(ArrayRef<int64_t> dims, ArrayRef<Operand> inputs,
                   Operand init, Body body);
  /// sum over the axes of body(x, ...), by group.
  Value createSum(Operand other, Body body);
  Value createEmpty(ArrayRef<int64_t> dims, Type element);
  Value createInput();
  Value createMean();
  Value createVariance();
  Value createOutput();
  Value createRunning(Value running, Value batch, bool isVariance);
  /// The number of elements of a group.
  Value createSize();
  Value getCount();
  SmallVector<int64_t> getAll() {
    return llvm::to_vector(llvm::seq<int64_t>(0, op.getRank()));
  }
  SmallVector<int64_t> getKept() { return op.getKeptDims(); }

  OpBuilder &builder;
  Location loc;
  NormOp op;
  FloatType type;
  SmallVector<OpFoldResult> sizes;
  /// x, and by group mu (null where uncentred) and v.
  Value input, mean, variance;
  Value count;
};

} // namespace

Value NormDecomposer::createEmpty(ArrayRef<int64_t> dims, Type element) {
  SmallVector<OpFoldResult> shape;
  for (int64_t dim : dims)
    shape.push_back(sizes[dim]);
  return tensor::EmptyOp::create(builder, loc, shape, element);
}

Value NormDecomposer::createNest(ArrayRef<int64_t> dims,
                                 ArrayRef<Operand> inputs, Operand init,
                                 Body body) {
  SmallVector<utils::IteratorType> iterators;
  for (int64_t dim : dims)
    iterators.push_back(llvm::is_contained(init.dims, dim)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  SmallVector<AffineMap> maps;
  SmallVector<Value> values;
  auto addMap = [&](const Operand &operand) {
    SmallVector<AffineExpr> results;
    for (int64_t dim : operand.dims)
      results.push_back(
          builder.getAffineDimExpr(llvm::find(dims, dim) - dims.begin()));
    maps.push_back(
        AffineMap::get(dims.size(), 0, results, builder.getContext()));
  };
  for (const Operand &operand : inputs) {
    addMap(operand);
    values.push_back(operand.tensor);
  }
  addMap(init);
  auto emitBody = [&](OpBuilder &nested, Location, ValueRange arguments) {
    LaneBuilder lanes(nested, loc, type);
    SmallVector<Value> wide;
    for (Value argument : arguments)
      wide.push_back(lanes.toFloatLanes(argument));
    Value result = body(lanes, wide);
    linalg::YieldOp::create(
        nested, loc,
        convertFloat(nested, loc, result, arguments.back().getType()));
  };
  return linalg::GenericOp::create(builder, loc, init.tensor.getType(), values,
                                   init.tensor, maps, iterators, emitBody)
      .getResult(0);
}

Value NormDecomposer::createSum(Operand other, Body body) {
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value init =
      linalg::FillOp::create(builder, loc, zero, createEmpty(getKept(), type))
          .getResult(0);
  SmallVector<Operand> inputs = {{input, getAll()}};
  if (other.tensor)
    inputs.push_back(other);
  return createNest(getAll(), inputs, {init, getKept()},
                    [&](LaneBuilder &lanes, ValueRange arguments) {
                      return lanes.add(arguments.back(),
                                       body(lanes, arguments));
                    });
}

Value NormDecomposer::createSize() {
  Value product = arith::ConstantIndexOp::create(builder, loc, 1);
  for (int64_t axis : op.getAxes())
    product = arith::MulIOp::create(
        builder, loc, product,
        getValueOrCreateConstantIndexOp(builder, loc, sizes[axis]));
  return product;
}

Value NormDecomposer::getCount() {
  if (count)
    return count;
  Value integer = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                             createSize());
  return count = arith::SIToFPOp::create(builder, loc, type, integer);
}

/// x + factor residual, in the input's type.
Value NormDecomposer::createInput() {
  if (!op.getResidual())
    return op.getInput();
  Value init = op.getSum();
  if (!init)
    init = createEmpty(getAll(), getElementTypeOrSelf(op.getInput()));
  return createNest(
      getAll(), {{op.getInput(), getAll()}, {op.getResidual(), getAll()}},
      {init, getAll()}, [&](LaneBuilder &lanes, ValueRange arguments) {
        return emitScaledSum(lanes, arguments[0], arguments[1], op.getFactor());
      });
}

Value NormDecomposer::createMean() {
  if (!op.isCentered())
    return {};
  Value sum = createSum(
      {}, [](LaneBuilder &, ValueRange arguments) { return arguments[0]; });
  Value number = getCount();
  return createNest(getKept(), {{sum, getKept()}},
                    {createEmpty(getKept(), type), getKept()},
                    [&](LaneBuilder &lanes, ValueRange arguments) {
                      return lanes.div(arguments[0], number);
                    });
}

Value NormDecomposer::createVariance() {
  Value squares = createSum(
      {mean, getKept()}, [&](LaneBuilder &lanes, ValueRange arguments) {
        Value difference =
            mean ? lanes.sub(arguments[0], arguments[1]) : arguments[0];
        return lanes.mul(difference, difference);
      });
  if (op.getKind() == NormKind::L2)
    return squares;
  Value number = getCount();
  return createNest(getKept(), {{squares, getKept()}},
                    {createEmpty(getKept(), type), getKept()},
                    [&](LaneBuilder &lanes, ValueRange arguments) {
                      return lanes.div(arguments[0], number);
                    });
}

Value NormDecomposer::createOutput() {
  Value factor = createNest(getKept(), {{variance, getKept()}},
                            {createEmpty(getKept(), type), getKept()},
                            [&](LaneBuilder &lanes, ValueRange arguments) {
                              return emitNormFactor(lanes, op, arguments[0]);
                            });
  SmallVector<Operand> inputs = {{input, getAll()}, {factor, getKept()}};
  if (mean)
    inputs.push_back({mean, getKept()});
  for (Value affine : {op.getGamma(), op.getBeta()})
    if (affine)
      inputs.push_back({affine, op.getAffineDims()});
  return createNest(getAll(), inputs, {op.getOutput(), getAll()},
                    [&](LaneBuilder &lanes, ValueRange arguments) {
                      unsigned next = 2;
                      auto take = [&](bool exists) -> Value {
                        return exists ? arguments[next++] : Value();
                      };
                      Value mu = take(mean != nullptr);
                      Value gamma = take(op.getGamma() != nullptr);
                      Value beta = take(op.getBeta() != nullptr);
                      return emitNormalised(lanes, arguments[0], mu,
                                            arguments[1], gamma, beta);
                    });
}

Value NormDecomposer::createRunning(Value running, Value batch,
                                    bool isVariance) {
  Value number = getCount();
  return createNest(getKept(), {{batch, getKept()}}, {running, getKept()},
                    [&](LaneBuilder &lanes, ValueRange arguments) {
                      Value measured = arguments[0];
                      if (isVariance && op.getUnbiased())
                        measured =
                            lanes.mul(measured, emitUnbiased(lanes, number));
                      return emitRunning(lanes, op, arguments.back(), measured);
                    });
}

SmallVector<Value> NormDecomposer::run() {
  if (op.getUnbiased())
    emitUnbiasedCheck(builder, op, createSize());
  input = createInput();
  if (op.hasGivenStatistics()) {
    mean = op.getMean();
    variance = op.getVariance();
  } else {
    mean = createMean();
    variance = createVariance();
  }
  SmallVector<Value> results = {createOutput()};
  if (op.getSum())
    results.push_back(input);
  if (op.getRunningMean())
    results.push_back(createRunning(op.getRunningMean(), mean, false));
  if (op.getRunningVariance())
    results.push_back(createRunning(op.getRunningVariance(), variance, true));
  return results;
}

LogicalResult attn::decomposeNorm(RewriterBase &rewriter, NormOp op) {
  if (!isa<RankedTensorType>(op.getInput().getType()))
    return rewriter.notifyMatchFailure(op, "its operands are not tensors");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  rewriter.replaceOp(op, NormDecomposer(rewriter, op).run());
  return success();
}
