//===- LearnSizes.cpp - Demands on sizes, before raising forgets them -----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structured op that adds a mask to scores says that it has their sizes. Once
// the attention is raised, the mask is read at its elements, of which there may
// be more. A reshape says which size of one argument is a product of others',
// and a raised product needs no reshape. So what ops demand of arguments is
// noted first: equal dimensions on the arguments, the rest as assertions. What
// only exists inside is for attn-check-sizes to ask.
//
//===----------------------------------------------------------------------===//

#include "DemandBuilder.h"
#include "EntryChecks.h"
#include "SizeClasses.h"
#include "attn/Conversion/Checks/Checks.h"
#include "attn/Conversion/Host/EntryNames.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

/// Of assertions that are there to be learnt from.
static constexpr StringLiteral kLearntAttr = "attn.learnt";

static bool hasDynamicArgument(func::FuncOp func) {
  return llvm::any_of(func.getArgumentTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  });
}

/// Ops that raising reads, whose sizes need not be those of what it makes.
static void addForgottenDemands(Operation *op, attn::DemandBuilder &demands) {
  if (isa<linalg::LinalgOp>(op) || OpTrait::hasElementwiseMappableTraits(op))
    addSizeDemands(op, demands);
  else if (isa<tensor::ExpandShapeOp, tensor::ReshapeOp, tensor::ConcatOp,
               OffsetSizeAndStrideOpInterface>(op))
    addTensorDemands(op, demands);
}

/// Whether it only keeps products from wrapping. Where one is still computed
/// when all is raised, attn-check-sizes asks again.
static bool isLimit(cf::AssertOp assertion) {
  auto compare = assertion.getArg().getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::ult &&
         getConstantIntValue(compare.getRhs()).value_or(0) >= attn::kSizeLimit;
}

/// Records equal dimensions, leaves what else arguments decide, and drops the
/// rest.
static void keepDemands(func::FuncOp func) {
  attn::SizeClasses classes(func);
  bool isKnown = false;
  for (auto assertion : llvm::to_vector(func.front().getOps<cf::AssertOp>())) {
    if (!assertion->removeAttr(kLearntAttr))
      continue;
    bool isTaken = classes.take(assertion);
    isKnown |= isTaken;
    if (isTaken || isLimit(assertion) || !attn::isOfArguments(assertion))
      attn::eraseAssertion(assertion);
  }
  if (isKnown)
    classes.record();
}

LogicalResult attn::learnSizes(func::FuncOp func) {
  if (!isEntryCandidate(func) || !hasDynamicArgument(func))
    return success();
  DemandBuilder demands(func);
  // What stands in a region may not run.
  SmallVector<Operation *> ops;
  for (Operation &op : func.front())
    ops.push_back(&op);
  for (Operation *op : ops)
    addForgottenDemands(op, demands);
  for (Operation *op : demands.getCreated())
    if (isa<cf::AssertOp>(op))
      op->setAttr(kLearntAttr, UnitAttr::get(op->getContext()));
  if (demands.getCreated().empty())
    return success();
  if (failed(resolveDemands(demands, func)))
    return failure();
  keepDemands(func);
  return success();
}
