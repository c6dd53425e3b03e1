//===- StageRing.cpp - Shared memory that is filled and used in turn ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageRing.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace attn;

static constexpr int64_t kBarrierBytes = 8;
/// For how many nanoseconds a wait may sleep before it looks again.
static constexpr int64_t kWaitTicks = 10000000;

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void attn::emitBarrierWait(KernelBuilder &kernel, Value barrier, Value parity) {
  NVVM::MBarrierTryWaitParityOp::create(kernel.getBuilder(), kernel.getLoc(),
                                        barrier, parity,
                                        kernel.constant(kWaitTicks));
}

void attn::emitBarrierArrive(KernelBuilder &kernel, Value barrier) {
  OpBuilder &b = kernel.getBuilder();
  NVVM::MBarrierArriveOp::create(b, kernel.getLoc(), b.getI64Type(), barrier,
                                 /*count=*/Value());
}

void attn::emitBarrierArrive(KernelBuilder &kernel, Value barrier,
                             Value block) {
  OpBuilder &b = kernel.getBuilder();
  auto cluster = LLVM::LLVMPointerType::get(
      b.getContext(),
      static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  Value there =
      NVVM::MapaOp::create(b, kernel.getLoc(), cluster, barrier, block);
  NVVM::MBarrierArriveOp::create(b, kernel.getLoc(), /*res=*/Type(), there,
                                 /*count=*/Value(), NVVM::MemScopeKind::CTA);
}

void attn::emitClusterArrive(KernelBuilder &kernel) {
  NVVM::ClusterArriveOp::create(kernel.getBuilder(), kernel.getLoc(),
                                /*aligned=*/UnitAttr());
}

void attn::emitClusterWait(KernelBuilder &kernel) {
  NVVM::ClusterWaitOp::create(kernel.getBuilder(), kernel.getLoc(),
                              /*aligned=*/UnitAttr());
}

void attn::emitBarrierInit(KernelBuilder &kernel, Value barrier,
                           int64_t arrivals) {
  NVVM::MBarrierInitOp::create(kernel.getBuilder(), kernel.getLoc(), barrier,
                               kernel.constant(arrivals),
                               /*predicate=*/Value());
}

void attn::emitBarrierInitFence(KernelBuilder &kernel) {
  NVVM::FenceMbarrierInitOp::create(kernel.getBuilder(), kernel.getLoc());
}

void attn::emitBarrierExpect(KernelBuilder &kernel, Value barrier,
                             int64_t bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(
      kernel.getBuilder(), kernel.getLoc(), /*res=*/Type(), barrier,
      kernel.constant(bytes), NVVM::MemScopeKind::CTA, /*relaxed=*/false,
      /*predicate=*/Value());
}

//===----------------------------------------------------------------------===//
// The ring
//===----------------------------------------------------------------------===//

Value StageRing::getFull(KernelBuilder &kernel, Value stage) const {
  return kernel.offset(barriers,
                       kernel.mul(stage, kernel.constant(kBarrierBytes)));
}

Value StageRing::getEmpty(KernelBuilder &kernel, Value stage) const {
  return kernel.offset(getFull(kernel, stage), stages * kBarrierBytes);
}

void StageRing::emitInit(KernelBuilder &kernel, int64_t releases,
                         int64_t fills) const {
  for (int64_t i = 0; i < stages; ++i) {
    Value stage = kernel.constant(i);
    emitBarrierInit(kernel, getFull(kernel, stage), fills);
    emitBarrierInit(kernel, getEmpty(kernel, stage), releases * cluster);
  }
  emitBarrierInitFence(kernel);
}

StageRing::Position StageRing::getStart(KernelBuilder &kernel) const {
  return {kernel.constant(0), kernel.constant(0)};
}

StageRing::Position StageRing::emitNext(KernelBuilder &kernel,
                                        const Position &at) const {
  Value next = kernel.add(at.stage, kernel.constant(1));
  Value isLast = kernel.equal(next, kernel.constant(stages));
  Value other = kernel.bitXor(at.phase, kernel.constant(1));
  return {kernel.select(isLast, kernel.constant(0), next),
          kernel.select(isLast, other, at.phase)};
}

// Before anything has been released, the phase before the first one counts as
// over: so the producer waits for the other parity.
Value StageRing::emitFill(KernelBuilder &kernel, const Position &at,
                          int64_t bytes) const {
  emitBarrierWait(kernel, getEmpty(kernel, at.stage),
                  kernel.bitXor(at.phase, kernel.constant(1)));
  Value full = getFull(kernel, at.stage);
  emitBarrierExpect(kernel, full, bytes);
  return full;
}

void StageRing::emitFilled(KernelBuilder &kernel, const Position &at,
                           Value lane) const {
  kernel.warpBarrier();
  kernel.emitIf(kernel.equal(lane, kernel.constant(0)),
                [&] { emitBarrierArrive(kernel, getFull(kernel, at.stage)); });
}

void StageRing::emitWait(KernelBuilder &kernel, const Position &at) const {
  emitBarrierWait(kernel, getFull(kernel, at.stage), at.phase);
}

void StageRing::emitRelease(KernelBuilder &kernel, const Position &at,
                            Value lane) const {
  Value empty = getEmpty(kernel, at.stage);
  // A lane for each block.
  if (cluster > 1)
    kernel.emitIf(kernel.less(lane, kernel.constant(cluster)),
                  [&] { emitBarrierArrive(kernel, empty, lane); });
  else
    kernel.emitIf(kernel.equal(lane, kernel.constant(0)),
                  [&] { emitBarrierArrive(kernel, empty); });
}
