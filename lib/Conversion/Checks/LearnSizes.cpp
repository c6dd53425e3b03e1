//===- LearnSizes.cpp - Equal sizes, before raising forgets them ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structured op that adds a mask to scores says that it has their sizes. Once
// the attention is raised, the mask is read at its elements, of which there may
// be more. So what structured ops say of arguments is noted on these first; all
// else that they demand is for attn-check-sizes to ask.
//
//===----------------------------------------------------------------------===//

#include "DemandBuilder.h"
#include "EntryChecks.h"
#include "SizeClasses.h"
#include "attn/Conversion/Host/EntryNames.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

/// Of assertions that are there to be learnt from.
static constexpr StringLiteral kLearntAttr = "attn.learnt";

static bool hasDynamicArgument(func::FuncOp func) {
  return llvm::any_of(func.getArgumentTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  });
}

LogicalResult attn::learnEqualSizes(func::FuncOp func) {
  if (!isEntryCandidate(func) || !hasDynamicArgument(func))
    return success();
  DemandBuilder demands(func);
  // What stands in a region may not run.
  for (auto op : llvm::to_vector(func.front().getOps<linalg::LinalgOp>()))
    addSizeDemands(op, demands);
  for (Operation *op : demands.getCreated())
    if (isa<cf::AssertOp>(op))
      op->setAttr(kLearntAttr, UnitAttr::get(op->getContext()));
  if (demands.getCreated().empty())
    return success();
  if (failed(resolveDemands(demands, func)))
    return failure();
  SizeClasses classes(func);
  bool isKnown = false;
  for (auto assertion : llvm::to_vector(func.front().getOps<cf::AssertOp>())) {
    if (!assertion->hasAttr(kLearntAttr))
      continue;
    isKnown |= classes.take(assertion);
    eraseAssertion(assertion);
  }
  if (isKnown)
    classes.record();
  return success();
}
