//===- SoftmaxSteps.cpp - What the forms of attn.softmax share -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SoftmaxSteps.h"

#include "attn/Dialect/Attn/Score/ParamSource.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <limits>

using namespace mlir;
using namespace attn;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Value SoftmaxSteps::getSize(OpBuilder &b, unsigned dim) {
  return b.createOrFold<memref::DimOp>(
      loc, op.getInput(), arith::ConstantIndexOp::create(b, loc, dim));
}

Value SoftmaxSteps::loadParam(LaneBuilder &lanes, unsigned index,
                              ValueRange indices) {
  OpBuilder &b = lanes.getBuilder();
  Value param = op.getParams()[index];
  ParamElement element = op.getParamSpecs()[index].element;
  if (!isa<MemRefType>(param.getType()))
    return toLanes(lanes, element, param);
  AffineMap map = op.getShapedMaps()[1 + index];
  SmallVector<Value> position =
      emitPosition(b, loc, map, SmallVector<Value>(indices));
  std::optional<unsigned> axis =
      map.getResultPosition(b.getAffineDimExpr(getRank() - 1));
  if (!lanes.isVector() || !axis)
    return toLanes(lanes, element,
                   memref::LoadOp::create(b, loc, param, position));
  LaneAccess access;
  access.axis = *axis;
  return loadParamLanes(lanes, element, param, position, access);
}

SoftmaxSteps::Policies SoftmaxSteps::emitPolicies(LaneBuilder &lanes,
                                                  ValueRange indices) {
  SmallVector<Value> params;
  for (unsigned i = 0, e = op.getParams().size(); i < e; ++i)
    params.push_back(loadParam(lanes, i, indices));
  unsigned count =
      cast<PolicyAttrInterface>(op.getScale()).getParamSpecs().size();
  auto getRow = [&]() {
    Value row = lanes.toIntLanes(indices[*op.getRowDim()]);
    return lanes.isVector() ? lanes.add(row, lanes.iota()) : row;
  };
  auto getDimSize = [&](unsigned dim) {
    return getSize(lanes.getBuilder(), dim);
  };
  ValueRange all(params);
  return {
      emitSoftmaxScale(lanes, op, all.take_front(count), {getDimSize, getRow}),
      emitSoftmaxLogExtra(lanes, op, all.drop_front(count))};
}

Value SoftmaxSteps::emitFactor(LaneBuilder &lanes, Value sum) {
  Value zero = lanes.constant(0.0);
  Value isEmpty = lanes.cmp(arith::CmpFPredicate::OEQ, sum, zero);
  return lanes.select(isEmpty, zero, lanes.div(lanes.constant(1.0), sum));
}

RowSpace SoftmaxPasses::getSpace(OpBuilder &b) {
  RowSpace space;
  for (int64_t dim = 0; dim < getRank(); ++dim)
    (dim == op.getKeyDim() ? space.sizes : space.counts)
        .push_back(getSize(b, dim));
  space.inputs = {op.getInput()};
  space.outputs = {op.getOutput()};
  space.along = {op.getInput(), op.getOutput()};
  return space;
}

Value SoftmaxPasses::emitMaximum(OpBuilder &b, const RowPlace &row, Value scale,
                                 bool asks) {
  LaneBuilder scalars(b, loc, type);
  Value sign = emitSoftmaxSign(scalars, scale);
  return machine.reduce(
      b, row, -kInfinity,
      [&](const RowPiece &piece, MutableArrayRef<Value> tops) {
        LaneBuilder &lanes = piece.lanes;
        if (asks)
          machine.askAhead(piece, row);
        Value x = machine.load(piece, op.getInput(), getIndices(piece, row));
        Value score = lanes.mul(x, lanes.toFloatLanes(sign));
        tops[0] = lanes.max(piece.within(score, -kInfinity), tops[0]);
      },
      [](LaneBuilder &lanes, Value a, Value b) { return lanes.max(a, b); })[0];
}

Value SoftmaxPasses::emitSum(OpBuilder &b, const RowPlace &row,
                             const SoftmaxWeighting &weighting, bool keeps) {
  return emitRowSum(machine, b, row, [&](const RowPiece &piece, Value &sum) {
    if (keeps)
      machine.askForNext(piece, row, piece.position);
    Value x = machine.loadAgain(piece, op.getInput(), getIndices(piece, row));
    Value weight = piece.within(emitWeight(piece, x, weighting), 0.0);
    if (keeps)
      machine.keep(piece, weight);
    sum = piece.lanes.add(sum, weight);
  });
}

void SoftmaxPasses::emitQuotient(const RowPiece &piece, const RowPlace &row,
                                 Value weight, Value factor) {
  LaneBuilder &lanes = piece.lanes;
  machine.store(piece, lanes.mul(weight, lanes.toFloatLanes(factor)),
                op.getOutput(), getIndices(piece, row));
}
