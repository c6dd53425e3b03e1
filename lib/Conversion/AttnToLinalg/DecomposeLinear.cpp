//===- DecomposeLinear.cpp - A linear layer as structured ops ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/GenericBuilder.h"

#include "attn/Conversion/AttnToLinalg/AttnToLinalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>

using namespace mlir;
using namespace attn;

/// 1 / sqrt(m) of ntk, at least m = 1; null where nothing is to be scaled.
static Value createFactor(OpBuilder &builder, LinearOp op) {
  if (!op.isNtk())
    return {};
  LaneBuilder lanes(builder, op.getLoc(), op.getComputeType());
  OpFoldResult size = tensor::getMixedSize(builder, op.getLoc(), op.getWeight(),
                                           op.getWeightInDim());
  if (std::optional<int64_t> fanIn = getConstantIntValue(size))
    return lanes.constant(1.0 / std::sqrt(std::max<double>(1.0, *fanIn)));
  Value fanIn = lanes.max(cast<Value>(size), lanes.integer(1));
  return lanes.div(lanes.constant(1.0), lanes.sqrt(lanes.intToFloat(fanIn)));
}

LogicalResult attn::decompose(RewriterBase &rewriter, LinearOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getOutput().getType());
  if (!type)
    return rewriter.notifyMatchFailure(op, "its operands are not tensors");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  unsigned rank = type.getRank();
  SmallVector<AffineMap> maps = op.getShapedMaps();
  FloatType compute = op.getComputeType();
  GenericBuilder products(rewriter, op.getLoc(), rank + 1, compute);
  Value output = op.getOutput();
  Value factor = createFactor(rewriter, op);
  bool hasEnd = factor || op.getBias() || op.getEpilogueBody() ||
                type.getElementType() != compute;
  Value sums = output;
  if (hasEnd)
    sums = tensor::EmptyOp::create(
        rewriter, op.getLoc(),
        tensor::getMixedSizes(rewriter, op.getLoc(), output), compute);
  MappedTensor product =
      products.create({{op.getInput(), maps[0]}, {op.getWeight(), maps[1]}},
                      products.fill({sums, maps.back()}, 0.0),
                      [&](LaneBuilder &lanes, ValueRange at) {
                        return lanes.add(lanes.mul(at[0], at[1]), at[2]);
                      });
  if (!hasEnd) {
    rewriter.replaceOp(op, product.tensor);
    return success();
  }
  GenericBuilder rows(rewriter, op.getLoc(), rank, compute);
  SmallVector<MappedTensor> inputs = {{product.tensor, rows.getIdentity()}};
  if (op.getBias())
    inputs.push_back({op.getBias(), rows.getMap({rank - 1})});
  for (Value extra : op.getExtras())
    if (auto shaped = dyn_cast<RankedTensorType>(extra.getType()))
      inputs.push_back({extra, rows.getMap(llvm::to_vector(llvm::seq<unsigned>(
                                   rank - shaped.getRank(), rank)))});
  auto buildBody = [&](LaneBuilder &lanes, ValueRange at) {
    Value value = factor ? lanes.mul(at[0], factor) : at[0];
    at = at.drop_front();
    if (op.getBias()) {
      value = lanes.add(value, at.front());
      at = at.drop_front();
    }
    SmallVector<Value> arguments = {value};
    for (Value extra : op.getExtras()) {
      bool isNumber = !isa<RankedTensorType>(extra.getType());
      arguments.push_back(isNumber ? lanes.toFloatLanes(extra) : at.front());
      at = isNumber ? at : at.drop_front();
    }
    Block *body = op.getEpilogueBody();
    return body ? lanes.cloneBody(*body, arguments) : value;
  };
  MappedTensor result =
      rows.create(inputs, {output, rows.getIdentity()}, buildBody);
  rewriter.replaceOp(op, result.tensor);
  return success();
}
