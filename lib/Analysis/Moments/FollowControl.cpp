//===- FollowControl.cpp - Loops and calls --------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Follower.h"

#include "attn/Analysis/Report.h"
#include <cmath>

using namespace mlir;

namespace attn::moments {

/// Iterations of one loop that are followed one by one, and of all loops.
constexpr int64_t kMaxIterations = 512, kMaxAllIterations = 8192;
/// Calls that are followed: functions that call each other twice make as many
/// as 2 to the power of their number.
constexpr int64_t kMaxAllCalls = 8192;
/// Iterations within which a loop of an unknown number of them has to settle.
constexpr int64_t kMaxSettling = 32;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::optional<int64_t> Follower::getIndex(OpFoldResult index) {
  if (std::optional<int64_t> known = sizes->getIndex(index))
    return known;
  auto value = dyn_cast<Value>(index);
  Expr expr = value ? lookup(value) : nullptr;
  // The induction variable of a loop is a number in each of its iterations.
  if (!expr || !expr->isConstant() || !std::isfinite(expr->number))
    return std::nullopt;
  return int64_t(expr->number);
}

static bool isNear(double a, double b) {
  return std::fabs(a - b) <= 1e-6 * std::max(std::fabs(a), std::fabs(b));
}

/// Whether two values are alike, as far as their moments say.
static bool isAlike(Engine &engine, Type type, Expr a, Expr b) {
  if (a == b || !isFloat(type))
    return a == b;
  if (!a || !b || !isNear(engine.getSecond(a), engine.getSecond(b)) ||
      std::fabs(engine.getMean(a) - engine.getMean(b)) >
          1e-6 * std::sqrt(engine.getSecond(a)))
    return false;
  auto tensor = dyn_cast<RankedTensorType>(type);
  for (int dim = 0; tensor && dim < tensor.getRank(); ++dim)
    if (tensor.getDimSize(dim) != 1 &&
        std::fabs(engine.getCorrelation(a, dim) -
                  engine.getCorrelation(b, dim)) > 1e-6)
      return false;
  return true;
}

std::string Follower::describeUnsettled(ArrayRef<CarriedList> states, size_t i,
                                        std::optional<int64_t> trips,
                                        int64_t done) {
  std::string text =
      trips ? "a loop of " + std::to_string(*trips) + " iterations"
            : std::string("a loop of an unknown number of iterations");
  text += ", which has not settled after " + std::to_string(done);
  SmallVector<double> seconds;
  for (const CarriedList &state : states.take_back(3))
    seconds.push_back(state[i].expr ? engine.getSecond(state[i].expr) : NAN);
  if (seconds.size() < 3 || llvm::any_of(seconds, [](double second) {
        return !std::isfinite(second);
      }))
    return text;
  double step = seconds[2] - seconds[1], before = seconds[1] - seconds[0];
  if (std::fabs(step - before) <= 1e-3 * std::fabs(step))
    return text + ": the second moment changes by " + formatNumber(step) +
           " in each";
  return text + ": the second moment changes by the factor " +
         formatNumber(seconds[2] / seconds[1]) + " in each";
}

CarriedList Follower::carry(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) {
    bool isInteger = isa<IntegerType, IndexType>(value.getType());
    return Carried{lookup(value), isInteger ? getSeed(value) : nullptr,
                   streamEnds.lookup(value), undefined.contains(value)};
  });
}

void Follower::bind(ValueRange targets, ArrayRef<Carried> carried) {
  for (auto [target, known] : llvm::zip(targets, carried)) {
    values.erase(target);
    seeds.erase(target);
    undefined.erase(target);
    if (known.expr)
      set(target, known.expr);
    if (known.seed)
      seeds[target] = known.seed;
    streamEnds[target] = known.stream;
    if (known.isUndefined)
      undefined.insert(target);
  }
}

CarriedList Follower::followIteration(scf::ForOp op,
                                      std::optional<int64_t> number,
                                      ArrayRef<Carried> carried) {
  ++epoch;
  ++allIterations;
  Value variable = op.getInductionVar();
  seeds.erase(variable);
  values.erase(variable);
  if (number)
    values[variable] = engine.graph.constant(*number);
  bind(op.getRegionIterArgs(), carried);
  followBlock(*op.getBody());
  return carry(op.getBody()->getTerminator()->getOperands());
}

bool Follower::followFor(scf::ForOp op) {
  std::optional<int64_t> lower = getIndex(op.getLowerBound());
  std::optional<int64_t> upper = getIndex(op.getUpperBound());
  std::optional<int64_t> step = getIndex(op.getStep());
  std::optional<int64_t> trips;
  if (lower && upper && step && *step > 0)
    trips =
        std::max<int64_t>(0, llvm::divideCeilSigned(*upper - *lower, *step));
  int64_t left = std::max<int64_t>(1, kMaxAllIterations - allIterations);
  bool isWhole = trips && *trips <= std::min(kMaxIterations, left);
  int64_t limit =
      isWhole ? *trips : std::min(left, trips ? kMaxIterations : kMaxSettling);
  auto numberOf = [&](int64_t trip) -> std::optional<int64_t> {
    if (!lower || !step)
      return std::nullopt;
    return *lower + trip * *step;
  };
  auto areAlike = [&](ArrayRef<Carried> a, ArrayRef<Carried> b, size_t i) {
    return isAlike(engine, op.getResult(i).getType(), a[i].expr, b[i].expr);
  };

  if (limit > 1)
    engine.assume("weights of different iterations of a loop are independent");
  size_t blocks = residuals.size();
  auto overflowingBefore = overflowing;
  SmallVector<CarriedList> states{carry(op.getInitArgs())};
  bool isSettled = false;
  int64_t done = 0;
  for (; done < limit && !isSettled; ++done) {
    states.push_back(followIteration(op, numberOf(done), states.back()));
    if (states.size() > 4)
      states.erase(states.begin() + 1);
    isSettled = !isWhole;
    for (size_t i = 0; isSettled && i < op.getNumResults(); ++i)
      isSettled = areAlike(states.back(), states.end()[-2], i);
  }
  CarriedList last = states.back();
  if (!isWhole && !isSettled) {
    // What the results have in common with those of an iteration more is what
    // they are in the end; the rest grows.
    for (size_t i = 0; i < op.getNumResults(); ++i) {
      if (areAlike(last, states.end()[-2], i) || !last[i].expr)
        continue;
      miss(op.getResult(i), describeUnsettled(states, i, trips, done));
      last[i].expr = nullptr;
    }
    forgetBlocks(blocks);
    // Only the first iteration is sure to come.
    overflowing = std::move(overflowingBefore);
    followIteration(op, numberOf(0), states.front());
  } else if (!trips && done > 1) {
    engine.assume("loops of an unknown number of iterations have settled");
  }
  bind(op.getResults(), last);
  return true;
}

//===----------------------------------------------------------------------===//
// Calls and composite ops
//===----------------------------------------------------------------------===//

bool Follower::followCall(func::CallOp op) {
  auto callee = dyn_cast_or_null<func::FuncOp>(
      SymbolTable::lookupNearestSymbolFrom(op, op.getCalleeAttr()));
  StringRef reason;
  if (!callee || callee.isExternal())
    reason = "the function that is called has no body";
  else if (llvm::is_contained(callStack, callee))
    reason = "the function calls itself";
  else if (!callee.getBody().hasOneBlock())
    reason = "the function that is called has branches";
  else if (++allCalls > kMaxAllCalls)
    reason = "more than 8192 calls in all";
  if (!reason.empty()) {
    giveUp(op, reason);
    return true;
  }
  callees.insert(callee);
  followInside(op, callee);
  return true;
}

bool Follower::followComposite(Operation *op) {
  // What is left of a composite op in its own parts has none.
  if (op->getParentOfType<ModuleOp>() != function->getParentOfType<ModuleOp>())
    return false;
  CompositeBody &body =
      getComposite(op, [&](Value operand) { return getSizes(operand); });
  followInside(op, body.getFunction());
  body.getFunction().walk([&](AttentionOp attention) {
    if (auto found = scores.lookup(attention))
      scores[op] = found;
  });
  return true;
}

CompositeBody &Follower::getComposite(Operation *op,
                                      CompositeBody::GetShape getShape) {
  std::vector<std::vector<int64_t>> shapes;
  for (Value operand : op->getOperands()) {
    SmallVector<int64_t> shape = getShape(operand);
    shapes.emplace_back(shape.begin(), shape.end());
  }
  std::unique_ptr<CompositeBody> &body = composites[{op, shapes}];
  if (!body)
    body = std::make_unique<CompositeBody>(op, getShape);
  return *body;
}

void Follower::followInside(Operation *op, func::FuncOp callee) {
  CarriedList operands = carry(op->getOperands());
  SmallVector<SmallVector<int64_t>> shapes = llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return getSizes(operand); });
  ++epoch;
  Block &block = callee.front();
  callStack.push_back(callee);
  auto outer = std::make_unique<SizeEvaluator>(block, shapes);
  std::swap(outer, sizes);
  bind(block.getArguments(), operands);
  followBlock(block);
  CarriedList results = carry(block.getTerminator()->getOperands());
  std::swap(outer, sizes);
  callStack.pop_back();
  bind(op->getResults(), results);
}

} // namespace attn::moments
