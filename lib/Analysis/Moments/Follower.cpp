//===- Follower.cpp - Follows moments from op to op -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Follower.h"

using namespace mlir;

namespace attn::moments {

Follower::Follower(func::FuncOp function, const MomentOptions &options,
                   Engine &engine)
    : engine(engine), options(options), function(function), callStack{function},
      sizes(std::make_unique<SizeEvaluator>(function.front())) {}

void Follower::run() {
  for (BlockArgument argument : function.getArguments()) {
    readArgument(argument);
    if (Expr expr = lookup(argument))
      parameters.insert(expr);
  }
  followBlock(function.front());
}

/// Random numbers of one sum: what a stream of n blocks adds up costs n for
/// each of its blocks.
constexpr size_t kMostTerms = 512;

void Follower::set(Value value, Expr expr) {
  // Expressions of many numbers are costly, and rarely cancel.
  bool isLong = expr->draws.size() > kMostTerms;
  if (isLong || (expr->draws.size() > 4 &&
                 (!expr->isAffine() || Engine::sharesDraws(expr->operands)))) {
    engine.assume(
        isLong && expr->isAffine()
            ? "sums of more than 512 random numbers are one number "
              "for what follows"
            : "values of more than four random numbers are one number "
              "for what follows");
    bool isMasked = masks.contains(expr);
    expr = engine.materialise(expr);
    if (isMasked)
      masks.insert(expr);
  }
  values[value] = expr;
}

bool Follower::setResult(Operation *op, Expr expr) {
  if (expr)
    set(op->getResult(0), expr);
  return expr != nullptr;
}

void Follower::giveUp(Operation *op, StringRef reason) {
  // What depends on values that are not followed is not listed again, but
  // numbers that depend on integers, which are never listed, are.
  bool isListed = llvm::none_of(op->getOperands(), [&](Value operand) {
    return isFloat(operand.getType()) && !lookup(operand) &&
           !undefined.contains(operand);
  });
  for (Value result : op->getResults()) {
    values.erase(result);
    if (isListed && isFloat(result.getType()))
      miss(result, reason);
  }
}

void Follower::miss(Value value, StringRef reason) {
  values.erase(value);
  // Loops and calls come by again.
  if (missed.insert(value).second)
    notFollowed.push_back({value, reason.str()});
}

void Follower::followBlock(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>())
      follow(&op);
}

void Follower::follow(Operation *op) {
  if (op->getNumResults() == 0)
    return;
  for (Value result : op->getResults())
    seeds.erase(result);
  engine.spelledSoftmax.reset();
  bool done = false;
  if (isa_and_nonnull<AttnDialect>(op->getDialect()))
    done = followAttnOp(op);
  else if (auto loop = dyn_cast<scf::ForOp>(op))
    done = followFor(loop);
  else if (auto call = dyn_cast<func::CallOp>(op))
    done = followCall(call);
  else if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
    done = setResult(op, followOp(softmax));
  else if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    done = followLinalg(structured);
  else
    done = setResult(op, followTensorOp(op)) || isa<tensor::EmptyOp>(op);
  if (isa<tensor::EmptyOp>(op))
    undefined.insert(op->getResult(0));
  noteSoftmax(op);
  if (!done)
    giveUp(op, "no rule for this op, or for what it computes");
  passStream(op);
  noteOverflow(op);
  recordSums(op);
  noteGrowth(op);
}

Expr Follower::drawTensor(Value like, double mean, double variance) {
  Source source{Shape::Normal, mean, variance};
  SmallVector<int> dims;
  if (auto type = dyn_cast<RankedTensorType>(like.getType()))
    for (int dim = 0; dim < type.getRank(); ++dim)
      if (type.getDimSize(dim) != 1) {
        dims.push_back(dim);
        source.correlations.push_back(0.0);
      }
  return engine.graph.draw(std::move(source), dims);
}

} // namespace attn::moments
