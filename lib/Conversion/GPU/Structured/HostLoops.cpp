//===- HostLoops.cpp - Loops over device memory ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementKernel.h"
#include "StructuredToGPU.h"
#include "attn/Remarks/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace attn;

template <typename... OpTys> static bool contains(Operation *op) {
  auto find = [](Operation *inner) {
    return isa<OpTys...>(inner) ? WalkResult::interrupt()
                                : WalkResult::advance();
  };
  return op->walk(find).wasInterrupted();
}

/// Whether a thread can do all that `op` does.
static bool fitsThread(Operation *op) {
  return !contains<gpu::LaunchOp, memref::AllocOp, memref::DeallocOp,
                   CallOpInterface>(op);
}

/// Whether `op` writes device memory, or checks it.
static bool isDevices(Operation *op) {
  return contains<memref::StoreOp>(op) ||
         (contains<memref::LoadOp>(op) && contains<cf::AssertOp>(op));
}

/// Whether `op`, which works on device memory, can go into a kernel as a whole.
static bool isMovable(Operation *op) {
  return isa<memref::StoreOp>(op) ||
         (isa<scf::SCFDialect>(op->getDialect()) &&
          !op->hasTrait<OpTrait::IsTerminator>() && op->use_empty() &&
          isDevices(op) && fitsThread(op));
}

static void moveToThread(OpBuilder &builder, Operation *op) {
  if (!isa<memref::StoreOp>(op))
    Remark(RemarkId::SerialKernel).emit(op->getLoc());
  emitElementKernel(builder, op->getLoc(), {},
                    [&](OpBuilder &b, ValueRange) { b.clone(*op); });
}

static void moveIterations(OpBuilder &builder, scf::ForallOp op) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> counts;
  SmallVector<Value> lowers, steps;
  for (auto [lower, upper, step] :
       llvm::zip_equal(op.getMixedLowerBound(), op.getMixedUpperBound(),
                       op.getMixedStep())) {
    lowers.push_back(getValueOrCreateConstantIndexOp(builder, loc, lower));
    steps.push_back(getValueOrCreateConstantIndexOp(builder, loc, step));
    Value last = getValueOrCreateConstantIndexOp(builder, loc, upper);
    Value span = builder.createOrFold<arith::SubIOp>(loc, last, lowers.back());
    Value count =
        builder.createOrFold<arith::CeilDivSIOp>(loc, span, steps.back());
    counts.push_back(builder.createOrFold<arith::MaxSIOp>(
        loc, count, arith::ConstantIndexOp::create(builder, loc, 0)));
  }
  emitElementKernel(builder, loc, counts, [&](OpBuilder &b, ValueRange point) {
    IRMapping map;
    for (auto [iv, index, lower, step] :
         llvm::zip_equal(op.getInductionVars(), point, lowers, steps)) {
      Value scaled = b.createOrFold<arith::MulIOp>(loc, index, step);
      map.map(iv, b.createOrFold<arith::AddIOp>(loc, scaled, lower));
    }
    for (Operation &inner : op.getBody()->without_terminator())
      b.clone(inner, map);
  });
}

void attn::moveHostLoops(func::FuncOp func) {
  SmallVector<Operation *> found;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<gpu::LaunchOp>(op))
      return WalkResult::skip();
    if (!isMovable(op))
      return WalkResult::advance();
    found.push_back(op);
    return WalkResult::skip();
  });
  for (Operation *op : found) {
    OpBuilder builder(op);
    if (auto forall = dyn_cast<scf::ForallOp>(op))
      moveIterations(builder, forall);
    else
      moveToThread(builder, op);
    op->erase();
  }
}
