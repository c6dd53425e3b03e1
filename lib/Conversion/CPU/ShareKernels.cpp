//===- ShareKernels.cpp - Equal ops become calls of one function ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Host/ParallelRuntime.h"
#include "attn/Conversion/Host/EntryNames.h"
#include "attn/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace attn {
#define GEN_PASS_DEF_SHAREKERNELSPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// What an operand of a candidate, or of an op in it, may be but a captured
/// value.
enum OtherUse : int { kInside = -1, kConstant = -2 };

/// An op that may become a call, and what it uses from outside.
struct Candidate {
  explicit Candidate(Operation *op);
  bool operator==(const Candidate &other) const;

  Operation *op;
  /// Equal for equal candidates.
  llvm::hash_code hash{0};
  /// Values from outside in the order of their first use, without constants.
  llvm::SetVector<Value> captures;
  /// Of each operand the place among the captured values, or another use.
  SmallVector<int> uses;
};

/// Those of one module that are equal to each other.
using Group = SmallVector<Candidate, 1>;

bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

/// Whether a parallel loop is in there.
bool runsTasks(Operation &op) {
  return op.walk([](scf::ForallOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

} // namespace

Candidate::Candidate(Operation *op) : op(op) {
  auto ignore = OperationEquivalence::ignoreHashValue;
  DenseMap<Value, int> places;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    hash = llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                        inner, ignore, ignore,
                                        OperationEquivalence::IgnoreLocations));
    for (Value value : inner->getOperands()) {
      if (op->isAncestor(value.getParentRegion()->getParentOp())) {
        uses.push_back(kInside);
      } else if (isConstant(value)) {
        uses.push_back(kConstant);
      } else {
        captures.insert(value);
        uses.push_back(places.try_emplace(value, places.size()).first->second);
      }
    }
  });
}

bool Candidate::operator==(const Candidate &other) const {
  if (hash != other.hash || uses != other.uses)
    return false;
  IRMapping inside;
  // The places of captured values are compared above.
  auto checkEqual = [&](Value a, Value b) {
    if (Value same = inside.lookupOrNull(a))
      return success(same == b);
    return success(
        a.getType() == b.getType() &&
        (!isConstant(a) || OperationEquivalence::isEquivalentTo(
                               a.getDefiningOp(), b.getDefiningOp(),
                               OperationEquivalence::IgnoreLocations)));
  };
  return OperationEquivalence::isEquivalentTo(
      op, other.op, checkEqual, [&](Value a, Value b) { inside.map(a, b); },
      OperationEquivalence::IgnoreLocations);
}

namespace {

/// Finds and shares what is equal in one module.
class Sharer {
public:
  explicit Sharer(ModuleOp module) : module(module), builder(module) {}

  void collect(Region &region, llvm::function_ref<bool(Operation &)> filter);
  /// Looks into ops that have no equal, but not into what works on elements,
  /// where a call costs.
  void descend();
  void share();

private:
  func::FuncOp createKernel(const Candidate &first);
  void createCall(const Candidate &candidate, func::FuncOp kernel);
  void fillKernel(func::FuncOp kernel, const Candidate &first);

  ModuleOp module;
  OpBuilder builder;
  /// In the order in which the first one of each was found.
  std::vector<Group> groups;
  DenseMap<size_t, SmallVector<size_t>> groupsOfHash;
  DenseMap<Operation *, unsigned> numKernels;
};

} // namespace

void Sharer::collect(Region &region,
                     llvm::function_ref<bool(Operation &)> filter) {
  for (Operation &op : region.getOps()) {
    // A choice that gives a result is no call, but what it does may be: copies
    // of arguments whose rows are not contiguous.
    if (isa<scf::IfOp>(op) && op.getNumResults() != 0)
      for (Region &nested : op.getRegions())
        collect(nested, filter);
    if (op.getNumRegions() == 0 || op.getNumResults() != 0 || !filter(op))
      continue;
    Candidate candidate(&op);
    SmallVector<size_t> &known = groupsOfHash[candidate.hash];
    auto found = llvm::find_if(known, [&](size_t group) {
      return !groups[group].empty() && groups[group].front() == candidate;
    });
    if (found != known.end()) {
      groups[*found].push_back(std::move(candidate));
      continue;
    }
    known.push_back(groups.size());
    groups.emplace_back().push_back(std::move(candidate));
  }
}

void Sharer::descend() {
  // What is found in there comes at the end, and its turn, too.
  for (size_t i = 0; i < groups.size(); ++i) {
    Operation *op = groups[i].front().op;
    if (groups[i].size() != 1 || isa<scf::ForallOp>(op) || !runsTasks(*op))
      continue;
    groups[i].clear();
    for (Region &region : op->getRegions())
      collect(region, runsTasks);
  }
}

func::FuncOp Sharer::createKernel(const Candidate &first) {
  auto parent = first.op->getParentOfType<func::FuncOp>();
  SmallVector<Type> types{parent.getArgumentTypes().front()};
  for (Value capture : first.captures)
    types.push_back(capture.getType());
  std::string name =
      (parent.getName() + "__shared" + Twine(numKernels[parent]++)).str();
  builder.setInsertionPointAfter(parent);
  auto kernel = func::FuncOp::create(
      builder, first.op->getLoc(), name,
      builder.getFunctionType(types, builder.getI32Type()));
  setInternalLinkage(kernel);
  return kernel;
}

void Sharer::createCall(const Candidate &candidate, func::FuncOp kernel) {
  auto parent = candidate.op->getParentOfType<func::FuncOp>();
  SmallVector<Value> arguments{parent.getArgument(0)};
  llvm::append_range(arguments, candidate.captures);
  builder.setInsertionPoint(candidate.op);
  Location loc = candidate.op->getLoc();
  auto call = func::CallOp::create(builder, loc, kernel, arguments);
  createReturnIfFailed(builder, loc, module, call.getResult(0));
}

/// Moves the op, and copies of the constants that it uses.
void Sharer::fillKernel(func::FuncOp kernel, const Candidate &first) {
  Block *entry = kernel.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  IRMapping inside;
  inside.map(first.captures.getArrayRef(), entry->getArguments().drop_front());
  auto uses = first.uses.begin();
  first.op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands()) {
      Value value = operand.get();
      int use = *uses++;
      if (use == kConstant && !inside.contains(value))
        builder.clone(*value.getDefiningOp(), inside);
      if (use != kInside)
        operand.set(inside.lookup(value));
    }
  });
  first.op->moveBefore(entry, entry->end());
  builder.setInsertionPointToEnd(entry);
  Location loc = kernel.getLoc();
  Value ok = arith::ConstantIntOp::create(builder, loc, 0, 32);
  func::ReturnOp::create(builder, loc, ok);
}

void Sharer::share() {
  for (const Group &group : groups) {
    if (group.size() < 2)
      continue;
    func::FuncOp kernel = createKernel(group.front());
    for (const Candidate &candidate : group)
      createCall(candidate, kernel);
    fillKernel(kernel, group.front());
    for (const Candidate &candidate : llvm::drop_begin(group))
      candidate.op->erase();
  }
}

namespace {

struct ShareKernelsPass : impl::ShareKernelsPassBase<ShareKernelsPass> {
  void runOnOperation() override {
    Sharer sharer(getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (hasContextArgument(func))
        sharer.collect(func.getBody(), [](Operation &) { return true; });
    sharer.descend();
    sharer.share();
  }
};

} // namespace
} // namespace attn
