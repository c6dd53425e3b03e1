//===- SinkIntoLaunch.cpp - What a kernel computes by itself --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SinkIntoLaunch.h"
#include "../../Shared/MemRefMemory.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace attn;

static bool isConstantData(Value memref) {
  return getMemoryRoot(memref).getDefiningOp<memref::GetGlobalOp>() != nullptr;
}

/// Whether two roots are certainly apart. What is allocated is nobody else's,
/// and the arguments of an entry do not overlap what it writes.
static bool areApart(Value a, Value b) {
  auto isPlain = [](Value root) {
    if (auto argument = dyn_cast<BlockArgument>(root))
      return isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
    return isa<memref::AllocOp, memref::GetGlobalOp>(root.getDefiningOp());
  };
  return a != b && isPlain(a) && isPlain(b);
}

/// Whether `op`, or an op in it, may write the memory of `root`.
static bool mayWrite(Operation *op, Value root) {
  return op
      ->walk([&](Operation *inner) {
        if (auto store = dyn_cast<memref::StoreOp>(inner))
          return areApart(getMemoryRoot(store.getMemref()), root)
                     ? WalkResult::advance()
                     : WalkResult::interrupt();
        // Their bodies are looked at.
        if (inner->getNumRegions() != 0 || isMemoryEffectFree(inner) ||
            isa<memref::LoadOp, memref::AllocOp>(inner))
          return WalkResult::advance();
        if (auto free = dyn_cast<memref::DeallocOp>(inner))
          if (areApart(getMemoryRoot(free.getMemref()), root))
            return WalkResult::advance();
        return WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// Whether the launch finds in memory what `load` found.
static bool canLoadLater(memref::LoadOp load, gpu::LaunchOp launch) {
  if (isConstantData(load.getMemref()))
    return true;
  Operation *last = load->getBlock()->findAncestorOpInBlock(*launch);
  if (!last)
    return false;
  // A loop around the launch comes by again after what it writes.
  Value root = getMemoryRoot(load.getMemref());
  if (last != launch && mayWrite(last, root))
    return false;
  for (Operation *op = load->getNextNode(); op != last; op = op->getNextNode())
    if (mayWrite(op, root))
      return false;
  return true;
}

static bool isSinkable(Operation *op, gpu::LaunchOp launch) {
  if (matchPattern(op, m_Constant()) || isa<memref::GetGlobalOp>(op))
    return true;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return canLoadLater(load, launch);
  // A number that is widened on the host would be waited for.
  if (isa<CastOpInterface>(op) && isPure(op) && op->getNumOperands() == 1)
    if (auto load = op->getOperand(0).getDefiningOp<memref::LoadOp>())
      return canLoadLater(load, launch);
  return isa<ViewLikeOpInterface>(op) && isConstantData(op->getResult(0));
}

void attn::sinkIntoLaunch(gpu::LaunchOp launch) {
  Region &body = launch.getBody();
  // What moves in may use what can move in, too.
  for (bool changed = true; changed;) {
    changed = false;
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(body, used);
    for (Value value : used) {
      Operation *op = value.getDefiningOp();
      if (!op || !isSinkable(op, launch))
        continue;
      OpBuilder builder(&body.front(), body.front().begin());
      Operation *clone = builder.clone(*op);
      for (auto [from, to] :
           llvm::zip_equal(op->getResults(), clone->getResults()))
        replaceAllUsesInRegionWith(from, to, body);
      changed = true;
    }
  }
}
