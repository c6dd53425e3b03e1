//===- LowerSort.cpp - Sorts and the first elements of an order -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TMTensorLowerings.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn::tm_tensor;

namespace {

/// A stable merge sort of rows from the bottom: runs of 1, 2, 4 ... elements
/// are merged into a second set of rows, which is copied back.
class MergeSort {
public:
  MergeSort(ImplicitLocOpBuilder &builder, SortOp op, ValueRange rows)
      : builder(builder), op(op), rows(rows) {
    zero = arith::ConstantIndexOp::create(builder, 0);
    one = arith::ConstantIndexOp::create(builder, 1);
    size = tensor::DimOp::create(builder, rows[0], 0);
  }

  SmallVector<Value> sort();

private:
  SmallVector<Value> mergeRuns(ValueRange from, ValueRange to, Value width);
  SmallVector<Value> mergeTwo(ValueRange from, ValueRange to, Value low,
                              Value width);
  void mergeElement(ValueRange from, scf::ForOp loop, Value middle, Value high);
  SmallVector<Value> load(ValueRange tensors, Value position);
  Value minimum(Value a, Value b) {
    return arith::MinSIOp::create(builder, a, b);
  }
  Value isLess(Value a, Value b) {
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, a, b);
  }

  ImplicitLocOpBuilder &builder;
  SortOp op;
  ValueRange rows;
  Value zero, one, size;
};

SmallVector<Value> MergeSort::load(ValueRange tensors, Value position) {
  SmallVector<Value> values;
  for (Value tensor : tensors)
    values.push_back(tensor::ExtractOp::create(builder, tensor, position));
  return values;
}

/// One element of a merged run: that of the first part unless the second one's
/// has to come in front of it. Positions past a part's end are not taken; they
/// are read at the row's last place.
void MergeSort::mergeElement(ValueRange from, scf::ForOp loop, Value middle,
                             Value high) {
  Value first = loop.getRegionIterArgs()[0];
  Value second = loop.getRegionIterArgs()[1];
  Value last = arith::SubIOp::create(builder, size, one);
  SmallVector<Value> a = load(from, minimum(first, last));
  SmallVector<Value> b = load(from, minimum(second, last));
  SmallVector<Value> pairs;
  for (auto [x, y] : llvm::zip(a, b))
    pairs.append({x, y});
  Value inOrder = inlineRegion(builder, op, pairs);
  Value hasFirst = isLess(first, middle);
  Value atEnd =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::sge, second, high);
  Value mayTake = arith::OrIOp::create(builder, inOrder, atEnd);
  Value takes = arith::AndIOp::create(builder, hasFirst, mayTake);
  Value nextFirst = arith::AddIOp::create(builder, first, one);
  Value nextSecond = arith::AddIOp::create(builder, second, one);
  SmallVector<Value> results = {
      arith::SelectOp::create(builder, takes, nextFirst, first),
      arith::SelectOp::create(builder, takes, second, nextSecond)};
  for (auto [x, y, to] :
       llvm::zip(a, b, loop.getRegionIterArgs().drop_front(2))) {
    Value taken = arith::SelectOp::create(builder, takes, x, y);
    results.push_back(
        tensor::InsertOp::create(builder, taken, to, loop.getInductionVar()));
  }
  scf::YieldOp::create(builder, results);
}

/// The runs that begin at `low` and `width` behind it.
SmallVector<Value> MergeSort::mergeTwo(ValueRange from, ValueRange to,
                                       Value low, Value width) {
  Value middle = minimum(arith::AddIOp::create(builder, low, width), size);
  Value high = minimum(arith::AddIOp::create(builder, middle, width), size);
  SmallVector<Value> inits = {low, middle};
  llvm::append_range(inits, to);
  auto loop = scf::ForOp::create(builder, low, high, one, inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  mergeElement(from, loop, middle, high);
  return llvm::to_vector_of<Value>(loop.getResults().drop_front(2));
}

SmallVector<Value> MergeSort::mergeRuns(ValueRange from, ValueRange to,
                                        Value width) {
  Value two = arith::AddIOp::create(builder, width, width);
  auto loop = scf::ForOp::create(builder, zero, size, two, to);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> merged =
      mergeTwo(from, loop.getRegionIterArgs(), loop.getInductionVar(), width);
  scf::YieldOp::create(builder, merged);
  return loop.getResults();
}

SmallVector<Value> MergeSort::sort() {
  // 64 - clz(n - 1) times runs double until one has n elements.
  Type wide = builder.getI64Type();
  Value bits = arith::IndexCastOp::create(builder, wide, size);
  Value oneBits = arith::ConstantIntOp::create(builder, wide, 1);
  Value zeroBits = arith::ConstantIntOp::create(builder, wide, 0);
  Value below = arith::MaxSIOp::create(
      builder, arith::SubIOp::create(builder, bits, oneBits), zeroBits);
  Value all = arith::ConstantIntOp::create(builder, wide, 64);
  Value rounds = arith::SubIOp::create(
      builder, all, math::CountLeadingZerosOp::create(builder, below));
  Value end =
      arith::IndexCastOp::create(builder, builder.getIndexType(), rounds);
  auto loop = scf::ForOp::create(builder, zero, end, one, rows);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value width = arith::ShLIOp::create(builder, one, loop.getInductionVar());
  SmallVector<Value> spare, copied;
  for (Value row : loop.getRegionIterArgs())
    spare.push_back(tensor::EmptyOp::create(
        builder, tensor::getMixedSizes(builder, builder.getLoc(), row),
        cast<RankedTensorType>(row.getType()).getElementType()));
  SmallVector<Value> merged = mergeRuns(loop.getRegionIterArgs(), spare, width);
  for (auto [from, to] : llvm::zip(merged, loop.getRegionIterArgs()))
    copied.push_back(linalg::CopyOp::create(builder, from, to).getResult(0));
  scf::YieldOp::create(builder, copied);
  return loop.getResults();
}

/// Puts one element into its place: whatever comes behind moves on.
SmallVector<Value> insertElement(ImplicitLocOpBuilder &builder, TopkOp op,
                                 Value value, Value position, ValueRange kept) {
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  Value one = arith::ConstantIndexOp::create(builder, 1);
  Value size = tensor::DimOp::create(builder, kept[0], 0);
  SmallVector<Value> inits = {value, position, kept[0], kept[1]};
  auto loop = scf::ForOp::create(builder, zero, size, one, inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value place = loop.getInductionVar();
  ValueRange carried = loop.getRegionIterArgs();
  SmallVector<Value> results, written;
  Value present = tensor::ExtractOp::create(builder, carried[2], place);
  Value comesFirst = inlineRegion(builder, op, {carried[0], present});
  for (int i : {0, 1}) {
    Value old = tensor::ExtractOp::create(builder, carried[2 + i], place);
    Value stays = arith::SelectOp::create(builder, comesFirst, carried[i], old);
    written.push_back(
        tensor::InsertOp::create(builder, stays, carried[2 + i], place));
    results.push_back(
        arith::SelectOp::create(builder, comesFirst, old, carried[i]));
  }
  llvm::append_range(results, written);
  scf::YieldOp::create(builder, results);
  return llvm::to_vector_of<Value>(loop.getResults().drop_front(2));
}

} // namespace

SmallVector<Value> attn::tm_tensor::lowerSort(ImplicitLocOpBuilder &builder,
                                              SortOp op) {
  return createRowLoops(
      builder, {}, op.getOutputs(), op.getDimension(),
      [&](ImplicitLocOpBuilder &nested, ValueRange, ValueRange rows) {
        return MergeSort(nested, op, rows).sort();
      });
}

SmallVector<Value> attn::tm_tensor::lowerTopk(ImplicitLocOpBuilder &builder,
                                              TopkOp op) {
  Type count =
      cast<RankedTensorType>(op.getOutputs()[1].getType()).getElementType();
  return createRowLoops(
      builder, op.getInputs(), op.getOutputs(), op.getDimension(),
      [&](ImplicitLocOpBuilder &nested, ValueRange inputs, ValueRange kept) {
        Value zero = arith::ConstantIndexOp::create(nested, 0);
        Value one = arith::ConstantIndexOp::create(nested, 1);
        Value size = tensor::DimOp::create(nested, inputs[0], 0);
        auto loop = scf::ForOp::create(nested, zero, size, one, kept);
        OpBuilder::InsertionGuard guard(nested);
        nested.setInsertionPointToStart(loop.getBody());
        Value at = loop.getInductionVar();
        Value value = tensor::ExtractOp::create(nested, inputs[0], at);
        Value position =
            inputs.size() > 1
                ? tensor::ExtractOp::create(nested, inputs[1], at).getResult()
                : arith::IndexCastOp::create(nested, count, at).getResult();
        scf::YieldOp::create(nested, insertElement(nested, op, value, position,
                                                   loop.getRegionIterArgs()));
        return SmallVector<Value>(loop.getResults());
      });
}
