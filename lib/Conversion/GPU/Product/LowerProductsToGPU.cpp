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
    gpu = readTarget(getOperation()).gpu;
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (op->getNumResults() == 0 &&
          isa_and_present<GPUProductAttr, GPUDotsAttr>(getSchedule(op)))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (failed(lower(op)))
        return signalPassFailure();
  }

private:
  static Attribute getSchedule(Operation *op) {
    if (auto linear = dyn_cast<LinearOp>(op))
      return linear.getScheduleAttr();
    return isa<linalg::LinalgOp>(op) ? op->getAttr(kContractionAttrName)
                                     : Attribute();
  }

  LogicalResult lower(Operation *op) {
    OpBuilder builder(op);
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    std::string reason;
    if (structured && !readMatrixRoles(structured, reason)) {
      Remark(RemarkId::ContractionLoops, {{"reason", reason}})
          .emit(op->getLoc());
      return success();
    }
    FoundProduct found = structured ? readStructured(builder, structured)
                                    : readLinear(builder, cast<LinearOp>(op));
    ProductLaunch launch(builder, op->getLoc(), found, gpu ? &*gpu : nullptr);
    Attribute schedule = getSchedule(op);
    if (auto dots = dyn_cast<GPUDotsAttr>(schedule)) {
      if (failed(launch.emit(dots)))
        return failure();
    } else {
      launch.emit(cast<GPUProductAttr>(schedule));
    }
    op->erase();
    return success();
  }

  std::optional<GPUDescription> gpu;
};

} // namespace
