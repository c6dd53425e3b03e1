//===- FlatFunction.cpp - A function without loops and calls --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlatFunction.h"

#include "attn/Analysis/CompositeBody.h"
#include "attn/Analysis/InlineCalls.h"
#include "attn/Analysis/ResidualBlock.h"
#include "attn/Dialect/Attn/Transforms/ExpandBlocks.h"
#include "attn/Dialect/Attn/Transforms/Raise/RaiseActivation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace attn::lint_checks {

/// Loops that run more often stay loops.
constexpr int64_t kMostIterations = 512;
/// So do loops and calls that would make more ops than this, names included.
constexpr int64_t kMostOps = 100000;
/// How far a function may be from what it is spelled as: constants of bf16 have
/// three digits.
constexpr raise::Tolerance kTolerance = {/*relative=*/0.01, /*absolute=*/0.01};

static int64_t countOps(Operation *op) {
  int64_t count = 0;
  op->walk([&](Operation *) { ++count; });
  return count;
}

FlatFunction::FlatFunction(TracedModule &traced, func::FuncOp function)
    : module(ModuleOp::create(function.getLoc())), flat(function.clone()),
      numOps(countOps(flat)) {
  module->push_back(flat);
  SymbolTable functions(traced.get());
  inlineCalls(flat, functions, [&](func::FuncOp callee) {
    int64_t size = countOps(callee);
    if (numOps + size > kMostOps)
      return false;
    numOps += size;
    inlined.insert(callee);
    return true;
  });
  IRRewriter rewriter(flat.getContext());
  flat.walk([&](Operation *op) {
    if (CompositeBody::isComposite(op))
      expandBlock(rewriter, op);
  });
  splitOps(rewriter, flat);
  raise();
  numOps = countOps(flat);
  unrollLoops(flat.getBody());
  readNames(traced);
}

void FlatFunction::readNames(const TracedModule &traced) {
  flat.walk([&](Operation *op) {
    Value name = traced.getName(op);
    if (!name)
      return;
    Value value = op->getOperand(0);
    names[value].push_back(name);
    instances[name].push_back(value);
    op->erase();
  });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

bool FlatFunction::unroll(scf::ForOp loop) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips || trips->ugt(kMostIterations))
    return false;
  if (trips->isZero()) {
    loop.replaceAllUsesWith(loop.getInitArgs());
    loop.erase();
    return true;
  }
  int64_t added = int64_t(trips->getZExtValue() - 1) * countOps(loop);
  if (numOps + added > kMostOps || failed(loopUnrollFull(loop)))
    return false;
  numOps += added;
  return true;
}

/// What is known of indices decides on inner loops, and on slices.
static bool foldIndex(Operation *op) {
  if (op->getNumResults() != 1 || op->hasTrait<OpTrait::ConstantLike>() ||
      !op->getResult(0).getType().isIntOrIndex() || !isMemoryEffectFree(op))
    return false;
  OpBuilder builder(op);
  SmallVector<Value> number;
  if (failed(builder.tryFold(op, number)) || number.empty())
    return false;
  op->replaceAllUsesWith(number);
  op->erase();
  return true;
}

void FlatFunction::unrollLoops(Region &region) {
  auto getFirst = [](Block &block) {
    return block.empty() ? nullptr : &block.front();
  };
  for (Block &block : region)
    for (Operation *op = getFirst(block), *next; op; op = next) {
      Operation *before = op->getPrevNode();
      auto loop = dyn_cast<scf::ForOp>(op);
      if (foldIndex(op) || (loop && unroll(loop))) {
        next = before ? before->getNextNode() : getFirst(block);
        continue;
      }
      for (Region &inner : op->getRegions())
        unrollLoops(inner);
      next = op->getNextNode();
    }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static bool isOnTensors(Operation *op) {
  return op && OpTrait::hasElementwiseMappableTraits(op) &&
         isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
             op->getDialect()) &&
         isa<RankedTensorType>(op->getResult(0).getType());
}

/// The ops on tensors that a function may be spelled with: those between which
/// there is more than sums and products. A cast stays what it is, a view of its
/// operand, and so does the sum of a stream.
static SmallVector<Operation *> findParts(func::FuncOp function) {
  llvm::SetVector<Operation *> parts;
  auto add = [&](Operation *op) {
    if (isOnTensors(op) && !isa<arith::ExtFOp, arith::TruncFOp>(op) &&
        !parts.contains(op) && !matchResidualBlock(op))
      parts.insert(op);
  };
  function.walk([&](Operation *op) {
    if (isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
        isa<arith::MaximumFOp, arith::MaxNumFOp, arith::SelectOp>(op))
      add(op);
  });
  for (size_t i = 0; i < parts.size(); ++i) {
    for (Value operand : parts[i]->getOperands())
      add(operand.getDefiningOp());
    for (Operation *user : parts[i]->getUsers())
      add(user);
  }
  return parts.takeVector();
}

/// Functions that are spelled out get their names.
void FlatFunction::raise() {
  RewritePatternSet patterns(flat.getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  (void)applyOpPatternsGreedily(
      findParts(flat), std::move(patterns),
      GreedyRewriteConfig()
          .setStrictness(GreedyRewriteStrictness::ExistingOps)
          .enableFolding(false));
  ScopedDiagnosticHandler quiet(flat.getContext(),
                                [](Diagnostic &) { return success(); });
  raise::raiseActivations(flat, kTolerance);
}

} // namespace attn::lint_checks
