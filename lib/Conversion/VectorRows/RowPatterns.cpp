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

#include "attn/Dialect/Attn/IR/OpList.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attn;

static void emitRows(OpBuilder &builder, NormOp op,
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

static void emitRows(OpBuilder &builder, StatisticsOp op,
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

static void emitRows(OpBuilder &builder, RopeOp op,
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

/// An op with an overload of `emitRows` is one of rows.
template <typename OpTy>
using RowsOf =
    decltype(emitRows(std::declval<OpBuilder &>(), std::declval<OpTy>(),
                      std::declval<const TargetDescription &>()));

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
    emitRows(rewriter, op, target);
    rewriter.eraseOp(op);
    return success();
  }

  const TargetDescription &target;
};

} // namespace

void attn::populateRowPatterns(RewritePatternSet &patterns,
                               const TargetDescription &target) {
  AllOps::forEach([&](auto op) {
    using OpTy = typename decltype(op)::type;
    if constexpr (llvm::is_detected<RowsOf, OpTy>::value)
      patterns.add<LowerRows<OpTy>>(patterns.getContext(), target);
  });
}
