//===- Softmax.cpp - Which form an attn.softmax takes ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Softmax.h"
#include "../Lanes/LaneMemory.h"
#include "SoftmaxEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

/// Fewer rows than these are cut, too, where they have two segments.
constexpr int64_t kFewRows = 4;

/// Whether rows are cut into segments: an i1 that folds where the sizes are
/// known. It depends on sizes alone, so that the number of threads does not
/// change a bit.
static Value emitIsCut(OpBuilder &builder, SoftmaxOp op) {
  Location loc = op.getLoc();
  SoftmaxScheduleAttr schedule =
      cast<SoftmaxScheduleAttr>(op.getScheduleAttr());
  int64_t last = cast<ShapedType>(op.getInput().getType()).getRank() - 1;
  Value rows = createIndex(builder, loc, 1);
  auto sizeOf = [&](int64_t dim) {
    return builder.createOrFold<memref::DimOp>(loc, op.getInput(),
                                               createIndex(builder, loc, dim));
  };
  for (int64_t dim = 0; dim < last; ++dim)
    rows = builder.createOrFold<arith::MulIOp>(loc, rows, sizeOf(dim));
  auto compare = [&](arith::CmpIPredicate predicate, Value a, int64_t b) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a,
                                               createIndex(builder, loc, b));
  };
  Value size = sizeOf(last);
  Value isLong = compare(arith::CmpIPredicate::ugt, size, schedule.getWhole());
  Value isCuttable =
      compare(arith::CmpIPredicate::uge, size, 2 * schedule.getSegment());
  Value areFew = compare(arith::CmpIPredicate::ult, rows, kFewRows);
  Value areWorthIt =
      builder.createOrFold<arith::AndIOp>(loc, isCuttable, areFew);
  return builder.createOrFold<arith::OrIOp>(loc, isLong, areWorthIt);
}

namespace {

struct LowerSoftmax : OpRewritePattern<SoftmaxOp> {
  LowerSoftmax(MLIRContext *context, const TargetDescription &target)
      : OpRewritePattern(context), target(target) {}

  LogicalResult matchAndRewrite(SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<MemRefType>(op.getInput().getType()))
      return rewriter.notifyMatchFailure(op, "operands are not memrefs");
    if (!op.getSchedule())
      return rewriter.notifyMatchFailure(op, "the op has no schedule");
    int64_t rank = cast<ShapedType>(op.getInput().getType()).getRank();
    if (op.getKeyDim() + 1 != rank) {
      emitSoftmaxColumns(rewriter, op, target);
      rewriter.eraseOp(op);
      return success();
    }
    Value isCut = emitIsCut(rewriter, op);
    if (std::optional<int64_t> known = getConstantIntValue(isCut)) {
      if (*known)
        emitSoftmaxSegments(rewriter, op, target);
      else
        emitSoftmaxRows(rewriter, op, target);
      rewriter.eraseOp(op);
      return success();
    }
    auto emitForm = [&](auto emit) {
      return [&, emit](OpBuilder &nested, Location loc) {
        emit(nested, op, target);
        scf::YieldOp::create(nested, loc);
      };
    };
    scf::IfOp::create(rewriter, op.getLoc(), isCut,
                      emitForm(emitSoftmaxSegments), emitForm(emitSoftmaxRows));
    rewriter.eraseOp(op);
    return success();
  }

  const TargetDescription &target;
};

} // namespace

void attn::populateSoftmaxPattern(RewritePatternSet &patterns,
                                  const TargetDescription &target) {
  patterns.add<LowerSoftmax>(patterns.getContext(), target);
}
