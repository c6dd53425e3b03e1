//===- GroupRows.cpp - Parallel rows become blocks of rows ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Lanes/RowMemory.h"
#include "../Structured/RowLoops.h"
#include "WorkItems.h"

#include "attn/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace attn {
#define GEN_PASS_DEF_GROUPROWSPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// The elements that the longest op of a row goes over.
int64_t countElements(scf::ForallOp rows) {
  int64_t elements = 1;
  rows.getBody()->walk([&](linalg::LinalgOp op) {
    elements = std::max(elements, estimateElements(op.getStaticLoopRanges()));
  });
  return elements;
}

/// The scratch of a row that the item may have once for all its rows; nothing
/// where a row has other scratch, which no loop of an item may allocate.
std::optional<SmallVector<memref::AllocOp>> findScratch(scf::ForallOp rows) {
  SmallVector<memref::AllocOp> scratch;
  bool isFixed = true;
  rows.getBody()->walk([&](Operation *op) {
    if (!isa<memref::AllocOp, memref::DeallocOp>(op))
      return;
    isFixed &= op->getBlock() == rows.getBody();
    auto alloc = dyn_cast<memref::AllocOp>(op);
    if (!alloc)
      return;
    isFixed &= llvm::all_of(alloc->getOperands(), [&](Value size) {
      return rows.isDefinedOutsideOfLoop(size);
    });
    scratch.push_back(alloc);
  });
  return isFixed ? std::optional(scratch) : std::nullopt;
}

void emitItem(OpBuilder &builder, scf::ForallOp rows, const RowBlock &block,
              ArrayRef<memref::AllocOp> scratch) {
  Location loc = rows.getLoc();
  IRMapping shared;
  for (memref::AllocOp alloc : scratch)
    builder.clone(*alloc, shared);
  auto isScratch = [&](Operation &op) {
    auto dealloc = dyn_cast<memref::DeallocOp>(op);
    return isa<memref::AllocOp>(op) ||
           (dealloc && shared.contains(dealloc.getMemref()));
  };
  block.emitRows(builder, loc,
                 [&](OpBuilder &nested, ValueRange row, ValueRange) {
                   IRMapping values(shared);
                   values.map(rows.getInductionVars(), row);
                   for (Operation &op : rows.getBody()->without_terminator())
                     if (!isScratch(op))
                       nested.clone(op, values);
                 });
  for (memref::AllocOp alloc : scratch)
    memref::DeallocOp::create(builder, loc, shared.lookup(alloc.getMemref()));
}

void groupRows(IRRewriter &rewriter, scf::ForallOp rows) {
  moveLoopInvariantCode(rows);
  std::optional<SmallVector<memref::AllocOp>> scratch = findScratch(rows);
  if (!scratch)
    return;
  // A call a row costs more than the number that most of these copy.
  SmallVector<memref::CopyOp> copies;
  rows.getBody()->walk([&](memref::CopyOp copy) { copies.push_back(copy); });
  for (memref::CopyOp copy : copies) {
    rewriter.setInsertionPoint(copy);
    linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
    rewriter.eraseOp(copy);
  }
  rewriter.setInsertionPoint(rows);
  int64_t count = std::max<int64_t>(1, kItemElements / countElements(rows));
  emitRowBlocks(rewriter, rows.getLoc(), rows.getUpperBound(rewriter), count,
                [&](OpBuilder &builder, const RowBlock &block) {
                  emitItem(builder, rows, block, *scratch);
                });
  rewriter.eraseOp(rows);
}

struct GroupRowsPass : impl::GroupRowsPassBase<GroupRowsPass> {
  using GroupRowsPassBase::GroupRowsPassBase;

  void runOnOperation() override {
    SmallVector<scf::ForallOp> loops;
    getOperation()->walk([&](scf::ForallOp loop) {
      // Upstream's tiling starts at 0, in steps of one row.
      if (loop->hasAttr(kRowLoopAttr) && loop.isNormalized() &&
          loop.getNumResults() == 0)
        loops.push_back(loop);
    });
    IRRewriter rewriter(&getContext());
    for (scf::ForallOp loop : loops)
      groupRows(rewriter, loop);
  }
};

} // namespace
} // namespace attn
