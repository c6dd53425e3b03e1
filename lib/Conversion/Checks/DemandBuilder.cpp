//===- DemandBuilder.cpp - Assertions on sizes and indices ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DemandBuilder.h"

#include "attn/Conversion/Checks/Checks.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace attn {

/// Texts hold 255 characters, and two numbers behind what is said here.
constexpr size_t kMaxFileName = 60;

DemandBuilder::DemandBuilder(func::FuncOp func)
    : func(func), builder(func.getContext(), this), loc(func.getLoc()) {}

/// `f: model.mlir:12: 'attn.linear': `; the same in whatever folder the file
/// lies.
static std::string getPrefix(func::FuncOp func, Operation *op) {
  std::string prefix = (func.getName() + ": ").str();
  if (auto where = op->getLoc()->findInstanceOf<FileLineColLoc>()) {
    StringRef file = llvm::sys::path::filename(where.getFilename().strref());
    prefix +=
        (file.take_back(kMaxFileName) + ":" + Twine(where.getLine()) + ": ")
            .str();
  }
  return prefix + "'" + op->getName().getStringRef().str() + "': ";
}

void DemandBuilder::setOp(Operation *newOp, Operation *place) {
  op = newOp;
  loc = op->getLoc();
  status = ATTN_ERROR_SHAPE;
  prefix = getPrefix(func, op);
  builder.setInsertionPoint(place ? place : op);
}

Quantity DemandBuilder::getSize(Value tensor, int64_t dim) {
  Quantity size;
  size.name = ("dimension " + Twine(dim) + " of ").str();
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (argument && argument.getOwner() == &func.getBody().front())
    size.name += ("input " + Twine(argument.getArgNumber())).str();
  else if (auto operand = llvm::find(op->getOperands(), tensor);
           operand != op->operand_end())
    size.name += ("operand " + Twine(operand - op->operand_begin())).str();
  else
    size.name += "the result";
  size.value = tensor::getMixedSize(builder, loc, tensor, dim);
  return size;
}

Value DemandBuilder::materialise(OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(builder, loc, value);
}

void DemandBuilder::compare(CmpIPredicate predicate, const Quantity &a,
                            const Quantity &b, StringRef relation,
                            Value unless) {
  std::optional<int64_t> first = getConstantIntValue(a.value),
                         second = getConstantIntValue(b.value);
  if (first && second &&
      arith::applyCmpPredicate(predicate, APInt(64, *first, true),
                               APInt(64, *second, true)))
    return;
  if (predicate == CmpIPredicate::eq && a.value == b.value)
    return;
  Value holds = arith::CmpIOp::create(
      builder, loc, predicate, materialise(a.value), materialise(b.value));
  if (unless)
    holds = arith::OrIOp::create(builder, loc, unless, holds);
  demand(holds, a.name + relation + b.name);
}

void DemandBuilder::demandEqual(const Quantity &a, const Quantity &b) {
  compare(CmpIPredicate::eq, a, b, " must equal ", {});
}

void DemandBuilder::demandBelow(const Quantity &index, const Quantity &bound,
                                Value unless) {
  compare(CmpIPredicate::ult, index, bound, " must be at least 0 and below ",
          unless);
}

void DemandBuilder::demandAtMost(const Quantity &number, const Quantity &bound,
                                 Value unless) {
  compare(CmpIPredicate::ule, number, bound, " must be at least 0 and at most ",
          unless);
}

void DemandBuilder::demandAtLeast(const Quantity &a, const Quantity &b,
                                  Value unless) {
  compare(CmpIPredicate::sge, a, b, " must be at least ", unless);
}

void DemandBuilder::demand(Value holds, const Twine &text) {
  auto assertion =
      cf::AssertOp::create(builder, loc, holds, (prefix + text).str());
  assertion->setAttr(kStatusAttr, builder.getI32IntegerAttr(status));
}

Value DemandBuilder::isAnyZero(ArrayRef<OpFoldResult> sizes) {
  Value any;
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    if (constant && *constant != 0)
      continue;
    Value isZero = arith::CmpIOp::create(
        builder, loc, CmpIPredicate::eq, materialise(size),
        arith::ConstantIndexOp::create(builder, loc, 0));
    any = any ? arith::OrIOp::create(builder, loc, any, isZero) : isZero;
  }
  return any;
}

/// The ops on numbers that compute a condition.
static void collectCondition(Value condition,
                             llvm::SetVector<Operation *> &ops) {
  Operation *op = condition.getDefiningOp();
  if (!op || op->getNumRegions() != 0 || !ops.insert(op))
    return;
  for (Value operand : op->getOperands())
    if (!isa<TensorType>(operand.getType()))
      collectCondition(operand, ops);
}

LogicalResult resolveDemands(const DemandBuilder &demands, func::FuncOp func) {
  MLIRContext *context = func.getContext();
  // Sizes lead to sizes that the function asks for itself, and there may be
  // assertions of an earlier pass.
  llvm::SetVector<Operation *> ops(demands.getCreated().begin(),
                                   demands.getCreated().end());
  func.walk([&](Operation *op) {
    if (isa<tensor::DimOp>(op))
      ops.insert(op);
    if (auto assertion = dyn_cast<cf::AssertOp>(op);
        assertion && op->hasAttr(kStatusAttr)) {
      ops.insert(op);
      collectCondition(assertion.getArg(), ops);
    }
  });
  RewritePatternSet patterns(context);
  populateResolveSizesPatterns(patterns);
  cf::AssertOp::getCanonicalizationPatterns(patterns, context);
  affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
  Dialect *arith = context->getLoadedDialect<arith::ArithDialect>();
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (&op.getDialect() == arith)
      op.getCanonicalizationPatterns(patterns, context);
  // Nothing else is simplified.
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  return applyOpPatternsGreedily(ops.getArrayRef(), std::move(patterns),
                                 config);
}

} // namespace attn
