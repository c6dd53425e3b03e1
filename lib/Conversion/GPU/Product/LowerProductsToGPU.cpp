//===- LowerProductsToGPU.cpp - Matrix products as launches ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductLaunch.h"
#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "attn/Dialect/Attn/Transforms/MatrixRoles.h"
#include "attn/Dialect/AttnNV/IR/AttnNV.h"
#include "attn/Remarks/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace attn {
#define GEN_PASS_DEF_LOWERPRODUCTSTOGPUPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;

namespace {

struct LowerProductsToGPUPass
    : attn::impl::LowerProductsToGPUPassBase<LowerProductsToGPUPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    LowerProductsToGPUPassBase::getDependentDialects(registry);
    registry.insert<attn_nv::AttnNVDialect>();
  }

  void runOnOperation() override {
    SmallVector<LinearOp> linears;
    SmallVector<linalg::LinalgOp> structured;
    getOperation().walk([&](Operation *op) {
      if (op->getNumResults() != 0)
        return;
      if (auto linear = dyn_cast<LinearOp>(op)) {
        if (isForGPU(linear.getScheduleAttr()))
          linears.push_back(linear);
      } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
        if (isForGPU(op->getAttr(kContractionAttrName)))
          structured.push_back(linalgOp);
      }
    });
    gpu = readTarget(getOperation()).gpu;
    for (LinearOp op : linears)
      if (failed(lower(op)))
        return signalPassFailure();
    for (linalg::LinalgOp op : structured)
      if (failed(lower(op)))
        return signalPassFailure();
  }

private:
  static bool isForGPU(Attribute schedule) {
    return isa_and_present<GPUProductAttr, GPUDotsAttr>(schedule);
  }

  LogicalResult emitProduct(OpBuilder &builder, Location loc,
                            const FoundProduct &found, Attribute schedule) {
    ProductLaunch launch(builder, loc, found, gpu ? &*gpu : nullptr);
    if (auto dots = dyn_cast<GPUDotsAttr>(schedule))
      return launch.emit(dots);
    launch.emit(cast<GPUProductAttr>(schedule));
    return success();
  }

  LogicalResult lower(LinearOp op) {
    OpBuilder builder(op);
    FoundProduct found = readLinear(builder, op);
    if (failed(emitProduct(builder, op.getLoc(), found, op.getScheduleAttr())))
      return failure();
    op.erase();
    return success();
  }

  LogicalResult lower(linalg::LinalgOp op) {
    Attribute schedule = op->getAttr(kContractionAttrName);
    std::string reason;
    if (!readMatrixRoles(op, reason)) {
      Remark(RemarkId::ContractionLoops, {{"reason", reason}})
          .emit(op.getLoc());
      return success();
    }
    OpBuilder builder(op);
    FoundProduct found = readStructured(builder, op);
    if (failed(emitProduct(builder, op.getLoc(), found, schedule)))
      return failure();
    op.erase();
    return success();
  }

  std::optional<GPUDescription> gpu;
};

} // namespace
