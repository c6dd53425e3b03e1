//===- Branch.cpp - What a residual branch is computed by -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Branch.h"

#include "attn/Analysis/ResidualBlock.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace attn;

/// Calls that are looked into for one norm: functions that call each other
/// twice make as many as 2 to the power of their number.
constexpr int64_t kMostCalls = 4096;

/// The values that an op and what is inside it read.
static void forEachOperand(Operation *op, function_ref<void(Value)> visit) {
  for (Value operand : op->getOperands())
    visit(operand);
  if (op->getNumRegions() > 0)
    op->walk([&](Operation *inner) {
      if (inner != op)
        for (Value operand : inner->getOperands())
          visit(operand);
    });
}

/// The function that `op` calls, if one can look into it.
static func::FuncOp getCallee(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return {};
  auto callee = dyn_cast_or_null<func::FuncOp>(
      SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr()));
  if (!callee || !callee.getBody().hasOneBlock())
    return {};
  return callee;
}

//===----------------------------------------------------------------------===//
// BranchSlice
//===----------------------------------------------------------------------===//

void BranchSlice::openCall(OpResult result, func::FuncOp callee) {
  Operation *call = result.getOwner();
  Block &body = callee.front();
  SmallVector<Operation *, 1> &known = calls[&body];
  if (!llvm::is_contained(known, call)) {
    known.push_back(call);
    for (auto [argument, operand] :
         llvm::zip(body.getArguments(), call->getOperands()))
      if (seen.contains(argument))
        open.push_back(operand);
  }
  open.push_back(body.getTerminator()->getOperand(result.getResultNumber()));
}

bool BranchSlice::collect(Value x, Value branch, Block *block) {
  Operation *start = x.getDefiningOp();
  auto function = dyn_cast_or_null<func::FuncOp>(block->getParentOp());
  if (!function)
    function = block->getParentOp()->getParentOfType<func::FuncOp>();
  bool isReached = false;
  open.push_back(branch);
  while (!open.empty()) {
    Value value = open.pop_back_val();
    isReached |= value == x;
    if (value == x || !seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      for (Operation *call : calls.lookup(argument.getOwner()))
        open.push_back(call->getOperand(argument.getArgNumber()));
      continue;
    }
    // What comes before x does not depend on it.
    Operation *op = value.getDefiningOp();
    bool isHere = op->getBlock() == block;
    if ((!isHere && !calls.contains(op->getBlock())) ||
        (isHere && start && start->getBlock() == block &&
         op->isBeforeInBlock(start)))
      continue;
    ops.insert(op);
    if (func::FuncOp callee = getCallee(op); callee && callee != function)
      openCall(cast<OpResult>(value), callee);
    else
      forEachOperand(op, [&](Value operand) { open.push_back(operand); });
  }
  return isReached;
}

//===----------------------------------------------------------------------===//
// NormTracker
//===----------------------------------------------------------------------===//

NormTracker::NormTracker(Value root, const BranchSlice *slice) : slice(slice) {
  setState(root, State::Plain);
  Operation *parent = root.getParentBlock()->getParentOp();
  if (!isa<func::FuncOp>(parent))
    parent = parent->getParentOfType<func::FuncOp>();
  functions.push_back(parent);
}

NormTracker::NormTracker(NormTracker &outer, func::FuncOp callee)
    : slice(outer.slice), functions(outer.functions),
      numCalls(outer.numCalls + 1) {
  functions.push_back(callee);
}

void NormTracker::setState(Value value, State state) {
  states[value] = state;
  if (state == State::Plain)
    numPlainUses += std::distance(value.use_begin(), value.use_end());
}

/// Whether layers read the input of a residual op as it is: in its branch, and
/// not through its norm.
static bool hasLayers(Operation *op) {
  auto residual = dyn_cast<ResidualOp>(op);
  return residual && residual.getPolicy() != ResidualPolicy::Pre &&
         llvm::any_of(residual.getBranch().getOps(), [](Operation &inner) {
           return hasInside(&inner, isLayer);
         });
}

bool NormTracker::visit(Operation *op) {
  if (slice && !slice->contains(op))
    return true;
  bool isRead = false, isNormed = false, isPlain = false, isDivided = false;
  bool isEnd =
      isLayer(op) || op->hasTrait<OpTrait::IsTerminator>() || hasLayers(op);
  forEachOperand(op, [&](Value operand) {
    auto found = states.find(operand);
    if (found == states.end())
      return;
    if (found->second == State::Root) {
      isDivided = true;
      return;
    }
    isRead = true;
    (found->second == State::Normed ? isNormed : isPlain) = true;
    numPlainUses -= found->second == State::Plain;
    if (found->second == State::Normed && !firstRead && isEnd)
      firstRead = operand;
  });
  // Running statistics are a root that does not depend on what it divides.
  if (!isRead && !isa<NormOp>(op) && isNormLike(op))
    for (Value result : op->getResults())
      if (auto type = dyn_cast<RankedTensorType>(result.getType());
          type && type.getRank() > 0)
        states[result] = State::Root;
  if (!isRead || isa<tensor::DimOp>(op))
    return true;
  if (isEnd)
    return !isPlain;
  if (func::FuncOp callee = getCallee(op);
      callee && !llvm::is_contained(functions, callee.getOperation()) &&
      numCalls < kMostCalls)
    return visitCall(op, callee);
  if (auto normOp = dyn_cast<NormOp>(op); normOp && !isNormed && !norm)
    norm = normOp;
  State state =
      isNormed || isDivided || isNormLike(op) ? State::Normed : State::Plain;
  for (Value result : op->getResults())
    setState(result, state);
  return true;
}

bool NormTracker::visitCall(Operation *call, func::FuncOp callee) {
  NormTracker inside(*this, callee);
  auto handOn = [](ValueRange from, const NormTracker &known, ValueRange to,
                   NormTracker &other) {
    for (auto [source, target] : llvm::zip(from, to))
      if (auto found = known.states.find(source); found != known.states.end())
        other.setState(target, State(found->second));
  };
  Block &body = callee.front();
  handOn(call->getOperands(), *this, body.getArguments(), inside);
  bool isFine = llvm::all_of(body.without_terminator(),
                             [&](Operation &op) { return inside.visit(&op); });
  numCalls = inside.numCalls;
  handOn(body.getTerminator()->getOperands(), inside, call->getResults(),
         *this);
  if (!norm)
    norm = inside.norm;
  if (!firstRead)
    firstRead = inside.firstRead;
  if (auto argument = dyn_cast_or_null<BlockArgument>(firstRead);
      argument && argument.getOwner() == &body)
    firstRead = call->getOperand(argument.getArgNumber());
  return isFine;
}
