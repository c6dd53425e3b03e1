//===- StructuredKernel.cpp - A thread for each element -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StructuredKernel.h"
#include "../Fragment/KernelBuilder.h"
#include "ElementKernel.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace attn;

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
  KernelBuilder kernel(b, loc);
  return kernel.emitLoop(kernel.index(0), sizes[dims.front()], /*step=*/1,
                         carried, [&](Value i, ValueRange inner) {
                           indices[dims.front()] = i;
                           return emitLoops(b, dims.drop_front(), inner);
                         });
}

void StructuredKernel::emitThread(OpBuilder &b, ArrayRef<unsigned> loopDims) {
  // The dimensions around the first one that every result has all of its own.
  ArrayRef<unsigned> outer;
  for (auto [position, dim] : llvm::enumerate(loopDims))
    for (OpOperand &init : op.getDpsInitsMutable())
      if (op.getMatchingIndexingMap(&init).isFunctionOfDim(dim))
        outer = loopDims.take_front(position + 1);
  KernelBuilder kernel(b, loc);
  OpBuilder::InsertionGuard guard(b);
  for (unsigned dim : outer) {
    auto loop = scf::ForOp::create(b, loc, kernel.index(0), sizes[dim],
                                   kernel.index(1));
    indices[dim] = loop.getInductionVar();
    b.setInsertionPointToStart(loop.getBody());
  }
  Values before;
  for (OpOperand &init : op.getDpsInitsMutable())
    before.push_back(loadOperand(b, init));
  store(b, emitLoops(b, loopDims.drop_front(outer.size()), before));
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
