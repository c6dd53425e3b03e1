//===- LowerRowsToGPU.cpp - Ops of rows as kernels ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Rows/RowOps.h"
#include "RowKernel.h"
#include "attn/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace attn {
#define GEN_PASS_DEF_LOWERROWSTOGPUPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;

static void emit(OpBuilder &builder, NormOp op, RowMachine &machine) {
  emitNormRows(builder, op, machine);
}

static void emit(OpBuilder &builder, SoftmaxOp op, RowMachine &machine) {
  emitSoftmaxRows(builder, op, machine);
}

template <typename OpTy> static void lower(func::FuncOp func) {
  SmallVector<OpTy> ops;
  func.walk([&](OpTy op) {
    if (op->getNumResults() == 0 &&
        isa_and_present<GPURowsAttr>(op.getScheduleAttr()))
      ops.push_back(op);
  });
  for (OpTy op : ops) {
    OpBuilder builder(op);
    RowKernel machine(op.getLoc(), op.getComputeType(),
                      cast<GPURowsAttr>(op.getScheduleAttr()));
    emit(builder, op, machine);
    op.erase();
  }
}

namespace {

struct LowerRowsToGPUPass
    : attn::impl::LowerRowsToGPUPassBase<LowerRowsToGPUPass> {
  void runOnOperation() override {
    lower<NormOp>(getOperation());
    lower<SoftmaxOp>(getOperation());
  }
};

} // namespace
