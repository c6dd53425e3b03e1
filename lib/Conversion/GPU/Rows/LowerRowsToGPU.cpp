//===- LowerRowsToGPU.cpp - Ops of rows as kernels ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Rows/GivenAngles.h"
#include "../../Shared/MergeNormDims.h"
#include "RowAngles.h"
#include "RowKernel.h"
#include "attn/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace attn {
#define GEN_PASS_DEF_LOWERROWSTOGPUPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;

/// Sines and cosines, and their products, are f32 or f64.
static FloatType getProductType(Value output) {
  Builder b(output.getContext());
  return getElementTypeOrSelf(output).isF64() ? FloatType(b.getF64Type())
                                              : FloatType(b.getF32Type());
}

static void emit(OpBuilder &builder, NormOp op, GPURowsAttr schedule) {
  mergeNormDims(builder, op);
  RowKernel machine(op.getLoc(), op.getComputeType(), schedule);
  emitNormRows(builder, op, machine);
}

static void emit(OpBuilder &builder, SoftmaxOp op, GPURowsAttr schedule) {
  RowKernel machine(op.getLoc(), op.getComputeType(), schedule);
  if (schedule.getChunk() != 0)
    emitSoftmaxSegments(builder, op, machine, schedule.getChunk());
  else
    emitSoftmaxRows(builder, op, machine);
}

static void emit(OpBuilder &builder, StatisticsOp op, GPURowsAttr schedule) {
  RowKernel machine(op.getLoc(), op.getComputeType(), schedule);
  if (schedule.getChunk() == 0)
    return emitStatisticsRows(builder, op, machine);
  int64_t columns = schedule.getChunk(), lines = 1;
  int64_t last = op.getInputType().getShape().back();
  if (!ShapedType::isDynamic(last) && last != 0)
    lines = std::max<int64_t>(columns / last, 1);
  emitStatistics(builder, op, machine, lines, columns);
}

static void emit(OpBuilder &builder, RopeOp op, GPURowsAttr schedule) {
  FloatType type = getProductType(op.getOutput());
  RowKernel machine(op.getLoc(), type, schedule);
  if (op.hasTables()) {
    GivenAngles angles(op, machine);
    return emitRope(builder, op, machine, angles);
  }
  RowAngles angles(op, op.getNumRotated() / 2, type, machine);
  emitRope(builder, op, machine, angles);
}

static void emit(OpBuilder &builder, SinusoidalPositionsOp op,
                 GPURowsAttr schedule) {
  FloatType type = getProductType(op.getOutput());
  int64_t pairs =
      cast<ShapedType>(op.getOutput().getType()).getShape().back() / 2;
  RowKernel machine(op.getLoc(), type, schedule);
  RowAngles angles(op, pairs, type, machine);
  if (pairs != 0)
    emitSinusoidalRows(builder, op, machine, angles);
}

template <typename OpTy> static void lower(Operation *root) {
  SmallVector<OpTy> ops;
  root->walk([&](OpTy op) {
    if (op->getNumResults() == 0 &&
        isa_and_present<GPURowsAttr>(op.getScheduleAttr()))
      ops.push_back(op);
  });
  for (OpTy op : ops) {
    OpBuilder builder(op);
    emit(builder, op, cast<GPURowsAttr>(op.getScheduleAttr()));
    op.erase();
  }
}

namespace {

struct LowerRowsToGPUPass
    : attn::impl::LowerRowsToGPUPassBase<LowerRowsToGPUPass> {
  void runOnOperation() override {
    lower<NormOp>(getOperation());
    lower<SoftmaxOp>(getOperation());
    lower<StatisticsOp>(getOperation());
    lower<RopeOp>(getOperation());
    lower<SinusoidalPositionsOp>(getOperation());
  }
};

} // namespace
