//===- Follower.cpp - Follows moments from op to op -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Follower.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attn::moments {

/// Iterations of a loop that are followed one by one.
constexpr int64_t kMaxIterations = 512;

Follower::Follower(func::FuncOp function, const MomentOptions &options,
                   Engine &engine)
    : engine(engine), options(options), function(function),
      sizes(function.front()) {}

void Follower::run() {
  readArguments(function, options, *this);
  followBlock(function.front());
}

void Follower::set(Value value, Expr expr) {
  // Expressions of many numbers are costly, and rarely cancel.
  if (!expr->isAffine() && expr->draws.size() > 4) {
    engine.assume("values of more than four random numbers are one number for "
                  "what follows");
    expr = engine.materialise(expr);
  }
  values[value] = expr;
}

static bool isNumeric(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<FloatType, IntegerType, IndexType>(element);
}

static bool isFloat(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

void Follower::giveUp(Operation *op, StringRef reason) {
  // What depends on values that are not followed is not listed again, but
  // numbers that depend on integers, which are never listed, are.
  bool isListed = llvm::none_of(op->getOperands(), [&](Value operand) {
    return isNumeric(operand.getType()) && isFloat(operand.getType()) &&
           !lookup(operand) && !undefined.contains(operand);
  });
  for (Value result : op->getResults()) {
    values.erase(result);
    if (isListed && isFloat(result.getType()))
      notFollowed.push_back({result, reason.str()});
  }
}

void Follower::followBlock(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>())
      follow(&op);
}

void Follower::follow(Operation *op) {
  if (op->getNumResults() == 0)
    return;
  bool done = false;
  if (isa_and_nonnull<AttnDialect>(op->getDialect()))
    done = followAttnOp(op);
  else if (auto loop = dyn_cast<scf::ForOp>(op))
    done = followFor(loop);
  else if (auto call = dyn_cast<func::CallOp>(op))
    done = followCall(call);
  else if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
    done = followSoftmax(softmax);
  else if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    done = followLinalg(structured);
  else
    done = followTensorOp(op);
  if (!done)
    giveUp(op, isa_and_nonnull<AttnDialect>(op->getDialect())
                   ? "no rule; attn-expand-blocks takes blocks apart"
                   : "no rule for this op, or for what it computes");
}

bool Follower::followFor(scf::ForOp op) {
  std::optional<int64_t> lower = sizes.getIndex(op.getLowerBound());
  std::optional<int64_t> upper = sizes.getIndex(op.getUpperBound());
  std::optional<int64_t> step = sizes.getIndex(op.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return false;
  int64_t trips =
      std::max<int64_t>(0, llvm::divideCeil(*upper - *lower, *step));
  if (trips > kMaxIterations)
    return false;
  SmallVector<Expr> carried;
  for (Value init : op.getInitArgs())
    carried.push_back(lookup(init));
  engine.assume("weights of different iterations of a loop are independent");
  for (int64_t trip = 0; trip < trips; ++trip) {
    values[op.getInductionVar()] = engine.graph.constant(*lower + trip * *step);
    for (auto [argument, expr] : llvm::zip(op.getRegionIterArgs(), carried)) {
      if (expr)
        values[argument] = expr;
      else
        values.erase(argument);
    }
    size_t known = notFollowed.size();
    followBlock(*op.getBody());
    // The same values are found again in each iteration.
    if (trip > 0)
      notFollowed.truncate(known);
    for (auto [i, value] :
         llvm::enumerate(op.getBody()->getTerminator()->getOperands()))
      carried[i] = lookup(value);
  }
  for (auto [result, expr] : llvm::zip(op.getResults(), carried))
    if (expr)
      set(result, expr);
  return true;
}

bool Follower::followCall(func::CallOp op) {
  auto callee = dyn_cast_or_null<func::FuncOp>(
      SymbolTable::lookupNearestSymbolFrom(op, op.getCalleeAttr()));
  constexpr unsigned kMaxDepth = 16;
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock() ||
      callDepth >= kMaxDepth)
    return false;
  Block &block = callee.front();
  for (auto [argument, operand] :
       llvm::zip(block.getArguments(), op.getOperands())) {
    values.erase(argument);
    if (Expr expr = lookup(operand))
      values[argument] = expr;
  }
  ++callDepth;
  followBlock(block);
  --callDepth;
  bool any = false;
  for (auto [result, value] :
       llvm::zip(op.getResults(), block.getTerminator()->getOperands()))
    if (Expr expr = lookup(value)) {
      set(result, expr);
      any = true;
    }
  return any;
}

Expr Follower::drawTensor(Value like, double mean, double variance) {
  Source source{Shape::Normal, mean, variance, {}};
  SmallVector<int> dims;
  if (auto type = dyn_cast<RankedTensorType>(like.getType()))
    for (int dim = 0; dim < type.getRank(); ++dim)
      if (type.getDimSize(dim) != 1) {
        dims.push_back(dim);
        source.correlations.push_back(0.0);
      }
  return engine.graph.draw(engine.graph.addSource(std::move(source)), dims);
}

} // namespace attn::moments
