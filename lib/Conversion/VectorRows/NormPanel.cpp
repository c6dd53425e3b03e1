//===- NormPanel.cpp - Loops over a tile of a norm, in memory order -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormPanel.h"
#include "../Lanes/LaneMemory.h"
#include "../Lanes/RowMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;

SmallVector<Value> NormNumbers::locate(OpBuilder &builder, Location loc,
                                       ArrayRef<Value> at) const {
  SmallVector<Value> indices;
  if (part)
    indices.push_back(part);
  for (auto [dim, begin] : llvm::zip_equal(dims, origin))
    indices.push_back(
        begin ? builder.createOrFold<arith::SubIOp>(loc, at[dim], begin)
              : at[dim]);
  return indices;
}

NormPanel::NormPanel(NormOp op)
    : loc(op.getLoc()), type(op.getComputeType()),
      numLanes(cast<NormScheduleAttr>(op.getScheduleAttr()).getLanes()),
      last(op.getRank() - 1), input(op.getInput()), axes(op.getAxes()),
      kept(op.getKeptDims()), isColumns(!op.isNormalised(last)),
      inVectors(true), keptInVectors(true) {
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<int64_t> dims = op.getOperandDims(operand);
    if (dims.empty() || hasUnitInnerStride(operand.get()))
      continue;
    inVectors &= dims.back() != last;
    keptInVectors &= dims != kept;
  }
}

void NormPanel::visit(OpBuilder &b, const NormTile &tile,
                      ArrayRef<int64_t> dims, SmallVector<Value> &at,
                      Visit body) const {
  if (dims.empty())
    return body(b, at);
  int64_t dim = dims.front();
  emitLoop(b, loc, tile.begin[dim], tile.end[dim], 1,
           [&](OpBuilder &nested, Value i) {
             at[dim] = i;
             visit(nested, tile, dims.drop_front(), at, body);
           });
}

void NormPanel::visitLines(OpBuilder &b, const NormTile &tile, int64_t rows,
                           VisitRows body) const {
  SmallVector<Value> at(last + 1);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, last));
  if (!isColumns || last == 0 || !llvm::is_contained(axes, last - 1))
    return visit(b, tile, dims, at,
                 [&](OpBuilder &nested, SmallVector<Value> &inner) {
                   body(nested, inner, 1);
                 });
  int64_t dim = dims.pop_back_val();
  auto emitRows = [&](OpBuilder &nested, SmallVector<Value> &inner) {
    Value begin = tile.begin[dim], end = tile.end[dim];
    Value size = nested.createOrFold<arith::SubIOp>(loc, end, begin);
    Value rest = nested.createOrFold<arith::RemUIOp>(
        loc, size, createIndex(nested, loc, rows));
    Value full = nested.createOrFold<arith::SubIOp>(loc, end, rest);
    auto emitSteps = [&](Value low, Value high, int64_t step) {
      emitLoop(nested, loc, low, high, step, [&](OpBuilder &deeper, Value i) {
        inner[dim] = i;
        body(deeper, inner, step);
      });
    };
    emitSteps(begin, full, rows);
    emitSteps(full, end, 1);
  };
  visit(b, tile, dims, at, emitRows);
}

RowShape NormPanel::getLine(OpBuilder &b, Value begin, Value end,
                            bool inVectors, int64_t unroll) const {
  Value size = b.createOrFold<arith::SubIOp>(loc, end, begin);
  return {type, numLanes, unroll, inVectors, /*masksRest=*/true, {size}, begin};
}

void NormPanel::visitLanes(OpBuilder &b, Value begin, Value end, bool inVectors,
                           VisitLanes body) const {
  emitRowLoop(b, loc, getLine(b, begin, end, inVectors, /*unroll=*/1),
              [&](const RowPiece &piece) {
                body(piece.lanes, piece.position[0], piece.mask);
              });
}

Value NormPanel::loadShift(LaneBuilder &lanes, ArrayRef<Value> at,
                           Value mask) const {
  SmallVector<Value> first(at);
  for (int64_t axis : axes)
    first[axis] = createIndex(lanes.getBuilder(), loc, 0);
  Value shift = loadLanes(lanes, input, first, mask),
        zero = lanes.constant(0.0);
  Value isFinite =
      lanes.cmp(arith::CmpFPredicate::OEQ, lanes.sub(shift, shift), zero);
  return lanes.select(isFinite, shift, zero);
}

SmallVector<Value> NormPanel::select(ArrayRef<Value> at,
                                     ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [&](int64_t dim) { return at[dim]; });
}

Value NormPanel::countBefore(OpBuilder &b, const NormTile &tile,
                             ArrayRef<Value> at) const {
  Value count = createIndex(b, loc, 0);
  for (int64_t axis : axes) {
    Value size =
        b.createOrFold<arith::SubIOp>(loc, tile.end[axis], tile.begin[axis]);
    count = b.createOrFold<arith::MulIOp>(loc, count, size);
    if (!at[axis])
      continue;
    Value index =
        b.createOrFold<arith::SubIOp>(loc, at[axis], tile.begin[axis]);
    count = b.createOrFold<arith::AddIOp>(loc, count, index);
  }
  return count;
}
