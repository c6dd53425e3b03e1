//===- FuseResidualNorm.cpp - A sum and its norm in one pass --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "attn/Dialect/Attn/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attn;

namespace attn {
#define GEN_PASS_DEF_FUSERESIDUALNORMPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

/// Whether the op's body is one addition of its two inputs.
static bool addsElements(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op->getNumResults() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return false;
  Block &body = *op.getBody();
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  Value a = body.getArgument(0), b = body.getArgument(1);
  return (add.getLhs() == a && add.getRhs() == b) ||
         (add.getLhs() == b && add.getRhs() == a);
}

/// The two tensors of which `value` is the elementwise sum.
static std::optional<std::pair<Value, Value>> getAddends(Value value) {
  std::pair<Value, Value> addends;
  if (auto add = value.getDefiningOp<arith::AddFOp>())
    addends = {add.getLhs(), add.getRhs()};
  else if (auto add = value.getDefiningOp<linalg::AddOp>())
    addends = {add.getInputs()[0], add.getInputs()[1]};
  else if (auto add = value.getDefiningOp<linalg::GenericOp>();
           add && addsElements(add))
    addends = {add.getInputs()[0], add.getInputs()[1]};
  else
    return std::nullopt;
  // Neither of them is broadcast or converted.
  if (addends.first.getType() != value.getType() ||
      addends.second.getType() != value.getType())
    return std::nullopt;
  return addends;
}

bool attn::fuseResidualNorm(RewriterBase &rewriter, NormOp op) {
  Value sum = op.getInput();
  if (op.getResidual() || !isa<RankedTensorType>(sum.getType()))
    return false;
  auto addends = getAddends(sum);
  if (!addends)
    return false;
  DominanceInfo dominance;
  SmallVector<Operation *> others;
  for (Operation *user : sum.getUsers()) {
    if (user == op)
      continue;
    if (!dominance.properlyDominates(op, user)) {
      Remark(RemarkId::ResidualNotFused).emit(op.getLoc());
      return false;
    }
    others.push_back(user);
  }
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Value init;
  if (!others.empty())
    init = tensor::EmptyOp::create(
        rewriter, op.getLoc(),
        tensor::getMixedSizes(rewriter, op.getLoc(), addends->first),
        getElementTypeOrSelf(sum));
  // The results in the order of the destinations: the sum is the second.
  SmallVector<Type> types(op->getResultTypes());
  if (init)
    types.insert(types.begin() + 1, init.getType());
  auto fused = NormOp::create(
      rewriter, op.getLoc(), types, addends->first, addends->second,
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
  Operation *add = sum.getDefiningOp();
  if (isOpTriviallyDead(add))
    rewriter.eraseOp(add);
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
