//===- VectorizeElementwise.cpp - Elementwise ops on vectors of a row -----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericVectors.h"
#include "PairedHalves.h"

#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace attn {
#define GEN_PASS_DEF_VECTORIZEELEMENTWISEPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// Whether the elements of a row have nothing to do with each other. Outer
/// loops may be reductions: each lane has its own.
bool canVectorize(linalg::GenericOp op) {
  if (!canUseGenericVectors(op) ||
      op.getIteratorTypesArray().back() != utils::IteratorType::parallel)
    return false;
  unsigned last = op.getNumLoops() - 1;
  // One element is no vector.
  if (op.getStaticLoopRanges().back() == 1)
    return false;
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &output) {
    return op.getMatchingIndexingMap(&output).isFunctionOfDim(last);
  });
}

void emitVector(GenericVectors &vectors, linalg::GenericOp op, Value column,
                Value mask) {
  auto yielded = op.getBody()->getTerminator()->getOperands();
  // Pairs are rounded as they are put together.
  llvm::DenseSet<Operation *> skipped;
  if (vectors.isPaired())
    for (Value result : yielded)
      skipped.insert(result.getDefiningOp());
  IRMapping values = vectors.emitBody(column, mask, skipped);
  for (auto [output, result] :
       llvm::zip_equal(op.getDpsInitsMutable(), yielded)) {
    Value wide =
        vectors.isPaired() ? result.getDefiningOp()->getOperand(0) : result;
    vectors.store(output, values.lookup(wide), mask);
  }
}

/// Vectors that are full, then one of the rest.
void emitLoops(OpBuilder &builder, linalg::GenericOp op, int64_t bits) {
  Location loc = op.getLoc();
  GenericVectors vectors(builder, op, bits,
                         /*isPaired=*/canPairHalves(op, bits / 16));
  vectors.broadcastCaptures();
  SmallVector<Value> sizes = vectors.createSizes();
  for (Value size : ArrayRef(sizes).drop_back())
    vectors.enter(size);
  Value size = sizes.back(), step = vectors.index(vectors.getNumLanes());
  Value rest = arith::RemUIOp::create(builder, loc, size, step);
  Value full = arith::SubIOp::create(builder, loc, size, rest);
  OpBuilder::InsertPoint row = builder.saveInsertionPoint();
  Value column = vectors.enter(vectors.index(0), full, step);
  if (vectors.isPaired())
    vectors.prefetch(column);
  emitVector(vectors, op, column, Value());
  builder.restoreInsertionPoint(row);
  IntegerAttr known;
  if (matchPattern(size, m_Constant(&known)) &&
      known.getInt() % vectors.getNumLanes() == 0)
    return;
  column = vectors.enter(full, size, step);
  emitVector(vectors, op, column, vectors.createMask(rest));
}

struct VectorizeElementwisePass
    : impl::VectorizeElementwisePassBase<VectorizeElementwisePass> {
  using VectorizeElementwisePassBase::VectorizeElementwisePassBase;

  void runOnOperation() override {
    TargetDescription target = readTarget(getOperation());
    SmallVector<linalg::GenericOp> ops;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (canVectorize(op))
        ops.push_back(op);
    });
    for (linalg::GenericOp op : ops) {
      OpBuilder builder(op);
      emitLoops(builder, op, target.vectorBits);
      op.erase();
    }
  }
};

} // namespace
} // namespace attn
