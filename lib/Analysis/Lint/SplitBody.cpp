//===- SplitBody.cpp - Functions of elements as ops on tensors ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks ask what a value is like and who reads it. That an activation
// stands in an epilogue or in the body of an elementwise op must not matter, so
// each op of such a body becomes an op on tensors of its own.
//
//===----------------------------------------------------------------------===//

#include "FlatFunction.h"

#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attn::lint_checks {

namespace {
/// Makes ops on tensors of the shape of `like`, one after the other.
class Splitter {
public:
  Splitter(OpBuilder &builder, Value like)
      : builder(builder), like(like),
        rank(cast<RankedTensorType>(like.getType()).getRank()) {}

  /// `argument` of the body is an element of `tensor`, read by `map`.
  void add(Value argument, Value tensor, AffineMap map) {
    tensors[argument] = {tensor, map};
  }

  Operation *split(Operation *op);
  Value getTensor(Value scalar) const { return tensors.lookup(scalar).first; }
  bool isWhole(Value scalar) const {
    auto found = tensors.find(scalar);
    return found != tensors.end() && found->second.second.isIdentity();
  }

private:
  Value createEmpty(Type element) {
    return tensor::EmptyOp::create(
        builder, like.getLoc(),
        tensor::getMixedSizes(builder, like.getLoc(), like), element);
  }
  OpBuilder &builder;
  Value like;
  int64_t rank;
  DenseMap<Value, std::pair<Value, AffineMap>> tensors;
};
} // namespace

Operation *Splitter::split(Operation *op) {
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  Value result = op->getResult(0);
  if (auto activation = dyn_cast<ActivationOp>(op);
      activation && isWhole(activation.getInput())) {
    Value input = getTensor(activation.getInput());
    auto made = ActivationOp::create(builder, op->getLoc(), input.getType(),
                                     input, activation.getFunctionAttr(),
                                     activation.getCenteredAttr(),
                                     activation.getUnitMomentAttr());
    add(result, made.getResult(), identity);
    return made;
  }
  SmallVector<Value> scalars, inputs;
  SmallVector<AffineMap> maps;
  for (Value operand : op->getOperands()) {
    auto found = tensors.find(operand);
    if (found == tensors.end() || llvm::is_contained(scalars, operand))
      continue;
    scalars.push_back(operand);
    inputs.push_back(found->second.first);
    maps.push_back(found->second.second);
  }
  maps.push_back(identity);
  Value init = createEmpty(result.getType());
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, op->getLoc(), TypeRange(init.getType()), inputs, init, maps,
      loops, [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        IRMapping scope;
        for (auto [scalar, argument] : llvm::zip(scalars, arguments))
          scope.map(scalar, argument);
        Operation *copy = nested.clone(*op, scope);
        linalg::YieldOp::create(nested, loc, copy->getResults());
      });
  add(result, generic.getResult(0), identity);
  return generic;
}

/// Whether each op of the body has one number for a result, and one of them is
/// a function of the dialect.
static bool hasActivation(Block &body) {
  bool any = false;
  for (Operation &op : body.without_terminator()) {
    if (op.getNumResults() != 1 || op.getNumRegions() != 0 ||
        !op.getResult(0).getType().isIntOrIndexOrFloat() ||
        isa<linalg::IndexOp>(op))
      return false;
    any |= isa<ActivationOp>(op);
  }
  return any;
}

/// The layer without its epilogue, and its block's arguments as tensors.
static Value startLinear(OpBuilder &builder, LinearOp op, Splitter &splitter) {
  Block &body = *op.getEpilogueBody();
  auto type = cast<RankedTensorType>(op.getOutput().getType());
  Location loc = op.getLoc();
  Value init = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, op.getOutput()),
      body.getArgument(0).getType());
  Value sums =
      LinearOp::create(builder, loc, init.getType(), op.getInput(),
                       op.getWeight(), op.getBias(),
                       /*extras=*/ValueRange(), init,
                       op.getParameterisationAttr(), op.getWeightLayoutAttr(),
                       /*schedule=*/ContractionScheduleAttr())
          .getResult();
  int64_t rank = type.getRank();
  splitter.add(body.getArgument(0), sums, builder.getMultiDimIdentityMap(rank));
  for (auto [extra, argument] :
       llvm::zip(op.getExtras(), body.getArguments().drop_front())) {
    auto extraType = dyn_cast<RankedTensorType>(extra.getType());
    int64_t extraRank = extraType ? extraType.getRank() : 0;
    AffineMap map = extraRank == 0
                        ? AffineMap::get(rank, 0, op.getContext())
                        : AffineMap::getMinorIdentityMap(unsigned(rank),
                                                         unsigned(extraRank),
                                                         op.getContext());
    splitter.add(argument, extra, map);
  }
  return sums;
}

bool splitBody(OpBuilder &builder, Operation *op,
               function_ref<void(Operation *, Operation *)> made,
               Value &result) {
  Block *body = nullptr;
  if (op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  auto linear = dyn_cast<LinearOp>(op);
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (linear)
    body = linear.getEpilogueBody();
  else if (structured && structured.getNumReductionLoops() == 0 &&
           structured.getMatchingIndexingMap(structured.getDpsInitOperand(0))
               .isIdentity())
    body = structured.getBlock();
  if (!body || !hasActivation(*body))
    return false;
  Value like =
      linear ? linear.getOutput() : structured.getDpsInitOperand(0)->get();
  Splitter splitter(builder, like);
  if (linear) {
    made(startLinear(builder, linear, splitter).getDefiningOp(), nullptr);
  } else {
    for (auto [operand, argument] :
         llvm::zip(structured.getDpsInputOperands(), body->getArguments()))
      splitter.add(argument, operand->get(),
                   structured.getMatchingIndexingMap(operand));
  }
  for (Operation &inner : body->without_terminator())
    made(splitter.split(&inner), &inner);
  Value yielded = body->getTerminator()->getOperand(0);
  if (!splitter.isWhole(yielded))
    return false;
  result = splitter.getTensor(yielded);
  return true;
}

} // namespace attn::lint_checks
