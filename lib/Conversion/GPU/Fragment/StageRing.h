//===- StageRing.h - Shared memory that is filled and used in turn --*- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A producer fills stages of shared memory by copies of the copy engine, and
// consumers use them, in the same order. Each stage has two barriers: one that
// counts the bytes which have come, and one that counts the warps which are
// done with them. Both sides keep a position of their own; nothing else is
// shared.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_FRAGMENT_STAGERING_H
#define ATTN_LIB_CONVERSION_GPU_FRAGMENT_STAGERING_H

#include "KernelBuilder.h"

namespace attn {

class StageRing {
public:
  /// Where a side is (i32): which stage, and the parity of the rounds before.
  struct Position {
    mlir::Value stage, phase;
  };

  /// Bytes of the barriers, which lie at a multiple of 8.
  static int64_t getBytes(int64_t stages) { return 16 * stages; }
  /// `barriers` is where they lie in shared memory. The blocks of a cluster
  /// fill each other's stages, so that all of them give a stage back to each.
  StageRing(mlir::Value barriers, int64_t stages, int64_t cluster = 1)
      : barriers(barriers), stages(stages), cluster(cluster) {}

  int64_t getStages() const { return stages; }

  /// For one thread of the block, before a barrier of all of them, or of the
  /// cluster: `releases` warps of a block give a stage back; one thread fills
  /// it, or `fills` warps do.
  void emitInit(KernelBuilder &, int64_t releases, int64_t fills = 1) const;

  Position getStart(KernelBuilder &) const;
  Position emitNext(KernelBuilder &, const Position &at) const;

  /// For the one thread that produces: waits until the stage is free, and says
  /// how many bytes its copies will bring; gives the barrier that counts them.
  mlir::Value emitFill(KernelBuilder &, const Position &at,
                       int64_t bytes) const;

  /// Where warps fill a stage: one lane of each says that its warp has. They
  /// know from elsewhere that the stage is free.
  void emitFilled(KernelBuilder &, const Position &at, mlir::Value lane) const;

  /// For consumers: all threads wait until the stage is full; one lane of each
  /// warp gives it back, when its warp has read all that it needs.
  void emitWait(KernelBuilder &, const Position &at) const;
  void emitRelease(KernelBuilder &, const Position &at, mlir::Value lane) const;

private:
  mlir::Value getFull(KernelBuilder &, mlir::Value stage) const;
  mlir::Value getEmpty(KernelBuilder &, mlir::Value stage) const;

  mlir::Value barriers;
  int64_t stages, cluster;
};

/// Waits until the phase of this parity (i32) of a barrier is over.
void emitBarrierWait(KernelBuilder &, mlir::Value barrier, mlir::Value parity);
/// One more has arrived at a barrier, at that of a block of the cluster (i32):
/// that tells the other block of reads only, which are over. What was written
/// would have to be released to the whole cluster, which takes a fence.
void emitBarrierArrive(KernelBuilder &, mlir::Value barrier);
void emitBarrierArrive(KernelBuilder &, mlir::Value barrier, mlir::Value block);
/// Makes a barrier for `arrivals`, and what was made visible to the copy
/// engine.
void emitBarrierInit(KernelBuilder &, mlir::Value barrier, int64_t arrivals);
void emitBarrierInitFence(KernelBuilder &);
/// One has arrived, and `bytes` are to come.
void emitBarrierExpect(KernelBuilder &, mlir::Value barrier, int64_t bytes);

/// The barrier of all threads of a cluster: no block's shared memory is used
/// before it is there, nor after its end.
void emitClusterArrive(KernelBuilder &);
void emitClusterWait(KernelBuilder &);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_FRAGMENT_STAGERING_H
