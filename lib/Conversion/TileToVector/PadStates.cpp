//===- PadStates.cpp - Rows of states on different places of the cache ----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A state is [dimension, rows], and the tile unit reads a column of it, a cache
// line or two of each dimension. Where there are so many rows that those lines
// are a multiple of 256 bytes apart, they share few sets of the L1 cache and
// push each other out. A line more for each dimension spreads them.
//
//===----------------------------------------------------------------------===//

#include "PadStates.h"

#include "attn/Dialect/Attn/IR/Instructions.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;

constexpr int64_t kSharedBytes = 256, kLineBytes = 64;

/// Whether `user` takes a state of any stride between its rows.
static bool takesStrides(Operation *user) {
  return isa<PackQueryOp, OnlineAttentionOp, FinalizeOp, linalg::FillOp,
             memref::DeallocOp>(user);
}

static void padState(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  if (!type.hasStaticShape() || type.getRank() != 2 ||
      !type.getLayout().isIdentity() ||
      !llvm::all_of(alloc->getUsers(), takesStrides))
    return;
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  if (type.getDimSize(1) * bytes % kSharedBytes != 0)
    return;
  SmallVector<int64_t> shape(type.getShape());
  shape.back() += kLineBytes / bytes;
  OpBuilder builder(alloc);
  Location loc = alloc.getLoc();
  Value padded = memref::AllocOp::create(
      builder, loc, MemRefType::get(shape, type.getElementType()),
      alloc.getAlignmentAttr());
  SmallVector<OpFoldResult> zeros(2, builder.getIndexAttr(0)),
      ones(2, builder.getIndexAttr(1));
  Value view = memref::SubViewOp::create(
      builder, loc, padded, zeros,
      getAsIndexOpFoldResult(builder.getContext(), type.getShape()), ones);
  for (OpOperand &use : llvm::make_early_inc_range(alloc->getUses()))
    use.set(isa<memref::DeallocOp>(use.getOwner()) ? padded : view);
  alloc.erase();
}

void attn::padStates(Operation *root) {
  llvm::SetVector<Operation *> allocs;
  root->walk([&](OnlineAttentionOp op) {
    auto schedule = dyn_cast_or_null<ScheduleAttr>(op.getScheduleAttr());
    if (!schedule || !takesTiles(schedule.getInstruction()) ||
        schedule.getSplitKeys() != 0)
      return;
    for (Value state : {Value(op.getQuery()), Value(op.getAcc())})
      if (auto alloc = state.getDefiningOp<memref::AllocOp>())
        allocs.insert(alloc);
  });
  for (Operation *alloc : allocs)
    padState(cast<memref::AllocOp>(alloc));
}
