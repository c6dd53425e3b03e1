//===- StructuredKernel.cpp - A thread for each element -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StructuredKernel.h"
#include "ElementKernel.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace attn;

Value StructuredKernel::createIndex(OpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

int64_t StructuredKernel::getStaticSize(unsigned dim) {
  return getConstantIntValue(sizes[dim]).value_or(ShapedType::kDynamic);
}

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

SmallVector<Value>
StructuredKernel::emitBody(OpBuilder &b,
                           function_ref<Value(OpOperand &)> load) {
  Block *body = op.getBlock();
  IRMapping map;
  for (OpOperand &operand : op->getOpOperands())
    map.map(op.getMatchingBlockArgument(&operand), load(operand));
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
    return emitBody(b, [&](OpOperand &operand) {
      return op.isDpsInit(&operand)
                 ? carried[operand.getOperandNumber() - op.getNumDpsInputs()]
                 : loadOperand(b, operand);
    });
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

void StructuredKernel::emitElements(OpBuilder &b) {
  SmallVector<unsigned> loopDims;
  SmallVector<OpFoldResult> box;
  for (unsigned dim = 0; dim < sizes.size(); ++dim)
    if (!llvm::is_contained(threadDims, dim))
      loopDims.push_back(dim);
  for (unsigned dim : threadDims)
    box.push_back(sizes[dim]);
  emitElementKernel(b, loc, box, [&](OpBuilder &inner, ValueRange point) {
    for (auto [dim, index] : llvm::zip_equal(threadDims, point))
      indices[dim] = index;
    emitThread(inner, loopDims);
  });
}

void StructuredKernel::emit() {
  builder.setInsertionPoint(op);
  threadDims = getThreadDims();
  for (Range range : op.createLoopRanges(builder, loc))
    sizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, range.size));
  if (!isElementwise())
    return emitElements(builder);
  if (SmallVector<OpOperand *> transposed = getTransposed();
      !transposed.empty())
    return emitSquares(builder, transposed);
  emitWide(builder, getWidth());
}
