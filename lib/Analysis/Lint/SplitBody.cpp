//===- SplitBody.cpp - Functions of elements as ops on tensors ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks ask what a value is like and who reads it. That a function or a
// sum stands in an epilogue, or an activation in the body of an elementwise op,
// must not matter, so each body becomes ops on tensors: one for each sum or
// product of several tensors, one for each function of one tensor, however many
// ops that takes. An op whose body becomes one such op stays what it is.
//
//===----------------------------------------------------------------------===//

#include "FlatFunction.h"

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/Transforms/ExpandBlocks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace attn::lint_checks {

namespace {
/// Makes ops on tensors of the shape of `like`, one after the other.
class Splitter {
public:
  using Made = function_ref<void(Operation *, Operation *)>;
  Splitter(OpBuilder &builder, Value like, Made made)
      : builder(builder), like(like), made(made),
        rank(cast<RankedTensorType>(like.getType()).getRank()) {}

  /// `argument` of the body is an element of `tensor`, read by `map`, or the
  /// number `tensor`.
  void add(Value argument, Value tensor, AffineMap map);
  /// Finds out which tensors the ops of the body are functions of, in order.
  void visit(Operation *op);
  /// The tensor of all `scalar`.
  Value getTensor(Value scalar);

private:
  using Read = std::pair<Value, AffineMap>;
  /// What an op on tensors computes for one element.
  struct Group {
    Value result;
    SetVector<Operation *> ops;
    SetVector<Value> inputs;
    /// The op that makes one tensor of several, if one does.
    Operation *sum = nullptr;
  };
  Read read(Value scalar) {
    if (!tensors.contains(scalar))
      getTensor(scalar);
    return tensors.lookup(scalar);
  }
  bool isActivation(Value scalar) const {
    return isa_and_nonnull<ActivationOp>(scalar.getDefiningOp());
  }
  bool isCast(Operation *op) const {
    return isa<arith::ExtFOp, arith::TruncFOp>(op);
  }
  bool isFactor(Operation *op) const {
    return isa<arith::MulFOp>(op) &&
           llvm::any_of(op->getOperands(),
                        [&](Value operand) { return !leaves.lookup(operand); });
  }
  void collect(Value scalar, Group &group, bool isEnd);
  void collectTerm(Value scalar, Group &group);
  Value create(const Group &group);
  /// Sums that are wider than the result are rounded to it: the stream that
  /// goes through them is of one type then.
  Type getElementType(Value scalar) const;

  OpBuilder &builder;
  Value like;
  Made made;
  int64_t rank;
  /// What became a tensor.
  DenseMap<Value, Read> tensors;
  /// Numbers, which ops outside compute.
  IRMapping numbers;
  /// The value of which a scalar is a function: itself where it is computed
  /// from several, or by an activation; null for numbers.
  DenseMap<Value, Value> leaves;
};
} // namespace

void Splitter::add(Value argument, Value tensor, AffineMap map) {
  if (isa<RankedTensorType>(tensor.getType())) {
    tensors[argument] = {tensor, map};
    // A tensor of one number is a number that only bodies can read.
    leaves[argument] = map.getNumResults() == 0 ? Value() : argument;
    return;
  }
  leaves[argument] = Value();
  if (tensor.getType() != argument.getType()) {
    tensor = arith::ExtFOp::create(builder, like.getLoc(), argument.getType(),
                                   tensor);
    made(tensor.getDefiningOp(), nullptr);
  }
  numbers.map(argument, tensor);
}

void Splitter::visit(Operation *op) {
  Value result = op->getResult(0);
  Value leaf;
  bool isOutside = true;
  for (Value operand : op->getOperands()) {
    Value other = leaves.lookup(operand);
    if (other)
      leaf = leaf && leaf != other ? result : other;
    // What the body captures is known outside.
    isOutside &=
        numbers.contains(operand) || operand.getParentBlock() != op->getBlock();
  }
  leaves[result] = leaf && isa<ActivationOp>(op) ? result : leaf;
  if (isOutside)
    made(builder.clone(*op, numbers), op);
}

/// Whether an op multiplies by sqrt(1/2), as a sum of two may be.
static bool halvesMoment(Operation *op) {
  FloatAttr factor;
  return isa<arith::MulFOp>(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return matchPattern(operand, m_Constant(&factor)) &&
                  std::fabs(factor.getValueAsDouble() - M_SQRT1_2) < 1e-3;
         });
}

/// Adds the ops that compute `scalar` from one tensor. At the end of a group a
/// sum is part of it, below casts and a factor of its own.
void Splitter::collect(Value scalar, Group &group, bool isEnd) {
  Operation *op = scalar.getDefiningOp();
  if (numbers.contains(scalar) || !leaves.contains(scalar))
    return;
  if (!op || tensors.contains(scalar) || isActivation(scalar)) {
    group.inputs.insert(scalar);
    return;
  }
  if (leaves.lookup(scalar) != scalar) {
    for (Value operand : op->getOperands())
      collect(operand, group, isEnd && (isCast(op) || halvesMoment(op)));
  } else if (isEnd && (scalar == group.result || scalar.hasOneUse())) {
    group.sum = op;
    for (Value operand : op->getOperands())
      collectTerm(operand, group);
  } else {
    group.inputs.insert(scalar);
    return;
  }
  group.ops.insert(op);
}

/// What is added to another tensor is a tensor, multiplied by numbers.
void Splitter::collectTerm(Value scalar, Group &group) {
  Operation *op = scalar.getDefiningOp();
  if (!leaves.lookup(scalar))
    return collect(scalar, group, /*isEnd=*/false);
  if (!op || tensors.contains(scalar) || leaves.lookup(scalar) == scalar ||
      !(isCast(op) || isFactor(op))) {
    group.inputs.insert(scalar);
    return;
  }
  for (Value operand : op->getOperands())
    collectTerm(operand, group);
  group.ops.insert(op);
}

Type Splitter::getElementType(Value scalar) const {
  auto type = dyn_cast<FloatType>(scalar.getType());
  auto stored = dyn_cast<FloatType>(getElementTypeOrSelf(like.getType()));
  return type && stored && stored.getWidth() < type.getWidth()
             ? Type(stored)
             : scalar.getType();
}

Value Splitter::create(const Group &group) {
  Type element = getElementType(group.result);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (Value input : group.inputs) {
    auto [tensor, map] = read(input);
    inputs.push_back(tensor);
    maps.push_back(map);
  }
  maps.push_back(builder.getMultiDimIdentityMap(rank));
  Value init = tensor::EmptyOp::create(
      builder, like.getLoc(),
      tensor::getMixedSizes(builder, like.getLoc(), like), element);
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  Operation *origin = group.sum ? group.sum : group.result.getDefiningOp();
  auto generic = linalg::GenericOp::create(
      builder, origin->getLoc(), TypeRange(init.getType()), inputs, init, maps,
      loops, [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        IRMapping scope = numbers;
        for (auto [input, argument] : llvm::zip(group.inputs, arguments))
          scope.map(input, input.getType() == argument.getType()
                               ? argument
                               : Value(arith::ExtFOp::create(
                                     nested, loc, input.getType(), argument)));
        for (Operation *op : group.ops)
          nested.clone(*op, scope);
        Value result = scope.lookup(group.result);
        if (result.getType() != element)
          result = arith::TruncFOp::create(nested, loc, element, result);
        linalg::YieldOp::create(nested, loc, result);
      });
  if (Attribute policy = origin->getAttr(kSumPolicyAttrName))
    generic->setAttr(kSumPolicyAttrName, policy);
  made(generic, origin);
  return generic.getResult(0);
}

Value Splitter::getTensor(Value scalar) {
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  if (Value known = tensors.lookup(scalar).first)
    return known;
  Value tensor;
  auto activation = scalar.getDefiningOp<ActivationOp>();
  Read input = activation ? read(activation.getInput()) : Read();
  if (activation && input.second.isIdentity() &&
      getElementTypeOrSelf(input.first.getType()) == getElementType(scalar)) {
    auto one = ActivationOp::create(
        builder, activation.getLoc(), input.first.getType(), input.first,
        activation.getFunctionAttr(), activation.getCenteredAttr(),
        activation.getUnitMomentAttr());
    made(one, activation);
    tensor = one.getResult();
  } else {
    Group group;
    group.result = scalar;
    if (activation) {
      group.inputs.insert(activation.getInput());
      group.ops.insert(activation);
    } else {
      collect(scalar, group, /*isEnd=*/true);
    }
    tensor = create(group);
  }
  tensors[scalar] = {tensor, identity};
  return tensor;
}

/// Whether each op of the body has one number for a result.
static bool hasNumbers(Block &body) {
  return llvm::all_of(body.without_terminator(), [](Operation &op) {
    return op.getNumResults() == 1 && op.getNumRegions() == 0 &&
           op.getResult(0).getType().isIntOrIndexOrFloat() &&
           !isa<linalg::IndexOp>(op);
  });
}

/// The layer without its epilogue, and its block's arguments as tensors.
static Operation *startLinear(OpBuilder &builder, LinearOp op,
                              Splitter &splitter) {
  Block &body = *op.getEpilogueBody();
  auto type = cast<RankedTensorType>(op.getOutput().getType());
  Location loc = op.getLoc();
  auto sums = LinearOp::create(
      builder, loc, type, op.getInput(), op.getWeight(), op.getBias(),
      /*extras=*/ValueRange(), op.getOutput(), op.getParameterisationAttr(),
      op.getWeightLayoutAttr(), /*schedule=*/ContractionScheduleAttr());
  int64_t rank = type.getRank();
  splitter.add(body.getArgument(0), sums.getResult(),
               builder.getMultiDimIdentityMap(rank));
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

/// The body that an op computes each element of its tensor with, if it has one
/// that becomes ops on tensors.
static Block *getSplittable(Operation *op) {
  if (op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return nullptr;
  Block *body = nullptr;
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (auto linear = dyn_cast<LinearOp>(op))
    body = linear.getEpilogueBody();
  else if (structured && structured.getNumReductionLoops() == 0 &&
           structured.getMatchingIndexingMap(structured.getDpsInitOperand(0))
               .isIdentity() &&
           structured.getRegionOutputArgs().front().use_empty() &&
           !op->hasAttr(kSumPolicyAttrName))
    body = structured.getBlock();
  if (!body || !hasNumbers(*body))
    return nullptr;
  Value yielded = body->getTerminator()->getOperand(0);
  return yielded.getDefiningOp() && yielded.getParentBlock() == body ? body
                                                                     : nullptr;
}

bool splitBody(OpBuilder &builder, Operation *op,
               function_ref<void(Operation *, Operation *)> made,
               Value &result) {
  Block *body = getSplittable(op);
  if (!body)
    return false;
  SmallVector<std::pair<Operation *, Operation *>> parts;
  unsigned numTensorOps = 0;
  auto note = [&](Operation *part, Operation *origin) {
    parts.push_back({part, origin});
    numTensorOps += isa<RankedTensorType>(part->getResult(0).getType());
  };
  Operation *before = op->getPrevNode();
  auto linear = dyn_cast<LinearOp>(op);
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  Splitter splitter(builder,
                    linear ? linear.getOutput()
                           : structured.getDpsInitOperand(0)->get(),
                    note);
  if (linear)
    note(startLinear(builder, linear, splitter), nullptr);
  else
    for (auto [operand, argument] :
         llvm::zip(structured.getDpsInputOperands(), body->getArguments()))
      splitter.add(argument, operand->get(),
                   structured.getMatchingIndexingMap(operand));
  for (Operation &inner : body->without_terminator())
    splitter.visit(&inner);
  result = splitter.getTensor(body->getTerminator()->getOperand(0));
  if (!linear && numTensorOps < 2 && body->getOps<ActivationOp>().empty()) {
    while (Operation *last = op->getPrevNode()) {
      if (last == before)
        break;
      last->erase();
    }
    return false;
  }
  for (auto [part, origin] : parts)
    made(part, origin);
  return true;
}

} // namespace attn::lint_checks
