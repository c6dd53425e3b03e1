//===- LowerRowsToGPU.cpp - Ops of rows as kernels ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Shared/MergeNormDims.h"
#include "RowAngles.h"
#include "RowKernel.h"
#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/OpList.h"
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

static void emitRows(OpBuilder &builder, NormOp op, GPURowsAttr schedule) {
  mergeNormDims(builder, op);
  RowKernel machine(op.getLoc(), op.getComputeType(), schedule);
  emitNormRows(builder, op, machine);
}

static void emitRows(OpBuilder &builder, SoftmaxOp op, GPURowsAttr schedule) {
  RowKernel machine(op.getLoc(), op.getComputeType(), schedule);
  if (schedule.getChunk() != 0)
    emitSoftmaxSegments(builder, op, machine, schedule.getChunk());
  else
    emitSoftmaxRows(builder, op, machine);
}

static void emitRows(OpBuilder &builder, StatisticsOp op,
                     GPURowsAttr schedule) {
  RowKernel machine(op.getLoc(), op.getComputeType(), schedule);
  if (schedule.getChunk() == 0)
    return emitStatisticsRows(builder, op, machine);
  int64_t columns = schedule.getChunk(), lines = 1;
  int64_t last = op.getInputType().getShape().back();
  if (!ShapedType::isDynamic(last) && last != 0)
    lines = std::max<int64_t>(columns / last, 1);
  emitStatistics(builder, op, machine, lines, columns);
}

/// An op with an overload of `emitRows` may be a kernel of rows.
template <typename OpTy>
using RowsOf =
    decltype(emitRows(std::declval<OpBuilder &>(), std::declval<OpTy>(),
                      std::declval<GPURowsAttr>()));

template <typename OpTy> static void lower(Operation *root) {
  SmallVector<OpTy> ops;
  root->walk([&](OpTy op) {
    if (op->getNumResults() == 0 &&
        isa_and_present<GPURowsAttr>(op.getScheduleAttr()))
      ops.push_back(op);
  });
  for (OpTy op : ops) {
    OpBuilder builder(op);
    emitRows(builder, op, cast<GPURowsAttr>(op.getScheduleAttr()));
    op.erase();
  }
}

namespace {

struct LowerRowsToGPUPass
    : attn::impl::LowerRowsToGPUPassBase<LowerRowsToGPUPass> {
  void runOnOperation() override {
    AllOps::forEach([&](auto op) {
      using OpTy = typename decltype(op)::type;
      if constexpr (llvm::is_detected<RowsOf, OpTy>::value)
        lower<OpTy>(getOperation());
    });
  }
};

} // namespace
