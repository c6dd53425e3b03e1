//===- NormaliseRows.cpp - l2-normalised rows for cosine similarity -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreTensors.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;

namespace {

/// One operand whose rows lie along `axis`. Key heads are fewer than the query
/// heads that the op's dimensions count, so the loops run over the operand's
/// own axes.
class RowNormaliser {
public:
  RowNormaliser(IterationBuilder &iterations, Value tensor, unsigned axis,
                CosineAttr cosine)
      : builder(iterations.getBuilder()), loc(iterations.getLoc()),
        type(iterations.getComputeType()), tensor(tensor), axis(axis),
        cosine(cosine), sizes(tensor::getMixedSizes(builder, loc, tensor)) {}

  Value emit() { return createQuotients(createSquares()); }

private:
  Value createSquares();
  Value createQuotients(Value squares);
  AffineMap getIdentity() {
    return builder.getMultiDimIdentityMap(sizes.size());
  }
  AffineMap getRows() { return getIdentity().dropResult(axis); }

  OpBuilder &builder;
  Location loc;
  FloatType type;
  Value tensor;
  unsigned axis;
  CosineAttr cosine;
  SmallVector<OpFoldResult> sizes;
};

} // namespace

Value RowNormaliser::createSquares() {
  SmallVector<OpFoldResult> rows(sizes);
  rows.erase(rows.begin() + axis);
  Value empty = tensor::EmptyOp::create(builder, loc, rows, type);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value init = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  SmallVector<utils::IteratorType> iterators(sizes.size(),
                                             utils::IteratorType::parallel);
  iterators[axis] = utils::IteratorType::reduction;
  auto body = [&](OpBuilder &nested, Location, ValueRange arguments) {
    LaneBuilder lanes(nested, loc, type);
    Value x = lanes.toFloatLanes(arguments[0]);
    linalg::YieldOp::create(nested, loc,
                            lanes.add(arguments[1], lanes.mul(x, x)));
  };
  return linalg::GenericOp::create(builder, loc, init.getType(), tensor, init,
                                   ArrayRef{getIdentity(), getRows()},
                                   iterators, body)
      .getResult(0);
}

Value RowNormaliser::createQuotients(Value squares) {
  Value init = tensor::EmptyOp::create(builder, loc, sizes, type);
  SmallVector<utils::IteratorType> iterators(sizes.size(),
                                             utils::IteratorType::parallel);
  auto body = [&](OpBuilder &nested, Location, ValueRange arguments) {
    LaneBuilder lanes(nested, loc, type);
    Value square = arguments[1], zero = lanes.constant(0.0);
    Value eps = lanes.constant(cosine.getEps());
    Value norm = cosine.getMode() == EpsMode::RsqrtSum
                     ? lanes.sqrt(lanes.add(square, eps))
                     : lanes.max(lanes.sqrt(square), eps);
    Value quotient = lanes.div(lanes.toFloatLanes(arguments[0]), norm);
    // A zero row stays zero whatever eps is.
    Value isZero = lanes.cmp(arith::CmpFPredicate::OEQ, square, zero);
    linalg::YieldOp::create(nested, loc, lanes.select(isZero, zero, quotient));
  };
  return linalg::GenericOp::create(
             builder, loc, init.getType(), ValueRange{tensor, squares}, init,
             ArrayRef{getIdentity(), getRows(), getIdentity()}, iterators, body)
      .getResult(0);
}

MappedTensor attn::createNormalised(IterationBuilder &iterations,
                                    MappedTensor operand) {
  AttentionOpInterface op = iterations.getOp();
  auto cosine = dyn_cast<CosineAttr>(op.getSimilarity());
  if (!cosine)
    return operand;
  AffineExpr headDim = getAffineDimExpr(op.getHeadDimDim(), op.getContext());
  unsigned axis = *operand.map.getResultPosition(headDim);
  return {RowNormaliser(iterations, operand.tensor, axis, cosine).emit(),
          operand.map};
}
