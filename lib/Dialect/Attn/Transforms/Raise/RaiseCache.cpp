//===- RaiseCache.cpp - Arguments that are updated in place ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/IR/EntryAttributes.h"
#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "attn/Dialect/Attn/Transforms/Raise/CacheWrite.h"
#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "attn/Remarks/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace attn {
#define GEN_PASS_DEF_RAISECACHEPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn::raise {
namespace {

/// JAX's names for an argument whose memory the caller gives up: for a result,
/// or for any.
constexpr llvm::StringLiteral kAliasingAttr = "tf.aliasing_output";
constexpr llvm::StringLiteral kDonorAttr = "jax.buffer_donor";

bool isView(Operation *op) {
  return isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp,
             tensor::ExpandShapeOp, tensor::CastOp>(op);
}

OpOperand *getUpdated(Value value);

/// Whether `next`, which the body of a loop hands on, is `argument` with some
/// elements replaced, or as it is.
bool isUpdatedIn(Region &body, Value next, Value argument) {
  while (next != argument) {
    OpOperand *updated = getUpdated(next);
    if (!updated || updated->getOwner()->getParentRegion() != &body)
      return false;
    next = updated->get();
  }
  return true;
}

OpOperand *getUpdated(scf::ForOp loop, OpResult result) {
  BlockArgument argument = loop.getTiedLoopRegionIterArg(result);
  Value next = loop.getTiedLoopYieldedValue(argument)->get();
  return isUpdatedIn(loop.getRegion(), next, argument)
             ? loop.getTiedLoopInit(result)
             : nullptr;
}

/// The condition hands on what it gets.
OpOperand *getUpdated(scf::WhileOp loop, OpResult result) {
  unsigned i = result.getResultNumber();
  if (i >= loop.getInits().size() || i >= loop.getYieldedValues().size() ||
      loop.getConditionOp().getArgs()[i] != loop.getBeforeArguments()[i] ||
      !isUpdatedIn(loop.getAfter(), loop.getYieldedValues()[i],
                   loop.getAfterArguments()[i]))
    return nullptr;
  return &loop.getInitsMutable()[i];
}

/// The use of the tensor of which `value` is a new one, with some elements
/// replaced; null where it is made in another way.
OpOperand *getUpdated(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return nullptr;
  return llvm::TypeSwitch<Operation *, OpOperand *>(result.getOwner())
      .Case([](tensor::InsertSliceOp op) { return &op.getDestMutable(); })
      .Case<scf::ForOp, scf::WhileOp>(
          [&](auto loop) { return getUpdated(loop, result); })
      .Default([](Operation *) { return nullptr; });
}

/// What a loop begins with where its body has `argument`; null for arguments of
/// other ops.
Value getInit(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    OpOperand *init = loop.getTiedLoopInit(argument);
    return init ? init->get() : Value();
  }
  auto loop = dyn_cast<scf::WhileOp>(parent);
  if (!loop)
    return {};
  unsigned i = argument.getArgNumber();
  return argument.getOwner() == loop.getAfterBody()
             ? loop.getConditionOp().getArgs()[i]
             : loop.getInits()[i];
}

/// The tensor that `value` is a view, or a new value, of.
Value getSource(Value value) {
  while (true) {
    Value next;
    if (auto argument = dyn_cast<BlockArgument>(value))
      next = getInit(argument);
    else if (isView(value.getDefiningOp()))
      next = value.getDefiningOp()->getOperand(0);
    else if (OpOperand *updated = getUpdated(value))
      next = updated->get();
    if (!next)
      return value;
    value = next;
  }
}

/// Whether what reads `value`, or a view of it, comes before `update`.
bool isReadBefore(Value value, OpOperand &update) {
  Operation *last = update.getOwner();
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (&use == &update || isa<tensor::DimOp>(user))
      return true;
    Operation *around = last->getBlock()->findAncestorOpInBlock(*user);
    if (!around || !around->isBeforeInBlock(last))
      return false;
    return !isView(user) || isReadBefore(user->getResult(0), update);
  });
}

/// Moves an insertion to where its result is needed first, so that what needs
/// the old value comes before.
void moveDown(Operation *update) {
  if (!isa<tensor::InsertSliceOp>(update))
    return;
  Operation *first = update->getBlock()->getTerminator();
  for (Operation *user : update->getUsers()) {
    Operation *around = update->getBlock()->findAncestorOpInBlock(*user);
    if (around->isBeforeInBlock(first))
      first = around;
  }
  update->moveBefore(first);
}

/// Whether an attention has `value`, or a view of it, as key or value.
bool isReadAsCache(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto attention = dyn_cast<AttentionOp>(user))
      return &use == &attention.getKeyMutable() ||
             &use == &attention.getValueMutable();
    return isView(user) && isReadAsCache(user->getResult(0));
  });
}

/// The tensor of which `value` is a part.
Value getWhole(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExtractSliceOp, tensor::CastOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// A result of a function, and whether it is the new value of an argument.
class CacheResult {
public:
  CacheResult(func::FuncOp func, unsigned number, Value value)
      : func(func), number(number), value(value) {}

  void raise();

private:
  bool follow();
  bool isGivenUp();
  bool isCache();
  bool mayBeUpdated();
  void explainConcat();
  void copied(unsigned argument, StringRef reason);

  func::FuncOp func;
  unsigned number;
  Value value;
  BlockArgument argument;
  SmallVector<OpOperand *> updates; // the last one first
};

} // namespace

/// Finds the argument that is updated to the result.
bool CacheResult::follow() {
  Value before = value;
  while (OpOperand *updated = getUpdated(before)) {
    updates.push_back(updated);
    before = updated->get();
  }
  argument = dyn_cast<BlockArgument>(before);
  return argument && !updates.empty() &&
         argument.getOwner() == &func.getBody().front() &&
         argument.getType() == value.getType();
}

bool CacheResult::isGivenUp() {
  unsigned i = argument.getArgNumber();
  auto result = func.getArgAttrOfType<IntegerAttr>(i, kAliasingAttr);
  return (result && result.getInt() == number) ||
         func.getArgAttr(i, kDonorAttr);
}

void CacheResult::copied(unsigned from, StringRef reason) {
  Remark(RemarkId::CacheCopied, {{"argument", std::to_string(from)},
                                 {"result", std::to_string(number)},
                                 {"reason", reason.str()}})
      .emit(value.getLoc());
}

/// Frameworks grow a cache by rows behind it, or shift its rows.
void CacheResult::explainConcat() {
  Value last = updates.empty() ? value : updates.back()->get();
  Value whole = getWhole(last);
  auto concat = whole.getDefiningOp<tensor::ConcatOp>();
  if (!concat || !(isReadAsCache(concat) || isReadAsCache(value)))
    return;
  for (Value part : concat.getInputs()) {
    auto from = dyn_cast<BlockArgument>(getWhole(part));
    if (!from || from.getOwner() != &func.getBody().front())
      continue;
    bool isGrown = whole == last && from == part && updates.empty();
    return copied(from.getArgNumber(),
                  isGrown ? "the result has rows behind those of the argument; "
                            "give it room, and write them at a position"
                          : "all of its rows move; write the new ones over the "
                            "oldest");
  }
}

/// Whether an attention reads it, as it was or as it is.
bool CacheResult::isCache() {
  return func
      .walk([&](AttentionOp op) {
        bool reads = getSource(op.getKey()) == argument ||
                     getSource(op.getValue()) == argument;
        return reads ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool CacheResult::mayBeUpdated() {
  return llvm::all_of(updates, [](OpOperand *update) {
    if (isReadBefore(update->get(), *update))
      return true;
    moveDown(update->getOwner());
    return isReadBefore(update->get(), *update);
  });
}

void CacheResult::raise() {
  if (!follow())
    return explainConcat();
  unsigned i = argument.getArgNumber();
  if (!isGivenUp() && !isCache())
    return;
  if (auto given = func.getArgAttrOfType<IntegerAttr>(i, kInOutAttr)) {
    if (given.getInt() != number)
      copied(i, "its memory takes another result");
    return;
  }
  if (!mayBeUpdated())
    return copied(i, "its old value is needed after rows of it are replaced");
  func.setArgAttr(i, kInOutAttr,
                  IntegerAttr::get(IndexType::get(func.getContext()), number));
  Remark(RemarkId::RaisedToCache,
         {{"argument", std::to_string(i)}, {"result", std::to_string(number)}})
      .emit(value.getLoc());
}

namespace {

/// Replaces the result of `op`, if there is a form for it.
void replaceBy(linalg::LinalgOp op, Value form) {
  if (!form)
    return;
  op->getResult(0).replaceAllUsesWith(form);
  op->erase();
}

/// JAX's branches in bodies become concatenations where an attention reads
/// them.
void raiseConcats(func::FuncOp func) {
  llvm::SetVector<Operation *> makers;
  func.walk([&](AttentionOp op) {
    for (Value operand : {op.getKey(), op.getValue()})
      if (isa_and_present<linalg::LinalgOp>(operand.getDefiningOp()))
        makers.insert(operand.getDefiningOp());
  });
  for (Operation *op : makers)
    replaceBy(cast<linalg::LinalgOp>(op),
              concatBranches(cast<linalg::LinalgOp>(op)));
}

void raiseSelectedRows(func::FuncOp func) {
  SmallVector<linalg::LinalgOp> selections;
  func.walk([&](linalg::LinalgOp op) {
    if (isElementwise(op) && hasInBody<arith::SelectOp>(op))
      selections.push_back(op);
  });
  for (linalg::LinalgOp op : selections)
    replaceBy(op, insertSelectedRow(op));
}

struct RaiseCachePass : impl::RaiseCachePassBase<RaiseCachePass> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func.isPublic() || func.isExternal() || !func.getBody().hasOneBlock())
      return;
    raiseConcats(func);
    raiseSelectedRows(func);
    raiseScannedCaches(func);
    Operation *end = func.getBody().front().getTerminator();
    llvm::SmallDenseSet<Value> seen;
    for (auto [i, value] : llvm::enumerate(end->getOperands()))
      if (isa<RankedTensorType>(value.getType()) && seen.insert(value).second)
        CacheResult(func, i, value).raise();
  }
};

} // namespace
} // namespace attn::raise
