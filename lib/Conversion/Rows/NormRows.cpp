//===- NormRows.cpp - attn.norm of rows -----------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is read from memory once, while its sum (or its squares) are taken,
// and again where it is near: for the variance where it is centred, and for the
// output. The last pass asks for the next row, so that the memory is never
// idle. A row that is a sum with a residual is kept.
//
//===----------------------------------------------------------------------===//

#include "../Shared/NormFactor.h"
#include "RowOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;

namespace {

class NormRows : public RowAlgorithm {
public:
  NormRows(NormOp op, RowMachine &machine)
      : op(op), machine(machine), loc(op.getLoc()), type(op.getComputeType()) {}

  RowSpace getSpace(OpBuilder &b);
  void locate(OpBuilder &b, ValueRange number, RowOrigin &origin,
              SmallVectorImpl<Value> &sizes) override {
    origin.outer.assign(number.begin(), number.end());
    if (op.getAxes().front() + int64_t(op.getAxes().size()) != op.getRank())
      origin.dims.assign(op.getAxes().begin(), op.getAxes().end());
  }
  /// The factor 1 / r, and the mean if there is one.
  SmallVector<Value> measure(OpBuilder &b, const RowPlace &row) override;
  void write(const RowPiece &piece, const RowPlace &row,
             ValueRange numbers) override;

private:
  SmallVector<Value> loadStatistics(LaneBuilder &scalars, const RowPlace &row);
  void updateRunning(LaneBuilder &scalars, const RowPlace &row, Value mean,
                     Value variance, Value count);
  SmallVector<Value> getIndices(const RowPiece &piece, const RowPlace &row) {
    return row.origin.locate(piece.lanes.getBuilder(), loc, piece.position);
  }
  /// x of the row: the first time from memory.
  Value readFirst(const RowPiece &piece, const RowPlace &row);
  Value readAgain(const RowPiece &piece, const RowPlace &row);
  /// gamma or beta, or null.
  Value loadAffine(const RowPiece &piece, const RowPlace &row, Value memref);

  NormOp op;
  RowMachine &machine;
  Location loc;
  FloatType type;
};

} // namespace

static Value multiply(OpBuilder &b, Location loc, ArrayRef<Value> sizes) {
  Value product = arith::ConstantIndexOp::create(b, loc, 1);
  for (Value size : sizes)
    product = b.createOrFold<arith::MulIOp>(loc, product, size);
  return product;
}

RowSpace NormRows::getSpace(OpBuilder &b) {
  RowSpace space;
  auto sizeOf = [&](int64_t dim) {
    return b.createOrFold<memref::DimOp>(
        loc, op.getInput(), arith::ConstantIndexOp::create(b, loc, dim));
  };
  for (int64_t dim : op.getKeptDims())
    space.counts.push_back(sizeOf(dim));
  for (int64_t axis : op.getAxes())
    space.sizes.push_back(sizeOf(axis));
  space.inputs = {op.getInput()};
  if (op.getResidual())
    space.inputs.push_back(op.getResidual());
  space.outputs = {op.getOutput()};
  if (op.getSum())
    space.outputs.push_back(op.getSum());
  for (OpOperand &operand : op->getOpOperands())
    if (llvm::is_contained(op.getOperandDims(operand), op.getAxes().back()))
      space.along.push_back(operand.get());
  space.keeps = op.getResidual() != nullptr;
  space.passes = op.isCentered() || op.hasGivenStatistics() ? 0 : 1;
  return space;
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

SmallVector<Value> NormRows::loadStatistics(LaneBuilder &scalars,
                                            const RowPlace &row) {
  auto load = [&](Value memref) {
    return loadNumber(scalars, memref, row.number);
  };
  Value mean = op.getMean() ? load(op.getMean()) : Value();
  SmallVector<Value> numbers = {
      emitNormFactor(scalars, op, load(op.getVariance()))};
  if (mean)
    numbers.push_back(mean);
  return numbers;
}

void NormRows::updateRunning(LaneBuilder &scalars, const RowPlace &row,
                             Value mean, Value variance, Value count) {
  emitRunningUpdates(
      scalars, op, mean, variance, count, [&](Value memref, Value batch) {
        machine.updateOnce(scalars, memref, row.number,
                           [&](LaneBuilder &in, Value old) {
                             return emitRunning(in, op, old, batch);
                           });
      });
}

SmallVector<Value> NormRows::measure(OpBuilder &b, const RowPlace &row) {
  LaneBuilder scalars(b, loc, type);
  if (op.hasGivenStatistics())
    return loadStatistics(scalars, row);
  Value count = scalars.toFloatLanes(multiply(b, loc, row.sizes)), mean;
  if (op.isCentered()) {
    Value sum =
        emitRowSum(machine, b, row, [&](const RowPiece &piece, Value &sum) {
          sum = piece.lanes.add(sum, readFirst(piece, row));
        });
    mean = scalars.div(sum, count);
  }
  Value squares =
      emitRowSum(machine, b, row, [&](const RowPiece &piece, Value &sum) {
        LaneBuilder &lanes = piece.lanes;
        Value x = mean ? piece.within(lanes.sub(readAgain(piece, row),
                                                lanes.toFloatLanes(mean)),
                                      0.0)
                       : readFirst(piece, row);
        sum = lanes.fma(x, x, sum);
      });
  Value variance = op.usesMean() ? scalars.div(squares, count) : squares;
  updateRunning(scalars, row, mean, variance, count);
  SmallVector<Value> numbers = {emitNormFactor(scalars, op, variance)};
  if (mean)
    numbers.push_back(mean);
  return numbers;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

void NormRows::write(const RowPiece &piece, const RowPlace &row,
                     ValueRange numbers) {
  LaneBuilder &lanes = piece.lanes;
  machine.askForNext(piece, row, piece.position);
  // Nobody has read it where its statistics are given.
  Value x =
      op.hasGivenStatistics() ? readFirst(piece, row) : readAgain(piece, row);
  SmallVector<Value> indices = getIndices(piece, row);
  if (op.getSum())
    machine.store(piece, x, op.getSum(), indices);
  Value mean = numbers.size() > 1 ? lanes.toFloatLanes(numbers[1]) : Value();
  Value result = emitNormalised(lanes, x, mean, lanes.toFloatLanes(numbers[0]),
                                loadAffine(piece, row, op.getGamma()),
                                loadAffine(piece, row, op.getBeta()));
  machine.store(piece, result, op.getOutput(), indices);
}

Value NormRows::readFirst(const RowPiece &piece, const RowPlace &row) {
  SmallVector<Value> indices = getIndices(piece, row);
  Value x = machine.load(piece, op.getInput(), indices);
  if (!op.getResidual())
    return x;
  x = emitResidualSum(piece.lanes, op, x,
                      machine.load(piece, op.getResidual(), indices));
  machine.keep(piece, x);
  return x;
}

Value NormRows::readAgain(const RowPiece &piece, const RowPlace &row) {
  return op.getResidual()
             ? machine.getKept(piece)
             : machine.loadAgain(piece, op.getInput(), getIndices(piece, row));
}

Value NormRows::loadAffine(const RowPiece &piece, const RowPlace &row,
                           Value memref) {
  if (!memref)
    return {};
  SmallVector<int64_t> dims = op.getAffineDims();
  SmallVector<Value> all = getIndices(piece, row);
  SmallVector<Value> indices =
      llvm::map_to_vector(dims, [&](int64_t dim) { return all[dim]; });
  if (llvm::is_contained(dims, op.getRank() - 1))
    return machine.load(piece, memref, indices);
  return machine.loadSame(piece, memref, indices);
}

void attn::emitNormRows(OpBuilder &builder, NormOp op, RowMachine &machine) {
  NormRows rows(op, machine);
  RowSpace space = rows.getSpace(builder);
  if (op.getUnbiased())
    emitUnbiasedCheck(builder, op, multiply(builder, op.getLoc(), space.sizes));
  machine.emitRows(builder, space, rows);
}
