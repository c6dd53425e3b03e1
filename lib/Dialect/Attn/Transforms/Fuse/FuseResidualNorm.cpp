//===- FuseResidualNorm.cpp - A sum and its norm in one pass --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResidualTerms.h"

#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "attn/Dialect/Attn/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace attn;

namespace attn {
#define GEN_PASS_DEF_FUSERESIDUALNORMPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

/// Those that read `sum` beside the norm. Fails where one does so before it, or
/// beside it in another region.
static FailureOr<SmallVector<Operation *>> findOtherUsers(Value sum,
                                                          NormOp op) {
  DominanceInfo dominance;
  SmallVector<Operation *> others;
  for (Operation *user : sum.getUsers()) {
    if (user == op)
      continue;
    if (!dominance.properlyDominates(op, user))
      return failure();
    others.push_back(user);
  }
  return others;
}

/// Erases the sum and what only it needed: casts, and a product.
static void eraseUnused(RewriterBase &rewriter, Value sum) {
  llvm::SetVector<Operation *> unused;
  unused.insert(sum.getDefiningOp());
  while (!unused.empty()) {
    Operation *op = unused.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    SmallVector<Value> operands(op->getOperands());
    rewriter.eraseOp(op);
    for (Value operand : operands)
      if (Operation *before = operand.getDefiningOp())
        unused.insert(before);
  }
}

bool attn::fuseResidualNorm(RewriterBase &rewriter, NormOp op) {
  Value sum = op.getInput();
  if (!isa<RankedTensorType>(sum.getType()))
    return false;
  std::string reason;
  std::optional<ResidualTerms> terms = readResidualTerms(sum, reason);
  FailureOr<SmallVector<Operation *>> users = findOtherUsers(sum, op);
  if (terms && op.getResidual())
    reason = "the norm has a residual already";
  else if (terms && failed(users))
    reason = "its sum is used before the norm";
  else if (terms && !op.getScheduleAttr())
    reason = "the norm takes the portable path";
  if (!reason.empty())
    Remark(RemarkId::ResidualNotFused, {{"reason", reason}}).emit(op.getLoc());
  if (!terms || !reason.empty())
    return false;
  ArrayRef<Operation *> others = *users;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Value init;
  if (!others.empty())
    init = tensor::EmptyOp::create(
        rewriter, op.getLoc(),
        tensor::getMixedSizes(rewriter, op.getLoc(), terms->x),
        getElementTypeOrSelf(sum));
  Value factor;
  if (terms->factor)
    factor =
        createFactor(rewriter, op.getLoc(), terms->factor, op.getComputeType());
  // The results in the order of the destinations: the sum is the second.
  SmallVector<Type> types(op->getResultTypes());
  if (init)
    types.insert(types.begin() + 1, init.getType());
  auto fused = NormOp::create(
      rewriter, op.getLoc(), types, terms->x, terms->branch, factor,
      op.getGamma(), op.getBeta(), op.getMean(), op.getVariance(),
      op.getOutput(), init, op.getRunningMean(), op.getRunningVariance(),
      op.getKindAttr(), op.getCenteredAttr(), op.getAxesAttr(),
      op.getAffineAxesAttr(), op.getEpsAttr(), op.getEpsModeAttr(),
      op.getMomentumAttr(), op.getUnbiasedAttr(), op.getScheduleAttr());
  SmallVector<Value> results(fused.getResults());
  if (init) {
    rewriter.replaceUsesWithIf(sum, results[1], [&](OpOperand &use) {
      return llvm::is_contained(others, use.getOwner());
    });
    results.erase(results.begin() + 1);
  }
  rewriter.replaceOp(op, results);
  eraseUnused(rewriter, sum);
  Remark(RemarkId::ResidualFused,
         {{"results", init ? "both results" : "the norm"}})
      .emit(fused.getLoc());
  return true;
}

namespace {

struct FuseResidualNormPass
    : attn::impl::FuseResidualNormPassBase<FuseResidualNormPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<NormOp> norms;
    getOperation().walk([&](NormOp op) { norms.push_back(op); });
    for (NormOp op : norms)
      fuseResidualNorm(rewriter, op);
  }
};

} // namespace
