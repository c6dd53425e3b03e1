//===- ControlFlow.cpp - Calls, scf loops and assertions ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace mlir;

namespace attn::reference::detail {

/// Recursion deeper than this is taken for endless.
static constexpr unsigned maxCallDepth = 256;

static LogicalResult setResults(Evaluator &evaluator, Operation *op,
                                ArrayRef<TensorRef> values) {
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values))
    if (failed(evaluator.set(result, value)))
      return failure();
  return success();
}

static std::vector<TensorRef> getAll(Evaluator &evaluator, ValueRange values) {
  std::vector<TensorRef> result;
  for (Value value : values)
    result.push_back(evaluator.get(value));
  return result;
}

static TensorRef makeIndex(Value like, int64_t value) {
  return std::make_shared<Tensor>(Tensor::scalar(like.getType(), value));
}

static LogicalResult executeCall(Evaluator &evaluator, func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
      op, op.getCalleeAttr());
  if (!callee)
    return op.emitError("calls a function that does not exist");
  if (evaluator.getDepth() >= maxCallDepth)
    return op.emitError("calls are nested too deeply");
  Evaluator inner(evaluator.getRounding(), evaluator.getDepth() + 1);
  auto results = inner.call(callee, getAll(evaluator, op.getOperands()));
  if (failed(results))
    return failure();
  return setResults(evaluator, op, *results);
}

static LogicalResult executeFor(Evaluator &evaluator, scf::ForOp op) {
  int64_t lower = evaluator.getIndex(op.getLowerBound());
  int64_t upper = evaluator.getIndex(op.getUpperBound());
  int64_t step = evaluator.getIndex(op.getStep());
  if (step <= 0)
    return op.emitError("the step of a loop must be positive");
  if (upper > std::numeric_limits<int64_t>::max() - (step - 1))
    return op.emitError("the counter of the loop wraps behind ") << upper;
  std::vector<TensorRef> state = getAll(evaluator, op.getInitArgs());
  for (int64_t i = lower; i < upper; i += step) {
    std::vector<TensorRef> arguments = {makeIndex(op.getInductionVar(), i)};
    llvm::append_range(arguments, state);
    state.clear();
    auto next = evaluator.runBlock(*op.getBody(), std::move(arguments));
    if (failed(next))
      return failure();
    state = std::move(*next);
  }
  return setResults(evaluator, op, state);
}

/// The iterations one after another. Each sees the outputs as they were before
/// the loop; what it inserts goes into copies.
static LogicalResult executeForall(Evaluator &evaluator, scf::ForallOp op) {
  SmallVector<int64_t> lower = evaluator.getIndices(op.getMixedLowerBound());
  SmallVector<int64_t> upper = evaluator.getIndices(op.getMixedUpperBound());
  SmallVector<int64_t> step = evaluator.getIndices(op.getMixedStep());
  if (llvm::any_of(step, [](int64_t by) { return by <= 0; }))
    return op.emitError("the step of a loop must be positive");
  std::vector<TensorRef> shared = getAll(evaluator, op.getOutputs());
  SmallVector<std::shared_ptr<Tensor>> results;
  for (const TensorRef &output : shared)
    results.push_back(std::make_shared<Tensor>(*output));
  auto insertAll = [&]() -> LogicalResult {
    for (Operation &inner : op.getTerminator().getYieldingOps()) {
      auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(inner);
      if (!insert)
        return emitUnsupported(&inner);
      auto output = cast<BlockArgument>(insert.getDest());
      Tensor &result = *results[output.getArgNumber() - op.getRank()];
      if (failed(insertSlice(evaluator, insert,
                             *evaluator.get(insert.getSource()), result)))
        return failure();
    }
    return success();
  };
  SmallVector<int64_t> at(lower);
  bool empty = llvm::any_of(llvm::zip(lower, upper), [](auto bounds) {
    return std::get<0>(bounds) >= std::get<1>(bounds);
  });
  while (!empty) {
    std::vector<TensorRef> arguments;
    for (auto [variable, index] : llvm::zip_equal(op.getInductionVars(), at))
      arguments.push_back(makeIndex(variable, index));
    llvm::append_range(arguments, shared);
    if (failed(
            evaluator.runBlock(*op.getBody(), std::move(arguments), insertAll)))
      return failure();
    int64_t dim = op.getRank() - 1;
    for (; dim >= 0 && (at[dim] += step[dim]) >= upper[dim]; --dim)
      at[dim] = lower[dim];
    empty = dim < 0;
  }
  return setResults(evaluator, op,
                    std::vector<TensorRef>(results.begin(), results.end()));
}

static LogicalResult executeIf(Evaluator &evaluator, scf::IfOp op) {
  Region &taken = evaluator.getIndex(op.getCondition()) ? op.getThenRegion()
                                                        : op.getElseRegion();
  if (taken.empty())
    return success();
  auto results = evaluator.runBlock(taken.front(), {});
  if (failed(results))
    return failure();
  return setResults(evaluator, op, *results);
}

static LogicalResult executeSwitch(Evaluator &evaluator,
                                   scf::IndexSwitchOp op) {
  int64_t value = evaluator.getIndex(op.getArg());
  Region *taken = &op.getDefaultRegion();
  for (auto [wanted, region] :
       llvm::zip_equal(op.getCases(), op.getCaseRegions()))
    if (wanted == value)
      taken = &region;
  auto results = evaluator.runBlock(taken->front(), {});
  if (failed(results))
    return failure();
  return setResults(evaluator, op, *results);
}

static LogicalResult executeRegion(Evaluator &evaluator,
                                   scf::ExecuteRegionOp op) {
  if (!op.getRegion().hasOneBlock())
    return op.emitError("the reference interprets regions of one block");
  auto results = evaluator.runBlock(op.getRegion().front(), {});
  if (failed(results))
    return failure();
  return setResults(evaluator, op, *results);
}

static LogicalResult executeWhile(Evaluator &evaluator, scf::WhileOp op) {
  std::vector<TensorRef> state = getAll(evaluator, op.getInits());
  for (;;) {
    auto before = evaluator.runBlock(op.getBefore().front(), state);
    if (failed(before))
      return failure();
    // The condition op gives the condition, then what goes on.
    state.assign(before->begin() + 1, before->end());
    if (!before->front()->ints[0])
      return setResults(evaluator, op, state);
    auto after = evaluator.runBlock(op.getAfter().front(), state);
    if (failed(after))
      return failure();
    state = std::move(*after);
  }
}

LogicalResult executeControlFlow(Evaluator &evaluator, Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](func::CallOp call) { return executeCall(evaluator, call); })
      .Case([&](scf::ForOp loop) { return executeFor(evaluator, loop); })
      .Case([&](scf::ForallOp loop) { return executeForall(evaluator, loop); })
      .Case([&](scf::IfOp branch) { return executeIf(evaluator, branch); })
      .Case([&](scf::IndexSwitchOp choice) {
        return executeSwitch(evaluator, choice);
      })
      .Case([&](scf::ExecuteRegionOp region) {
        return executeRegion(evaluator, region);
      })
      .Case([&](scf::WhileOp loop) { return executeWhile(evaluator, loop); })
      .Case([&](cf::AssertOp assertion) -> LogicalResult {
        if (evaluator.getIndex(assertion.getArg()))
          return success();
        return assertion.emitError("assertion failed: ") << assertion.getMsg();
      })
      .Default([](Operation *other) { return emitUnsupported(other); });
}

} // namespace attn::reference::detail
