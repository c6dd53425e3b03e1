//===- EntryChecks.cpp - Checks that the entry makes ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryChecks.h"

#include "SizeClasses.h"
#include "attn-runtime/attn_runtime.h"
#include "attn/Conversion/Checks/Checks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attn {
namespace {

/// What a condition is about. The later ones include the earlier.
enum class Subject { Sizes, Arguments, Results };

/// The ops of the function's block that compute a condition.
class ConditionSlice {
public:
  ConditionSlice(Block *block, Value condition)
      : block(block), subject(add(condition)) {}

  Subject getSubject() const { return subject; }
  /// In an order in which they can run.
  ArrayRef<Operation *> getOps() const { return ops.getArrayRef(); }

private:
  Subject add(Value value);

  Block *block;
  llvm::SetVector<Operation *> ops;
  Subject subject;
};

Subject ConditionSlice::add(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return value.getParentBlock() == block ? Subject::Arguments
                                           : Subject::Results;
  if (ops.contains(op))
    return Subject::Sizes;
  if (op->getBlock() != block || op->getNumRegions() != 0 ||
      !isMemoryEffectFree(op))
    return Subject::Results;
  bool isConstant = op->hasTrait<OpTrait::ConstantLike>();
  // Only numbers can be computed before everything else.
  if (isa<TensorType>(value.getType()) && !isConstant)
    return Subject::Results;
  Subject of = Subject::Sizes;
  for (Value operand : op->getOperands())
    if (!isa<tensor::DimOp>(op) || !isa<BlockArgument>(operand))
      of = std::max(of, add(operand));
  ops.insert(op);
  return of;
}

/// Ops without effects that compute the same number, wherever in the source
/// they come from.
struct SameNumber : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(Operation *op) {
    return OperationEquivalence::computeHash(
        op, OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(Operation *a, Operation *b) {
    if (a == b)
      return true;
    if (a == getEmptyKey() || a == getTombstoneKey() || b == getEmptyKey() ||
        b == getTombstoneKey())
      return false;
    return OperationEquivalence::isEquivalentTo(
        a, b, OperationEquivalence::IgnoreLocations);
  }
};

/// Creates checks at the start of a function.
class EntryChecks {
public:
  EntryChecks(func::FuncOp func)
      : func(func), classes(func), builder(func.getContext()) {}

  void run();

private:
  Value createSize(Location loc, ArgumentDim dim);
  Value createCondition(const ConditionSlice &slice, Value condition);
  void move(cf::AssertOp assertion);

  func::FuncOp func;
  SizeClasses classes;
  OpBuilder builder;
  /// The last op of the checks so far; what stood first in the function may go.
  Operation *last = nullptr;
  llvm::DenseMap<std::pair<unsigned, int64_t>, Value> sizes;
  llvm::DenseSet<Operation *, SameNumber> numbers;
  /// Conditions that have been asserted. Two with the same words need not be
  /// the same: ops may share a line of a file, or have none.
  llvm::DenseSet<Value> asserted;
};

/// Equal sizes are one value, so that comparing them is no question.
Value EntryChecks::createSize(Location loc, ArgumentDim dim) {
  if (std::optional<int64_t> known = classes.getSize(dim))
    return arith::ConstantIndexOp::create(builder, loc, *known);
  ArgumentDim first = classes.getFirst(dim);
  Value &size = sizes[{first.argument, first.dim}];
  if (!size)
    size = tensor::DimOp::create(builder, loc, func.getArgument(first.argument),
                                 first.dim);
  return size;
}

Value EntryChecks::createCondition(const ConditionSlice &slice,
                                   Value condition) {
  IRMapping mapping;
  for (Operation *op : slice.getOps()) {
    if (isa<tensor::DimOp>(op)) {
      if (std::optional<ArgumentDim> dim = getArgumentDim(op->getResult(0))) {
        mapping.map(op->getResult(0), createSize(op->getLoc(), *dim));
        continue;
      }
    }
    Operation *copy = builder.clone(*op, mapping);
    SmallVector<Value> folded;
    if (failed(builder.tryFold(copy, folded)) || folded.empty()) {
      auto [known, isNew] = numbers.insert(copy);
      if (isNew)
        continue;
      folded.assign((*known)->result_begin(), (*known)->result_end());
    }
    for (auto [result, value] : llvm::zip_equal(op->getResults(), folded))
      mapping.map(result, value);
    copy->erase();
  }
  return mapping.lookup(condition);
}

/// The entry has looked at the sizes of arguments already.
static bool isInLimit(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::ult &&
         getArgumentDim(compare.getLhs()) &&
         getConstantIntValue(compare.getRhs()).value_or(0) >= kSizeLimit;
}

} // namespace

bool isOfArguments(cf::AssertOp assertion) {
  ConditionSlice slice(assertion->getBlock(), assertion.getArg());
  return slice.getSubject() != Subject::Results &&
         llvm::all_of(slice.getOps(), isSpeculatable);
}

void eraseAssertion(cf::AssertOp assertion) {
  ConditionSlice slice(assertion->getBlock(), assertion.getArg());
  assertion.erase();
  for (Operation *op : llvm::reverse(slice.getOps()))
    if (isOpTriviallyDead(op))
      op->erase();
}

void EntryChecks::move(cf::AssertOp assertion) {
  ConditionSlice slice(assertion->getBlock(), assertion.getArg());
  if (slice.getSubject() == Subject::Results)
    return;
  Block *block = assertion->getBlock();
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(block);
  Value condition = createCondition(slice, assertion.getArg());
  bool isOurs = assertion->hasAttr(kStatusAttr);
  bool isNew = !isOurs || asserted.insert(condition).second;
  if (isNew && !matchPattern(condition, m_One()) && !isInLimit(condition)) {
    auto copy = cf::AssertOp::create(builder, assertion.getLoc(), condition,
                                     assertion.getMsg());
    copy->setDiscardableAttrs(assertion->getDiscardableAttrDictionary());
    if (slice.getSubject() == Subject::Sizes) {
      copy->setAttr(kEntryCheckAttr, builder.getUnitAttr());
      if (isOurs)
        copy->setAttr(kStatusAttr, builder.getI32IntegerAttr(ATTN_ERROR_SHAPE));
    }
  }
  Block::iterator end = builder.getInsertionPoint();
  last = end == block->begin() ? nullptr : &*std::prev(end);
  eraseAssertion(assertion);
}

void EntryChecks::run() {
  SmallVector<cf::AssertOp> rest;
  for (auto assertion : llvm::make_early_inc_range(
           func.getBody().front().getOps<cf::AssertOp>())) {
    // What the program itself asserts has its own text.
    if (assertion->hasAttr(kStatusAttr) && classes.take(assertion))
      eraseAssertion(assertion);
    else
      rest.push_back(assertion);
  }
  classes.record();
  for (cf::AssertOp assertion : rest)
    move(assertion);
}

void moveToEntry(func::FuncOp func) { EntryChecks(func).run(); }

void dropInnerChecks(func::FuncOp func) {
  func.walk([](cf::AssertOp assertion) {
    if (assertion->hasAttr(kStatusAttr) && !assertion->hasAttr(kEntryCheckAttr))
      assertion.erase();
  });
}

} // namespace attn
