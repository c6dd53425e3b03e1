//===- SeparateDestinations.cpp - No two results begin in one tensor ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace attn {
#define GEN_PASS_DEF_SEPARATEDESTINATIONSPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// The operand whose buffer `value` takes over when its op works in place, or
/// null.
OpOperand *getDestination(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return nullptr;
  Operation *op = result.getOwner();
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return &insert.getDestMutable();
  if (isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return &op->getOpOperand(0);
  if (auto style = dyn_cast<DestinationStyleOpInterface>(op))
    return style.getTiedOpOperand(result);
  // Its interface ties results to what the condition hands on.
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    unsigned i = result.getResultNumber();
    bool isKept =
        i < loop.getInits().size() &&
        loop.getConditionOp().getArgs()[i] == loop.getBeforeArguments()[i];
    return isKept ? &loop.getInitsMutable()[i] : nullptr;
  }
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    return loop.getTiedLoopInit(result);
  return nullptr;
}

bool isDestination(OpOperand &use) {
  return llvm::any_of(use.getOwner()->getResults(), [&](OpResult result) {
    return getDestination(result) == &use;
  });
}

bool isFilledEmpty(linalg::FillOp fill) {
  return fill->getNumResults() == 1 &&
         fill.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>();
}

/// Each of `uses` but the first gets a copy of `op`, just before its user.
void separate(Operation *op, ArrayRef<OpOperand *> uses) {
  if (uses.empty())
    return;
  OpBuilder builder(op->getContext());
  for (OpOperand *use : uses.drop_front()) {
    builder.setInsertionPoint(use->getOwner());
    use->set(builder.clone(*op)->getResult(0));
  }
}

/// Uses in the order of their users, so that copies come in a fixed order.
SmallVector<OpOperand *> getUses(Operation *op,
                                 llvm::function_ref<bool(OpOperand &)> filter) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : op->getUses())
    if (filter(use))
      uses.push_back(&use);
  std::reverse(uses.begin(), uses.end());
  return uses;
}

using Materialize = bufferization::MaterializeInDestinationOp;

/// The memref that `value` is read from, or null.
Value getMemory(Value value) {
  auto read = value.getDefiningOp<bufferization::ToTensorOp>();
  return read ? read.getBuffer() : Value();
}

bool isRead(Value memory) {
  return llvm::any_of(memory.getUsers(), [](Operation *user) {
    return isa<bufferization::ToTensorOp>(user);
  });
}

/// Whether `value`, which is due in `dest`, could lie in the memory of another
/// result then. An argument that takes a result over is `written`.
bool liesInWritten(Value value, Value dest, const DenseSet<Value> &written,
                   bool isPart = false) {
  while (true) {
    if (OpOperand *destination = getDestination(value))
      value = destination->get();
    else if (auto slice = value.getDefiningOp<tensor::ExtractSliceOp>()) {
      value = slice.getSource();
      isPart = true;
    } else
      break;
  }
  if (Value memory = getMemory(value))
    return written.contains(memory) && (isPart || memory != dest);
  if (auto branch = value.getDefiningOp<scf::IfOp>()) {
    unsigned i = cast<OpResult>(value).getResultNumber();
    return liesInWritten(branch.thenYield().getOperand(i), dest, written,
                         isPart) ||
           liesInWritten(branch.elseYield().getOperand(i), dest, written,
                         isPart);
  }
  // Of values that other control flow chooses nothing is known.
  return !matchPattern(value, m_Constant()) &&
         !value.getDefiningOp<tensor::EmptyOp>();
}

/// Results take effect all at once: what an argument held before it takes its
/// result over may be due, too, and is saved first.
void saveOldValues(ArrayRef<Materialize> results) {
  DenseSet<Value> written;
  for (Materialize result : results)
    if (isRead(result.getDest()))
      written.insert(result.getDest());
  if (written.empty())
    return;
  OpBuilder builder(results.front());
  for (Materialize result : results) {
    if (!liesInWritten(result.getSource(), result.getDest(), written))
      continue;
    auto type = cast<RankedTensorType>(result.getSource().getType());
    Value saved = bufferization::AllocTensorOp::create(
        builder, result.getLoc(), type, ValueRange(), result.getSource());
    result.getSourceMutable().assign(saved);
  }
}

/// The tensor.empty in which the computation of `result` begins, and whether a
/// value in between has a use beside that computation.
std::pair<tensor::EmptyOp, bool> findBeginning(Value result) {
  bool isShared = false;
  while (OpOperand *destination = getDestination(result)) {
    result = destination->get();
    isShared |= !result.hasOneUse();
  }
  return {result.getDefiningOp<tensor::EmptyOp>(), isShared};
}

/// A result may be computed in place, from a tensor.empty on, unless others
/// need a value in between, or the argument that takes it over is read: its old
/// value may be due until the last result is computed. What is put together of
/// slices begins in its destination, so that each slice finds it there.
void placeBeginning(Materialize result) {
  auto [empty, isShared] = findBeginning(result.getSource());
  if (!empty)
    return;
  OpBuilder builder(empty);
  Location loc = empty.getLoc();
  Value dest = result.getDest(), memory;
  if (isShared || isRead(dest))
    memory = bufferization::AllocTensorOp::create(builder, loc, empty.getType(),
                                                  empty.getDynamicSizes());
  else if (isa<tensor::InsertSliceOp>(*empty->user_begin()) &&
           memref::getTensorTypeFromMemRefType(dest.getType()) ==
               empty.getType())
    memory = bufferization::ToTensorOp::create(builder, loc, empty.getType(),
                                               dest, /*restrict=*/true,
                                               /*writable=*/true);
  else
    return;
  empty.getResult().replaceAllUsesWith(memory);
  empty.erase();
}

struct SeparateDestinationsPass
    : impl::SeparateDestinationsPassBase<SeparateDestinationsPass> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    func.walk([](linalg::FillOp fill) {
      if (isFilledEmpty(fill))
        separate(fill, getUses(fill, isDestination));
    });
    func.walk([](tensor::EmptyOp empty) {
      separate(empty, getUses(empty, [](OpOperand &) { return true; }));
    });
    SmallVector<Materialize> results;
    func.walk([&](Materialize result) {
      if (isa<MemRefType>(result.getDest().getType()))
        results.push_back(result);
    });
    saveOldValues(results);
    llvm::for_each(results, placeBeginning);
  }
};

} // namespace
} // namespace attn
