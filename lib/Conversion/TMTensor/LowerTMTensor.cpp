//===- LowerTMTensor.cpp - Scans, scatters and sorts of torch-mlir --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TMTensorLowerings.h"
#include "attn/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

namespace attn {
#define GEN_PASS_DEF_LOWERTMTENSORPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {

Value tm_tensor::inlineRegion(OpBuilder &builder, Operation *op,
                              ValueRange arguments) {
  Block &block = op->getRegion(0).front();
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &inner : block.without_terminator())
    builder.clone(inner, mapping);
  return mapping.lookupOrDefault(block.getTerminator()->getOperand(0));
}

namespace {

/// A slice of size 1 in dimension `dim`: its offsets, sizes and strides.
struct PartSlice {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  RankedTensorType type;

  PartSlice(ImplicitLocOpBuilder &builder, Value tensor, int64_t dim,
            Value position) {
    auto whole = cast<RankedTensorType>(tensor.getType());
    offsets.assign(whole.getRank(), builder.getIndexAttr(0));
    strides.assign(whole.getRank(), builder.getIndexAttr(1));
    sizes = tensor::getMixedSizes(builder, builder.getLoc(), tensor);
    offsets[dim] = position;
    sizes[dim] = builder.getIndexAttr(1);
    SmallVector<int64_t> shape(whole.getShape());
    shape.erase(shape.begin() + dim);
    type = RankedTensorType::get(shape, whole.getElementType());
  }
};

struct LowerTMTensorPass
    : public impl::LowerTMTensorPassBase<LowerTMTensorPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<tm_tensor::ScanOp, tm_tensor::ScatterOp, tm_tensor::SortOp,
              tm_tensor::TopkOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      ImplicitLocOpBuilder builder(op->getLoc(), op);
      SmallVector<Value> results =
          llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
              .Case([&](tm_tensor::ScanOp scan) {
                return tm_tensor::lowerScan(builder, scan);
              })
              .Case([&](tm_tensor::ScatterOp scatter) {
                return tm_tensor::lowerScatter(builder, scatter);
              })
              .Case([&](tm_tensor::SortOp sort) {
                return tm_tensor::lowerSort(builder, sort);
              })
              .Case([&](tm_tensor::TopkOp topk) {
                return tm_tensor::lowerTopk(builder, topk);
              });
      op->replaceAllUsesWith(results);
      op->erase();
    }
  }
};

} // namespace

Value tm_tensor::createPart(ImplicitLocOpBuilder &builder, Value tensor,
                            int64_t dim, Value position) {
  PartSlice slice(builder, tensor, dim, position);
  return tensor::ExtractSliceOp::create(
      builder, slice.type, tensor, slice.offsets, slice.sizes, slice.strides);
}

Value tm_tensor::insertPart(ImplicitLocOpBuilder &builder, Value part,
                            Value tensor, int64_t dim, Value position) {
  PartSlice slice(builder, tensor, dim, position);
  return tensor::InsertSliceOp::create(builder, part, tensor, slice.offsets,
                                       slice.sizes, slice.strides);
}

SmallVector<Value> tm_tensor::createRowLoops(ImplicitLocOpBuilder &builder,
                                             ValueRange inputs,
                                             ValueRange tensors, int64_t row,
                                             RowBody body) {
  auto type = cast<RankedTensorType>(tensors[0].getType());
  if (type.getRank() == 1)
    return body(builder, inputs, tensors);
  // The first dimension that is not the row's; without it, the row's number may
  // be another.
  int64_t dim = row == 0 ? 1 : 0;
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  Value one = arith::ConstantIndexOp::create(builder, 1);
  Value size = tensor::DimOp::create(builder, tensors[0], dim);
  auto loop = scf::ForOp::create(builder, zero, size, one, tensors);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value position = loop.getInductionVar();
  SmallVector<Value> taken, parts;
  for (Value input : inputs)
    taken.push_back(createPart(builder, input, dim, position));
  for (Value tensor : loop.getRegionIterArgs())
    parts.push_back(createPart(builder, tensor, dim, position));
  SmallVector<Value> done =
      createRowLoops(builder, taken, parts, row - (dim < row), body);
  SmallVector<Value> yielded;
  for (auto [part, tensor] : llvm::zip(done, loop.getRegionIterArgs()))
    yielded.push_back(insertPart(builder, part, tensor, dim, position));
  scf::YieldOp::create(builder, yielded);
  return loop.getResults();
}

} // namespace attn
