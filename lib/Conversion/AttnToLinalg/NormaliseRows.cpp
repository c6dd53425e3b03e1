//===- NormaliseRows.cpp - l2-normalised rows for cosine similarity -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Shared/NormFactor.h"
#include "ScoreTensors.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;

/// The rows of `tensor` along `axis`. Key heads are fewer than the query heads
/// that the op's dimensions count, so the loops run over the operand's own
/// axes.
static Value normalise(IterationBuilder &iterations, Value tensor,
                       unsigned axis, CosineAttr cosine) {
  OpBuilder &builder = iterations.getBuilder();
  FloatType type = iterations.getComputeType();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, iterations.getLoc(), tensor);
  SmallVector<OpFoldResult> rowSizes(sizes);
  GenericBuilder generics(builder, iterations.getLoc(), sizes, type);
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, sizes.size()));
  SmallVector<unsigned> rows(all);
  rows.erase(rows.begin() + axis);
  MappedTensor input = {tensor, generics.getIdentity()};
  MappedTensor squares = generics.create(
      {input}, generics.fill(generics.createEmpty(rows, type), 0.0),
      [](LaneBuilder &lanes, ValueRange at) {
        return lanes.add(at[1], lanes.mul(at[0], at[0]));
      });
  // 1 / norm, once a row.
  rowSizes.erase(rowSizes.begin() + axis);
  GenericBuilder perRow(builder, iterations.getLoc(), rowSizes, type);
  MappedTensor factors =
      perRow.create({}, {squares.tensor, perRow.getIdentity()},
                    [&](LaneBuilder &lanes, ValueRange at) {
                      return emitNormFactor(lanes, cosine, at[0]);
                    });
  factors.map = squares.map;
  return generics
      .create({input, factors}, generics.createEmpty(all, type),
              [](LaneBuilder &lanes, ValueRange at) {
                return lanes.mul(at[0], at[1]);
              })
      .tensor;
}

MappedTensor attn::createNormalised(IterationBuilder &iterations,
                                    MappedTensor operand) {
  AttentionOpInterface op = iterations.getOp();
  CosineAttr cosine = op.getCosine();
  if (!cosine)
    return operand;
  AffineExpr headDim = getAffineDimExpr(op.getHeadDimDim(), op.getContext());
  unsigned axis = *operand.map.getResultPosition(headDim);
  return {normalise(iterations, operand.tensor, axis, cosine), operand.map};
}
