//===- SinkIntoLaunch.cpp - What a kernel computes by itself --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Shared/MemRefMemory.h"
#include "OutlineKernels.h"
#include "attn/Dialect/AttnNV/IR/AttnNV.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
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

/// The memref that an address of global memory is computed from; null where
/// that is not known.
static Value getAddressed(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (auto start = dyn_cast<memref::ExtractAlignedPointerAsIndexOp>(op))
      return start.getSource();
    if (!isa<LLVM::GEPOp, LLVM::IntToPtrOp, arith::IndexCastOp>(op))
      break;
    pointer = op->getOperand(0);
  }
  return {};
}

/// What no other kernel sees: instructions of warps, what is written to shared
/// memory, and tensor maps, which the host makes.
static bool isOfBlock(Operation *op) {
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return cast<LLVM::LLVMPointerType>(store.getAddr().getType())
               .getAddressSpace() ==
           static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared);
  if (isa<attn_nv::AttnNVDialect>(op->getDialect()))
    return true;
  return isa<NVVM::Barrier0Op, NVVM::BarrierOp, NVVM::SyncWarpOp,
             NVVM::CpAsyncOp, NVVM::CpAsyncCommitGroupOp,
             NVVM::CpAsyncWaitGroupOp, NVVM::LdMatrixOp, NVVM::MmaOp,
             NVVM::ShflOp, nvgpu::TmaCreateDescriptorOp, NVVM::MBarrierInitOp,
             NVVM::FenceMbarrierInitOp, NVVM::MBarrierTryWaitParityOp,
             NVVM::MBarrierArriveOp, NVVM::MBarrierArriveExpectTxOp,
             NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp,
             NVVM::CpAsyncBulkCommitGroupOp, NVVM::CpAsyncBulkWaitGroupOp,
             NVVM::FenceProxyOp, NVVM::SetMaxRegisterOp, NVVM::ElectSyncOp,
             NVVM::PrefetchOp, NVVM::WgmmaGroupSyncAlignedOp>(op);
}

/// Whether `op`, or an op in it, may write the memory of `root`.
static bool mayWrite(Operation *op, Value root) {
  auto isHarmless = [&](const MemoryEffects::EffectInstance &effect) {
    if (!isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect()))
      return true;
    Value written = effect.getValue();
    if (written && isa<LLVM::LLVMPointerType>(written.getType()))
      written = getAddressed(written);
    return written && areApart(getMemoryRoot(written), root);
  };
  return op
      ->walk([&](Operation *inner) {
        // Their bodies are looked at.
        if (inner->getNumRegions() != 0 || isMemoryEffectFree(inner) ||
            isOfBlock(inner))
          return WalkResult::advance();
        auto known = dyn_cast<MemoryEffectOpInterface>(inner);
        if (!known)
          return WalkResult::interrupt();
        SmallVector<MemoryEffects::EffectInstance> effects;
        known.getEffects(effects);
        return llvm::all_of(effects, isHarmless) ? WalkResult::advance()
                                                 : WalkResult::interrupt();
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

/// Whether the host computes `op` of a number that it would have to wait for,
/// and the launch can load instead.
static bool usesLoads(Operation *op, gpu::LaunchOp launch,
                      llvm::DenseSet<Operation *> &seen) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return canLoadLater(load, launch);
  if (!isMemoryEffectFree(op) || op->getNumRegions() != 0 ||
      !seen.insert(op).second)
    return false;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    Operation *producer = operand.getDefiningOp();
    return producer && usesLoads(producer, launch, seen);
  });
}

static bool isSinkable(Operation *op, gpu::LaunchOp launch) {
  if (matchPattern(op, m_Constant()) || isa<memref::GetGlobalOp>(op))
    return true;
  llvm::DenseSet<Operation *> seen;
  return usesLoads(op, launch, seen) ||
         (isa<ViewLikeOpInterface>(op) && isConstantData(op->getResult(0)));
}

void attn::sinkIntoLaunch(gpu::LaunchOp launch) {
  Region &body = launch.getBody();
  // What moves in may use what can move in, too.
  for (bool changed = true; changed;) {
    changed = false;
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(body, used);
    llvm::SetVector<Operation *> producers;
    for (Value value : used)
      if (Operation *op = value.getDefiningOp())
        producers.insert(op);
    for (Operation *op : producers) {
      if (!isSinkable(op, launch))
        continue;
      OpBuilder builder(&body.front(), body.front().begin());
      Operation *clone = builder.clone(*op);
      for (auto [from, to] :
           llvm::zip_equal(op->getResults(), clone->getResults()))
        replaceAllUsesInRegionWith(from, to, body);
      // What nobody else needs is not loaded by the host.
      if (isOpTriviallyDead(op))
        op->erase();
      changed = true;
    }
  }
}
