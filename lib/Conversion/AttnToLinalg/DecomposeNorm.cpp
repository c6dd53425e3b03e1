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
#include "attn/Dialect/Attn/IR/GenericBuilder.h"
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
        sizes(tensor::getMixedSizes(builder, loc, op.getInput())),
        generics(builder, loc, sizes, type),
        all(llvm::to_vector(llvm::seq<unsigned>(0, op.getRank()))) {
    llvm::append_range(kept, op.getKeptDims());
  }

  SmallVector<Value> run();

private:
  using Body = GenericBuilder::Body;

  MappedTensor over(ArrayRef<unsigned> dims, Value tensor) {
    return {tensor, generics.getMap(dims)};
  }
  /// A number for each group.
  MappedTensor createStatistic(MappedTensor of, Body body) {
    return generics.create(kept, {of}, generics.createEmpty(kept, type), body);
  }
  /// sum over the axes of body(x, ...), by group.
  MappedTensor createSum(ArrayRef<MappedTensor> others, Body body);
  /// Sums over the number of elements of a group.
  MappedTensor createQuotient(MappedTensor sums);
  Value createInput();
  MappedTensor createMean();
  MappedTensor createVariance();
  Value createOutput();
  Value createRunning(Value running, MappedTensor batch, bool isVariance);
  /// The number of elements of a group.
  Value createSize();
  Value getCount();

  OpBuilder &builder;
  Location loc;
  NormOp op;
  FloatType type;
  SmallVector<OpFoldResult> sizes;
  GenericBuilder generics;
  SmallVector<unsigned> all, kept;
  /// x, and by group mu (null where uncentred) and v.
  MappedTensor input, mean, variance;
  Value count;
};

} // namespace

MappedTensor NormDecomposer::createSum(ArrayRef<MappedTensor> others,
                                       Body body) {
  SmallVector<MappedTensor> inputs = {input};
  llvm::append_range(inputs, others);
  return generics.create(
      inputs, generics.fill(generics.createEmpty(kept, type), 0.0),
      [&](LaneBuilder &lanes, ValueRange arguments) {
        return lanes.add(arguments.back(), body(lanes, arguments));
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
  MappedTensor init = over(all, op.getSum());
  if (!init.tensor)
    init = generics.createEmpty(all, getElementTypeOrSelf(op.getInput()));
  return generics
      .create({over(all, op.getInput()), over(all, op.getResidual())}, init,
              [&](LaneBuilder &lanes, ValueRange arguments) {
                return emitScaledSum(lanes, arguments[0], arguments[1],
                                     op.getFactor());
              })
      .tensor;
}

MappedTensor NormDecomposer::createQuotient(MappedTensor sums) {
  Value number = getCount();
  return createStatistic(sums, [&](LaneBuilder &lanes, ValueRange arguments) {
    return lanes.div(arguments[0], number);
  });
}

MappedTensor NormDecomposer::createMean() {
  if (!op.isCentered())
    return {};
  return createQuotient(createSum(
      {}, [](LaneBuilder &, ValueRange arguments) { return arguments[0]; }));
}

MappedTensor NormDecomposer::createVariance() {
  SmallVector<MappedTensor> means;
  if (mean.tensor)
    means.push_back(mean);
  MappedTensor squares =
      createSum(means, [&](LaneBuilder &lanes, ValueRange arguments) {
        Value difference =
            mean.tensor ? lanes.sub(arguments[0], arguments[1]) : arguments[0];
        return lanes.mul(difference, difference);
      });
  return op.usesMean() ? createQuotient(squares) : squares;
}

Value NormDecomposer::createOutput() {
  MappedTensor factor =
      createStatistic(variance, [&](LaneBuilder &lanes, ValueRange arguments) {
        return emitNormFactor(lanes, op, arguments[0]);
      });
  SmallVector<MappedTensor> inputs = {input, factor};
  if (mean.tensor)
    inputs.push_back(mean);
  SmallVector<unsigned> affineDims;
  llvm::append_range(affineDims, op.getAffineDims());
  for (Value affine : {op.getGamma(), op.getBeta()})
    if (affine)
      inputs.push_back(over(affineDims, affine));
  auto body = [&](LaneBuilder &lanes, ValueRange arguments) {
    unsigned next = 2;
    auto take = [&](bool exists) -> Value {
      return exists ? arguments[next++] : Value();
    };
    Value mu = take(mean.tensor != nullptr);
    Value gamma = take(op.getGamma() != nullptr);
    Value beta = take(op.getBeta() != nullptr);
    return emitNormalised(lanes, arguments[0], mu, arguments[1], gamma, beta);
  };
  return generics.create(inputs, over(all, op.getOutput()), body).tensor;
}

Value NormDecomposer::createRunning(Value running, MappedTensor batch,
                                    bool isVariance) {
  Value number = getCount();
  auto body = [&](LaneBuilder &lanes, ValueRange arguments) {
    Value measured = arguments[0];
    if (isVariance && op.getUnbiased())
      measured = lanes.mul(measured, emitUnbiased(lanes, number));
    return emitRunning(lanes, op, arguments.back(), measured);
  };
  return generics.create(kept, {batch}, over(kept, running), body).tensor;
}

SmallVector<Value> NormDecomposer::run() {
  if (op.getUnbiased())
    emitUnbiasedCheck(builder, op, createSize());
  input = over(all, createInput());
  if (op.hasGivenStatistics()) {
    mean = over(kept, op.getMean());
    variance = over(kept, op.getVariance());
  } else {
    mean = createMean();
    variance = createVariance();
  }
  SmallVector<Value> results = {createOutput()};
  if (op.getSum())
    results.push_back(input.tensor);
  if (op.getRunningMean())
    results.push_back(createRunning(op.getRunningMean(), mean, false));
  if (op.getRunningVariance())
    results.push_back(createRunning(op.getRunningVariance(), variance, true));
  return results;
}

LogicalResult attn::decompose(RewriterBase &rewriter, NormOp op) {
  if (!isa<RankedTensorType>(op.getInput().getType()))
    return rewriter.notifyMatchFailure(op, "its operands are not tensors");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  rewriter.replaceOp(op, NormDecomposer(rewriter, op).run());
  return success();
}
