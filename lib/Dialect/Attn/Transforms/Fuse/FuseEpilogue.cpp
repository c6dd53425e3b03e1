//===- FuseEpilogue.cpp - Elementwise ops join the linear before them -----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueBuilder.h"

#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "attn/Dialect/Attn/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attn;

namespace attn {
#define GEN_PASS_DEF_FUSEEPILOGUEPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

/// Whether the op computes each element of one tensor from the elements at the
/// same place of its operands, or may do so.
static bool isElementwise(Operation *op) {
  if (op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return structured.getNumParallelLoops() == structured.getNumLoops() &&
           structured.getNumDpsInputs() > 0;
  return OpTrait::hasElementwiseMappableTraits(op) && isPure(op);
}

/// The linear layer that can take `op` in: of several the last one, which the
/// others are before.
static LinearOp findProducer(Operation *op) {
  LinearOp last;
  for (Value operand : op->getOperands())
    if (auto linear = operand.getDefiningOp<LinearOp>();
        linear && linear->getBlock() == op->getBlock() &&
        (!last || last->isBeforeInBlock(linear)))
      last = linear;
  return last;
}

std::string attn::fuseEpilogue(RewriterBase &rewriter, LinearOp linear,
                               Operation *consumer) {
  if (llvm::any_of(linear->getUsers(),
                   [&](Operation *user) { return user != consumer; }))
    return "the value before it is used elsewhere, too";
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(consumer);
  EpilogueBuilder epilogue(rewriter, linear);
  std::string reason = epilogue.append(consumer);
  if (!reason.empty())
    return reason;
  rewriter.replaceOp(consumer, epilogue.finish(consumer));
  rewriter.eraseOp(linear);
  return {};
}

namespace {

struct FuseEpiloguePass : attn::impl::FuseEpiloguePassBase<FuseEpiloguePass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isElementwise(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      LinearOp linear = findProducer(op);
      if (!linear)
        continue;
      std::string name = op->getName().getStringRef().str();
      Location loc = op->getLoc();
      std::string reason = fuseEpilogue(rewriter, linear, op);
      if (reason.empty())
        Remark(RemarkId::EpilogueFused, {{"op", name}}).emit(loc);
      else
        Remark(RemarkId::EpilogueNotFused, {{"op", name}, {"reason", reason}})
            .emit(loc);
    }
  }
};

} // namespace
