//===- VectorizeElementwise.cpp - Elementwise ops on vectors of a row -----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Lanes/RowMemory.h"
#include "PairedHalves.h"
#include "StreamedResults.h"
#include "WorkItems.h"

#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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

/// Whether memory takes longer than arithmetic, with few ops and no function.
/// Else the processor looks ahead far enough by itself, and each request would
/// be one more instruction to keep in order.
bool isBoundByMemory(linalg::GenericOp op) {
  constexpr int64_t fewOps = 16;
  auto inner = op.getBody()->without_terminator();
  return llvm::range_size(inner) < fewOps &&
         llvm::none_of(
             inner,
             [](Operation &each) {
               return isa_and_nonnull<math::MathDialect>(each.getDialect());
             });
}

/// Emits the loops of one op.
class ElementwiseEmitter {
public:
  ElementwiseEmitter(OpBuilder &builder, linalg::GenericOp op,
                     const TargetDescription &target)
      : builder(builder), loc(op.getLoc()), op(op), target(target),
        vectors(builder, op, target.vectorBits,
                /*isPaired=*/canPairHalves(op, target.vectorBits / 16)),
        streamed(op, vectors) {}

  void emit();

private:
  /// Vectors that are full, then one of the rest.
  void emitRow(Value begin, Value end);
  void emitVector(Value column, Value mask, bool pastCaches);

  OpBuilder &builder;
  Location loc;
  linalg::GenericOp op;
  const TargetDescription &target;
  GenericVectors vectors;
  StreamedResults streamed;
};

void ElementwiseEmitter::emit() {
  SmallVector<Value> sizes = vectors.createSizes();
  // What does not fit the second-level cache several times over is not found
  // there by whoever reads it next.
  streamed.emitIsLarge(builder, 8 * target.l2Bytes);
  vectors.findNextRows(target.l2Bytes / 2);
  auto loops = static_cast<unsigned>(sizes.size());
  emitWorkItems(
      builder, op, vectors, sizes, std::max(loops - 1, 1U),
      [&](Value begin, Value end) { emitRow(begin, end); },
      [&] { streamed.emitEnd(builder); });
}

void ElementwiseEmitter::emitRow(Value begin, Value end) {
  Value streams = streamed.emitIsStream(builder, vectors);
  Value size = arith::SubIOp::create(builder, loc, end, begin),
        step = vectors.index(vectors.getNumLanes());
  Value rest = arith::RemUIOp::create(builder, loc, size, step);
  Value full = arith::SubIOp::create(builder, loc, end, rest);
  emitWrites(builder, loc, streams, [&](OpBuilder &nested, bool pastCaches) {
    OpBuilder::InsertionGuard guard(builder);
    builder.restoreInsertionPoint(nested.saveInsertionPoint());
    Value column = vectors.enter(begin, full, step);
    if (pastCaches || (vectors.isPaired() && isBoundByMemory(op)))
      vectors.prefetch(column, pastCaches);
    emitVector(column, Value(), pastCaches);
  });
  int64_t known = op.getStaticLoopRanges().back();
  if (!ShapedType::isDynamic(known) && known % vectors.getNumLanes() == 0)
    return;
  Value column = vectors.enter(full, end, step);
  emitVector(column, vectors.createMask(rest), /*pastCaches=*/false);
}

void ElementwiseEmitter::emitVector(Value column, Value mask, bool pastCaches) {
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
    vectors.store(output, values.lookup(wide), mask,
                  pastCaches && streamed.contains(output));
  }
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
      ElementwiseEmitter(builder, op, target).emit();
      op.erase();
    }
  }
};

} // namespace
} // namespace attn
