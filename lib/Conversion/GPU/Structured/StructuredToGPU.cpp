//===- StructuredToGPU.cpp - linalg on memrefs as kernels -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StructuredToGPU.h"
#include "StructuredKernel.h"
#include "attn/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace attn {
#define GEN_PASS_DEF_STRUCTUREDTOGPUPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

struct StructuredToGPUPass
    : impl::StructuredToGPUPassBase<StructuredToGPUPass> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    SmallVector<linalg::LinalgOp> found;
    getOperation().walk([&](Operation *op) {
      if (op->getParentOfType<gpu::LaunchOp>())
        return;
      if (auto copy = dyn_cast<memref::CopyOp>(op)) {
        builder.setInsertionPoint(copy);
        auto made = linalg::CopyOp::create(builder, copy.getLoc(),
                                           copy.getSource(), copy.getTarget());
        found.push_back(cast<linalg::LinalgOp>(made.getOperation()));
        copy.erase();
      } else if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
        found.push_back(structured);
      }
    });
    for (linalg::LinalgOp op : found) {
      StructuredKernel(builder, op).emit();
      op.erase();
    }
    moveHostLoops(getOperation());
    if (failed(guardKernelAssertions(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace attn
