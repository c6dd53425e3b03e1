//===- FlatFunction.cpp - A function without loops and calls --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlatFunction.h"

#include "attn/Dialect/Attn/IR/TransformerOps.h"
#include "attn/Dialect/Attn/Transforms/ExpandBlocks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace attn::lint_checks {

/// Loops that run more often stay loops.
constexpr int64_t kMostIterations = 512;
/// So do all loops, and calls, once the copy has this many ops.
constexpr int64_t kMostOps = 50000;

FlatFunction::FlatFunction(func::FuncOp function)
    : module(ModuleOp::create(function.getLoc())),
      flat(cast<func::FuncOp>(function->cloneWithoutRegions())),
      builder(function.getContext()) {
  module->push_back(flat);
  callers.push_back(function);
  Scope scope;
  copyRegion(function.getBody(), flat.getBody(), scope);
}

ArrayRef<Value> FlatFunction::getNames(Value value) const {
  auto found = names.find(value);
  return found == names.end() ? ArrayRef<Value>() : found->second;
}

ArrayRef<Value> FlatFunction::getInstances(Value name) const {
  auto found = instances.find(name);
  return found == instances.end() ? ArrayRef<Value>() : found->second;
}

void FlatFunction::setOrigin(Operation *copy, Operation *origin) {
  origins[copy] = origin;
  ++numOps;
}

void FlatFunction::setName(Value value, Value name) {
  names[value].push_back(name);
  instances[name].push_back(value);
}

void FlatFunction::erase(Operation *copy) {
  auto forget = [&](Value value) {
    for (Value name : names.lookup(value))
      llvm::erase(instances[name], value);
    names.erase(value);
  };
  copy->walk([&](Operation *op) {
    llvm::for_each(op->getResults(), forget);
    for (Region &region : op->getRegions())
      llvm::for_each(region.getArguments(), forget);
    origins.erase(op);
  });
  copy->erase();
}

void FlatFunction::setOrigins(Operation *before, Operation *origin) {
  Block *block = builder.getInsertionBlock();
  auto first = before ? std::next(Block::iterator(before)) : block->begin();
  for (Operation &op : llvm::make_range(first, block->end()))
    op.walk([&](Operation *one) { setOrigin(one, origin); });
}

void FlatFunction::leave(Operation *op, ValueRange values, Scope &scope) {
  for (auto [result, value] : llvm::zip(op->getResults(), values)) {
    scope.map(result, value);
    setName(value, result);
  }
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void FlatFunction::copyRegion(Region &from, Region &to, Scope &scope) {
  if (from.empty())
    return;
  if (!from.hasOneBlock()) {
    from.cloneInto(&to, scope);
    for (auto [source, copy] : llvm::zip(from.getOps(), to.getOps())) {
      SmallVector<Operation *> inner;
      source.walk([&](Operation *op) { inner.push_back(op); });
      unsigned next = 0;
      copy.walk([&](Operation *op) { setOrigin(op, inner[next++]); });
    }
    return;
  }
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&to);
  for (BlockArgument argument : from.getArguments()) {
    Value copy = block->addArgument(argument.getType(), argument.getLoc());
    scope.map(argument, copy);
    setName(copy, argument);
  }
  copyBlock(from.front(), scope);
  if (from.front().mightHaveTerminator())
    copyPlain(from.front().getTerminator(), scope);
}

void FlatFunction::copyBlock(Block &block, Scope &scope) {
  bool hasTerminator = block.mightHaveTerminator();
  for (Operation &op : block)
    if (!hasTerminator || &op != block.getTerminator())
      copyOp(&op, scope);
}

void FlatFunction::copyPlain(Operation *op, Scope &scope) {
  Operation *copy = op->cloneWithoutRegions(scope);
  builder.insert(copy);
  setOrigin(copy, op);
  for (auto [from, to] : llvm::zip(op->getRegions(), copy->getRegions()))
    copyRegion(from, to, scope);
  for (auto [value, name] : llvm::zip(copy->getResults(), op->getResults()))
    setName(value, name);
}

void FlatFunction::copyOp(Operation *op, Scope &scope) {
  if (auto call = dyn_cast<func::CallOp>(op); call && copyCall(call, scope))
    return;
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && copyLoop(loop, scope))
    return;
  if (isa<MultiHeadAttentionOp, FeedForwardOp>(op))
    return copyComposite(op, scope);
  copyPlain(op, scope);
  Operation *copy = &builder.getInsertionBlock()->back();
  if (auto norm = dyn_cast<NormOp>(copy); norm && splitNorm(norm, op, scope))
    return;
  Value result;
  auto made = [&](Operation *one, Operation *body) {
    Operation *origin = body ? origins.lookup(body) : op;
    one->walk([&](Operation *inner) { setOrigin(inner, origin); });
  };
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(copy);
  if (splitBody(builder, copy, made, result)) {
    erase(copy);
    leave(op, result, scope);
  }
}

/// A tensor times one number, which may be wider than its elements.
static Value multiply(OpBuilder &builder, Value tensor, Value factor) {
  Location loc = tensor.getLoc();
  auto type = cast<RankedTensorType>(tensor.getType());
  if (factor.getType() != type.getElementType())
    factor =
        arith::TruncFOp::create(builder, loc, type.getElementType(), factor);
  SmallVector<Value> sizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(tensor::DimOp::create(builder, loc, tensor, dim));
  Value all = tensor::SplatOp::create(builder, loc, factor, type, sizes);
  return arith::MulFOp::create(builder, loc, tensor, all);
}

/// A norm that adds first becomes a sum and a norm.
bool FlatFunction::splitNorm(NormOp norm, Operation *op, Scope &scope) {
  if (!norm.getResidual() || norm->getNumResults() == 0 ||
      norm.getInput().getType() != norm.getResidual().getType())
    return false;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(norm);
  Value branch = norm.getResidual();
  if (norm.getFactor()) {
    branch = multiply(builder, branch, norm.getFactor());
    setOrigin(branch.getDefiningOp(), op);
  }
  Value sum =
      arith::AddFOp::create(builder, norm.getLoc(), norm.getInput(), branch);
  setOrigin(sum.getDefiningOp(), op);
  SmallVector<Type> types(norm->getResultTypes());
  if (norm.getSum())
    types.erase(types.begin() + 1);
  auto rest = NormOp::create(
      builder, norm.getLoc(), types, sum, /*residual=*/Value(),
      /*factor=*/Value(), norm.getGamma(), norm.getBeta(), norm.getMean(),
      norm.getVariance(), norm.getOutput(),
      /*sum=*/Value(), norm.getRunningMean(), norm.getRunningVariance(),
      norm.getKindAttr(), norm.getCenteredAttr(), norm.getAxesAttr(),
      norm.getAffineAxesAttr(), norm.getEpsAttr(), norm.getEpsModeAttr(),
      norm.getMomentumAttr(), norm.getUnbiasedAttr(),
      /*schedule=*/NormScheduleAttr());
  setOrigin(rest, op);
  SmallVector<Value> results(rest->getResults());
  if (norm.getSum())
    results.insert(results.begin() + 1, sum);
  erase(norm);
  leave(op, results, scope);
  return true;
}

void FlatFunction::copyComposite(Operation *op, Scope &scope) {
  Block *block = builder.getInsertionBlock();
  Operation *before = block->empty() ? nullptr : &block->back();
  Operation *copy = builder.clone(*op, scope);
  // What replaces the results is found where they are read.
  auto reader = UnrealizedConversionCastOp::create(
      builder, op->getLoc(), TypeRange(builder.getI1Type()),
      copy->getResults());
  IRRewriter rewriter(op->getContext());
  if (auto attention = dyn_cast<MultiHeadAttentionOp>(copy))
    expandMultiHeadAttention(rewriter, attention);
  else
    expandFeedForward(rewriter, cast<FeedForwardOp>(copy));
  SmallVector<Value> results(reader.getInputs());
  reader->erase();
  setOrigins(before, op);
  leave(op, results, scope);
}

bool FlatFunction::copyCall(func::CallOp call, Scope &scope) {
  auto callee = dyn_cast_or_null<func::FuncOp>(
      SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr()));
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock() ||
      llvm::is_contained(callers, callee.getOperation()) || numOps > kMostOps)
    return false;
  Scope inside;
  for (auto [argument, operand] :
       llvm::zip(callee.getArguments(), call.getOperands())) {
    Value value = scope.lookup(operand);
    inside.map(argument, value);
    setName(value, argument);
  }
  callers.push_back(callee);
  copyBlock(callee.front(), inside);
  callers.pop_back();
  inlined.insert(callee);
  SmallVector<Value> results;
  for (Value operand : callee.front().getTerminator()->getOperands())
    results.push_back(inside.lookup(operand));
  leave(call, results, scope);
  return true;
}

bool FlatFunction::copyLoop(scf::ForOp loop, Scope &scope) {
  auto getNumber = [&](Value value) {
    return getConstantIntValue(scope.lookupOrDefault(value));
  };
  std::optional<int64_t> lower = getNumber(loop.getLowerBound());
  std::optional<int64_t> upper = getNumber(loop.getUpperBound());
  std::optional<int64_t> step = getNumber(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return false;
  int64_t trips =
      std::max<int64_t>(0, llvm::divideCeil(*upper - *lower, *step));
  if (trips > kMostIterations || numOps > kMostOps)
    return false;
  SmallVector<Value> carried;
  for (Value init : loop.getInitArgs())
    carried.push_back(scope.lookup(init));
  for (int64_t trip = 0; trip < trips; ++trip) {
    Type type = loop.getInductionVar().getType();
    auto index = arith::ConstantOp::create(
        builder, loop.getLoc(),
        builder.getIntegerAttr(type, *lower + trip * *step));
    setOrigin(index, loop);
    scope.map(loop.getInductionVar(), index.getResult());
    for (auto [argument, value] :
         llvm::zip(loop.getRegionIterArgs(), carried)) {
      scope.map(argument, value);
      setName(value, argument);
    }
    copyBlock(*loop.getBody(), scope);
    for (auto [value, yielded] :
         llvm::zip(carried, loop.getBody()->getTerminator()->getOperands()))
      value = scope.lookup(yielded);
  }
  leave(loop, carried, scope);
  return true;
}

} // namespace attn::lint_checks
