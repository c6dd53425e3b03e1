//===- Tile.cpp - Scheduled attention to loops over tiles ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecodeBuilder.h"

#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "attn/Dialect/Attn/Transforms/Transforms.h"
#include "attn/Remarks/Remarks.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attn;

namespace attn {
#define GEN_PASS_DEF_TILEPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

LogicalResult attn::tileAttention(RewriterBase &rewriter, AttentionOp op) {
  if (!isa_and_present<ScheduleAttr>(op.getScheduleAttr()))
    return rewriter.notifyMatchFailure(op, "not scheduled for a CPU");
  if (!isa<RankedTensorType>(op.getQuery().getType()))
    return rewriter.notifyMatchFailure(op, "not on tensors");
  if (!op.getOrigin().empty())
    return rewriter.notifyMatchFailure(op, "already a tile");

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  if (cast<AttentionScheduleAttrInterface>(op.getScheduleAttr())
          .getSplitKeys() != 0) {
    DecodeBuilder decode(rewriter, op);
    if (decode.getNumParts() > 1)
      Remark(RemarkId::KeyParts,
             {{"count", std::to_string(decode.getNumParts())}})
          .emit(op.getLoc());
    Value key = op.getKey(), value = op.getValue();
    rewriter.replaceOp(op, decode.createMerge(decode.createPartialStates()));
    resolveSizes(rewriter, key);
    resolveSizes(rewriter, value);
    return success();
  }
  TileBuilder tile(rewriter, op);
  scf::ForallOp forall = tile.createBlockLoop();
  rewriter.setInsertionPointToStart(forall.getBody());
  tile.enterBlock(forall);
  TileBuilder::PackedQuery packed = tile.createPackedQuery();
  SmallVector<Value> state = tile.createKeyLoops(packed);
  tile.createResults(forall, state);
  rewriter.replaceOp(op, forall.getResults());
  return success();
}

/// Says where the kernels apply the scale.
static Remark describeScale(AttentionOp op) {
  std::string policy;
  llvm::raw_string_ostream(policy) << op.getScale();
  auto self = cast<AttentionOpInterface>(op.getOperation());
  return Remark(self.isScoreLinear() ? RemarkId::ScaleInExponent
                                     : RemarkId::ScaleOfScores,
                {{"policy", policy}});
}

namespace {

struct TilePass : attn::impl::TilePassBase<TilePass> {
  void runOnOperation() override {
    SmallVector<AttentionOp> ops;
    getOperation().walk([&](AttentionOp op) {
      // Kernels of a GPU are made of the whole problem.
      if (isa_and_present<ScheduleAttr>(op.getScheduleAttr()))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (AttentionOp op : ops) {
      Remark scale = describeScale(op);
      Location loc = op.getLoc();
      if (failed(tileAttention(rewriter, op))) {
        op.emitError(
            "a scheduled attention must be a whole problem on tensors");
        return signalPassFailure();
      }
      scale.emit(loc);
    }
  }
};

} // namespace
