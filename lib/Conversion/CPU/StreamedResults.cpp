//===- StreamedResults.cpp - Results written past the caches --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamedResults.h"

#include "../Lanes/RowMemory.h"
#include "../Shared/MemRefMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace attn;

/// No smaller store goes past the caches.
static constexpr int64_t kLeastBytes = 16;

/// Whether another operand of the op lies in the same memory: then the line is
/// in a cache.
static bool isAlsoRead(linalg::GenericOp op, OpOperand &result) {
  Value root = getMemoryRoot(result.get());
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &other) {
    return &other != &result && getMemoryRoot(other.get()) == root;
  });
}

/// Whether an op after this one in the same loop over rows needs the result: it
/// should find it in a cache.
static bool isReadInRow(linalg::GenericOp op, Value memref) {
  if (!isa<scf::ForOp, scf::ForallOp>(op->getParentOp()))
    return false;
  Value root = getMemoryRoot(memref);
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
    if (!isa<ViewLikeOpInterface>(next) &&
        llvm::any_of(next->getOperands(), [&](Value operand) {
          return isa<MemRefType>(operand.getType()) &&
                 getMemoryRoot(operand) == root;
        }))
      return true;
  return false;
}

StreamedResults::StreamedResults(linalg::GenericOp op,
                                 const GenericVectors &vectors)
    : op(op) {
  for (OpOperand &result : op.getDpsInitsMutable()) {
    bool isWrittenOnce = op.getNumReductionLoops() == 0 &&
                         op.getMatchingIndexingMap(&result).isPermutation() &&
                         op.getMatchingBlockArgument(&result).use_empty();
    if (isWrittenOnce && !getElementTypeOrSelf(result.get()).isIndex() &&
        vectors.getStoreBytes(result) >= kLeastBytes &&
        !isAlsoRead(op, result) && !isReadInRow(op, result.get()))
      results.push_back(&result);
  }
}

void StreamedResults::emitIsLarge(OpBuilder &builder, int64_t limit) {
  SmallVector<Value> areLarge;
  llvm::erase_if(results, [&](OpOperand *result) {
    // All rows together, where the loop around the op is over rows.
    memref::SubViewOp row = getRowOfLoop(op, result->get());
    bool isOfItem = row && op->getParentOfType<scf::ForallOp>();
    Value whole = isOfItem ? row.getSource() : result->get();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(whole);
    Value large = attn::emitIsLarge(builder, op.getLoc(), whole, limit);
    if (large)
      areLarge.push_back(large);
    return !large;
  });
  for (Value large : areLarge)
    isLarge = isLarge
                  ? arith::AndIOp::create(builder, op.getLoc(), isLarge, large)
                  : large;
}

Value StreamedResults::emitIsStream(OpBuilder &builder,
                                    GenericVectors &vectors) {
  Value streams = isLarge;
  vectors.getLoopIndices().resize(op.getNumLoops());
  for (OpOperand *result : results) {
    Value memref = result->get();
    SmallVector<Value> row = vectors.getIndices(*result);
    row.pop_back();
    streams = attn::emitIsStream(builder, op.getLoc(), streams, memref, row,
                                 vectors.getStoreBytes(*result) /
                                     getVectorBytes(memref, 1));
  }
  return streams;
}

void StreamedResults::emitEnd(OpBuilder &builder) {
  auto item = op->getParentOfType<scf::ForallOp>();
  if (!item)
    return emitEndOfWrites(builder, op.getLoc(), isLarge);
  Operation *end = item.getBody()->getTerminator();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(end);
  // One does for all ops of the item.
  if (!isa_and_nonnull<LLVM::FenceOp>(end->getPrevNode()))
    emitEndOfWrites(builder, op.getLoc(), isLarge);
}
