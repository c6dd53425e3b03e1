//===- StructuredToGPU.cpp - linalg on memrefs as kernels -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The portable path of a GPU: every structured op is a kernel with a thread for
// each element of its result, and its reductions are loops of that thread.
//
//===----------------------------------------------------------------------===//

#include "ElementKernel.h"
#include "HostLoops.h"
#include "KernelAssertions.h"
#include "attn/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

namespace attn {
#define GEN_PASS_DEF_STRUCTUREDTOGPUPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// One structured op on its way into a kernel.
class StructuredKernel {
public:
  StructuredKernel(OpBuilder &builder, linalg::LinalgOp op)
      : builder(builder), op(op), loc(op.getLoc()), indices(op.getNumLoops()) {}

  void emit();

private:
  /// The dimensions that have a thread for each index, in the order in which
  /// the first result lies in memory; what all results name, each once.
  SmallVector<unsigned> getThreadDims();
  void emitThread(OpBuilder &b, ArrayRef<unsigned> loopDims);
  /// The loops over `dims`, with the results so far as carried values where
  /// they stay in registers.
  SmallVector<Value> emitLoops(OpBuilder &b, ArrayRef<unsigned> dims,
                               ValueRange carried);
  SmallVector<Value> emitBody(OpBuilder &b, ValueRange results);
  SmallVector<Value> getPosition(OpBuilder &b, OpOperand &operand);
  Value loadOperand(OpBuilder &b, OpOperand &operand);
  void store(OpBuilder &b, ValueRange values);

  OpBuilder &builder;
  linalg::LinalgOp op;
  Location loc;
  /// By loop, those that are known where code is emitted.
  SmallVector<Value> indices;
  SmallVector<Value> sizes;
};

} // namespace

SmallVector<unsigned> StructuredKernel::getThreadDims() {
  SmallVector<unsigned> dims;
  AffineMap first = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineExpr result : first.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim || llvm::is_contained(dims, dim.getPosition()))
      continue;
    // Threads that share an element of any result would race for it.
    bool isEverywhere =
        llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
          return op.getMatchingIndexingMap(&init).getResultPosition(dim);
        });
    if (isEverywhere)
      dims.push_back(dim.getPosition());
  }
  return dims;
}

SmallVector<Value> StructuredKernel::getPosition(OpBuilder &b,
                                                 OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<OpFoldResult> known(indices.begin(), indices.end());
  SmallVector<Value> position;
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    position.push_back(
        getValueOrCreateConstantIndexOp(b, loc,
                                        affine::makeComposedFoldedAffineApply(
                                            b, loc, map.getSubMap(i), known)));
  return position;
}

Value StructuredKernel::loadOperand(OpBuilder &b, OpOperand &operand) {
  if (!isa<MemRefType>(operand.get().getType()))
    return operand.get();
  return memref::LoadOp::create(b, loc, operand.get(), getPosition(b, operand));
}

void StructuredKernel::store(OpBuilder &b, ValueRange values) {
  for (auto [value, init] : llvm::zip_equal(values, op.getDpsInitsMutable()))
    memref::StoreOp::create(b, loc, value, init.get(), getPosition(b, init));
}

SmallVector<Value> StructuredKernel::emitBody(OpBuilder &b,
                                              ValueRange results) {
  Block *body = op.getBlock();
  IRMapping map;
  for (OpOperand *input : op.getDpsInputOperands())
    map.map(op.getMatchingBlockArgument(input), loadOperand(b, *input));
  for (auto [init, result] : llvm::zip_equal(op.getDpsInitsMutable(), results))
    map.map(op.getMatchingBlockArgument(&init), result);
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      map.map(index.getResult(), indices[index.getDim()]);
    else
      b.clone(inner, map);
  }
  return llvm::map_to_vector(body->getTerminator()->getOperands(),
                             [&](Value v) { return map.lookupOrDefault(v); });
}

SmallVector<Value> StructuredKernel::emitLoops(OpBuilder &b,
                                               ArrayRef<unsigned> dims,
                                               ValueRange carried) {
  if (dims.empty())
    return emitBody(b, carried);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto body = [&](OpBuilder &nested, Location, Value i, ValueRange inner) {
    indices[dims.front()] = i;
    scf::YieldOp::create(nested, loc,
                         emitLoops(nested, dims.drop_front(), inner));
  };
  auto loop =
      scf::ForOp::create(b, loc, zero, sizes[dims.front()], one, carried, body);
  return SmallVector<Value>(loop.getResults());
}

void StructuredKernel::emitThread(OpBuilder &b, ArrayRef<unsigned> loopDims) {
  auto load = [&](OpBuilder &at) {
    SmallVector<Value> values;
    for (OpOperand &init : op.getDpsInitsMutable())
      values.push_back(loadOperand(at, init));
    return values;
  };
  // The dimensions around the first one that every result has all of its own.
  ArrayRef<unsigned> outer;
  for (auto [position, dim] : llvm::enumerate(loopDims))
    for (OpOperand &init : op.getDpsInitsMutable())
      if (op.getMatchingIndexingMap(&init).isFunctionOfDim(dim))
        outer = loopDims.take_front(position + 1);
  ArrayRef<unsigned> inner = loopDims.drop_front(outer.size());
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  OpBuilder::InsertionGuard guard(b);
  for (unsigned dim : outer) {
    auto loop = scf::ForOp::create(b, loc, zero, sizes[dim], one);
    indices[dim] = loop.getInductionVar();
    b.setInsertionPointToStart(loop.getBody());
  }
  store(b, emitLoops(b, inner, load(b)));
}

void StructuredKernel::emit() {
  builder.setInsertionPoint(op);
  SmallVector<unsigned> threadDims = getThreadDims(), loopDims;
  SmallVector<Range> ranges = op.createLoopRanges(builder, loc);
  SmallVector<OpFoldResult> box;
  for (Range range : ranges)
    sizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, range.size));
  for (unsigned dim = 0; dim < ranges.size(); ++dim)
    if (!llvm::is_contained(threadDims, dim))
      loopDims.push_back(dim);
  for (unsigned dim : threadDims)
    box.push_back(ranges[dim].size);
  emitElementKernel(builder, loc, box, [&](OpBuilder &b, ValueRange point) {
    for (auto [dim, index] : llvm::zip_equal(threadDims, point))
      indices[dim] = index;
    emitThread(b, loopDims);
  });
  op.erase();
}

namespace {

/// A thread for each element.
void emitCopy(OpBuilder &builder, memref::CopyOp op) {
  builder.setInsertionPoint(op);
  Location loc = op.getLoc();
  emitElementKernel(
      builder, loc, memref::getMixedSizes(builder, loc, op.getSource()),
      [&](OpBuilder &b, ValueRange point) {
        Value element = memref::LoadOp::create(b, loc, op.getSource(), point);
        memref::StoreOp::create(b, loc, element, op.getTarget(), point);
      });
  op.erase();
}

struct StructuredToGPUPass
    : impl::StructuredToGPUPassBase<StructuredToGPUPass> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    SmallVector<Operation *> found;
    getOperation().walk([&](Operation *op) {
      if (isa<linalg::LinalgOp, memref::CopyOp>(op) &&
          !op->getParentOfType<gpu::LaunchOp>())
        found.push_back(op);
    });
    for (Operation *op : found) {
      if (auto copy = dyn_cast<memref::CopyOp>(op))
        emitCopy(builder, copy);
      else
        StructuredKernel(builder, cast<linalg::LinalgOp>(op)).emit();
    }
    moveHostLoops(getOperation());
    if (failed(guardKernelAssertions(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace attn
