//===- RowPatterns.cpp - Ops of rows as vector loops ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowPatterns.h"
#include "../Rows/GivenAngles.h"
#include "VectorAngles.h"
#include "VectorRows.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attn;

static void emit(OpBuilder &builder, NormOp op,
                 const TargetDescription &target) {
  auto schedule = cast<NormScheduleAttr>(op.getScheduleAttr());
  if (schedule.getPanel() != 0)
    return emitNormTiles(builder, op);
  VectorRows machine(op.getLoc(),
                     {op.getComputeType(), schedule.getLanes(),
                      schedule.getUnroll(), schedule.getRows(),
                      schedule.getStream(), /*masksRest=*/false},
                     target);
  emitNormRows(builder, op, machine);
}

static void emit(OpBuilder &builder, SoftmaxOp op,
                 const TargetDescription &target) {
  emitSoftmax(builder, op, target);
}

static void emit(OpBuilder &builder, StatisticsOp op,
                 const TargetDescription &target) {
  auto schedule = cast<StatisticsScheduleAttr>(op.getScheduleAttr());
  VectorRows machine(op.getLoc(),
                     {op.getComputeType(), schedule.getLanes(),
                      schedule.getUnroll(), schedule.getChunks(), /*stream=*/0,
                      /*masksRest=*/true},
                     target);
  emitStatistics(builder, op, machine, schedule.getLines(),
                 schedule.getColumns());
}

static void emit(OpBuilder &builder, RopeOp op,
                 const TargetDescription &target) {
  auto schedule = cast<PositionScheduleAttr>(op.getScheduleAttr());
  FloatType type = builder.getF32Type();
  if (getElementTypeOrSelf(op.getOutput()).isF64())
    type = builder.getF64Type();
  VectorRows machine(op.getLoc(),
                     {type, schedule.getLanes(), /*unroll=*/1,
                      schedule.getRows(), schedule.getStream(),
                      /*masksRest=*/true},
                     target);
  if (op.hasTables()) {
    GivenAngles angles(op, machine);
    return emitRope(builder, op, machine, angles);
  }
  VectorAngles angles(op, type);
  emitRope(builder, op, machine, angles);
}

static void emit(OpBuilder &builder, SinusoidalPositionsOp op,
                 const TargetDescription &) {
  emitSinusoidalPositions(builder, op);
}

namespace {

template <typename OpTy> struct LowerRows : OpRewritePattern<OpTy> {
  LowerRows(MLIRContext *context, const TargetDescription &target)
      : OpRewritePattern<OpTy>(context), target(target) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isa<MemRefType>(op.getOutput().getType()))
      return rewriter.notifyMatchFailure(op, "operands are not memrefs");
    if (!op.getSchedule())
      return rewriter.notifyMatchFailure(op, "the op has no schedule");
    emit(rewriter, op, target);
    rewriter.eraseOp(op);
    return success();
  }

  const TargetDescription &target;
};

} // namespace

void attn::populateRowPatterns(RewritePatternSet &patterns,
                               const TargetDescription &target) {
  patterns.add<LowerRows<NormOp>, LowerRows<SoftmaxOp>, LowerRows<StatisticsOp>,
               LowerRows<RopeOp>, LowerRows<SinusoidalPositionsOp>>(
      patterns.getContext(), target);
}
