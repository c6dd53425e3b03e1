//===- SplitOps.cpp - What one op does at once as several -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks ask what a value is like and who reads it. That a function or a
// sum stands in an epilogue, or an activation in the body of an elementwise op,
// must not matter: ops of bodies become the same ops on tensors.
//
//===----------------------------------------------------------------------===//

#include "FlatFunction.h"

#include "attn/Dialect/Attn/Transforms/TensorSum.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attn::lint_checks {

namespace {
/// Makes ops on tensors of the shape of `like`, one after the other. Floats are
/// of its type, as the stream is that goes through them, and casts between
/// floats do nothing.
class BodySplitter {
public:
  BodySplitter(OpBuilder &builder, Value like)
      : builder(builder), loc(like.getLoc()), like(like) {}

  /// `argument` of the body is an element of `operand`, read by `map`, or the
  /// number `operand`.
  void add(Value argument, Value operand, AffineMap map);
  void visit(Operation *op);
  /// The tensor whose elements are, or repeat, `scalar`.
  Value getTensor(Value scalar);

private:
  Type getElementType(Type type) const {
    Type stored = getElementTypeOrSelf(like.getType());
    return isa<FloatType>(type) && isa<FloatType>(stored) ? stored : type;
  }
  Type getTensorType(Type element) const {
    return cast<RankedTensorType>(like.getType())
        .clone(getElementType(element));
  }

  OpBuilder &builder;
  Location loc;
  Value like;
  /// The body's values that differ from element to element, and the others.
  IRMapping tensors, numbers;
};
} // namespace

/// A tensor or a number of floats of another type.
static Value castTo(OpBuilder &builder, Location loc, Type type, Value value) {
  auto from = dyn_cast<FloatType>(getElementTypeOrSelf(value.getType()));
  auto to = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  if (!from || !to || from == to)
    return value;
  return to.getWidth() > from.getWidth()
             ? builder.createOrFold<arith::ExtFOp>(loc, type, value)
             : builder.createOrFold<arith::TruncFOp>(loc, type, value);
}

static Value createSplat(OpBuilder &builder, Location loc, Value number,
                         Value like, Type type) {
  SmallVector<Value> sizes;
  for (auto [dim, size] :
       llvm::enumerate(cast<RankedTensorType>(type).getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(tensor::DimOp::create(builder, loc, like, dim));
  number = castTo(builder, loc, getElementTypeOrSelf(type), number);
  return tensor::SplatOp::create(builder, loc, number, type, sizes);
}

void BodySplitter::add(Value argument, Value operand, AffineMap map) {
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type || type.getRank() == 0) {
    if (type)
      operand = tensor::ExtractOp::create(builder, loc, operand, ValueRange());
    numbers.map(argument, castTo(builder, loc, argument.getType(), operand));
    return;
  }
  if (!map.isIdentity()) {
    Type whole =
        cast<RankedTensorType>(like.getType()).clone(type.getElementType());
    auto init = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, like),
        type.getElementType());
    SmallVector<utils::IteratorType> loops(map.getNumDims(),
                                           utils::IteratorType::parallel);
    operand =
        linalg::GenericOp::create(
            builder, loc, TypeRange(whole), operand, Value(init),
            {map, builder.getMultiDimIdentityMap(map.getNumDims())}, loops,
            [](OpBuilder &nested, Location at, ValueRange arguments) {
              linalg::YieldOp::create(nested, at, arguments[0]);
            })
            .getResult(0);
  }
  Type element = type.getElementType();
  tensors.map(argument, castTo(builder, loc, getTensorType(element), operand));
}

void BodySplitter::visit(Operation *op) {
  bool isNumber = llvm::none_of(op->getOperands(), [&](Value operand) {
    return tensors.contains(operand);
  });
  if (isNumber) {
    builder.clone(*op, numbers);
    return;
  }
  Type type = getTensorType(op->getResult(0).getType());
  if (isa<arith::ExtFOp, arith::TruncFOp>(op) &&
      tensors.lookup(op->getOperand(0)).getType() == type) {
    tensors.map(op->getResult(0), tensors.lookup(op->getOperand(0)));
    return;
  }
  IRMapping scope;
  for (Value operand : op->getOperands())
    scope.map(operand, getTensor(operand));
  Operation *copy = builder.clone(*op, scope);
  copy->getResult(0).setType(type);
  tensors.map(op->getResult(0), copy->getResult(0));
}

Value BodySplitter::getTensor(Value scalar) {
  if (Value known = tensors.lookupOrNull(scalar))
    return known;
  // What the body captures is known outside.
  return createSplat(builder, loc, numbers.lookupOrDefault(scalar), like,
                     getTensorType(scalar.getType()));
}

/// Whether each op of the body is one that tensors have, too.
static bool isSplittable(Block &body) {
  Value yielded = body.getTerminator()->getOperand(0);
  return yielded.getDefiningOp() && yielded.getParentBlock() == &body &&
         llvm::all_of(body.without_terminator(), [](Operation &op) {
           return op.getNumResults() == 1 &&
                  op.getResult(0).getType().isIntOrIndexOrFloat() &&
                  (isa<ActivationOp>(op) ||
                   op.hasTrait<OpTrait::ConstantLike>() ||
                   OpTrait::hasElementwiseMappableTraits(&op));
         });
}

static Value splitBody(BodySplitter &splitter, Block &body) {
  for (Operation &op : body.without_terminator())
    splitter.visit(&op);
  return splitter.getTensor(body.getTerminator()->getOperand(0));
}

static void splitEpilogue(RewriterBase &rewriter, LinearOp op) {
  Block *body = op.getEpilogueBody();
  if (!body || !isSplittable(*body))
    return;
  rewriter.setInsertionPoint(op);
  auto type = cast<RankedTensorType>(op.getOutput().getType());
  auto sums = LinearOp::create(
      rewriter, op.getLoc(), type, op.getInput(), op.getWeight(), op.getBias(),
      /*extras=*/ValueRange(), op.getOutput(), op.getParameterisationAttr(),
      op.getWeightLayoutAttr(), /*schedule=*/ContractionScheduleAttr());
  sums->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  auto rank = unsigned(type.getRank());
  BodySplitter splitter(rewriter, sums.getResult());
  splitter.add(body->getArgument(0), sums.getResult(),
               rewriter.getMultiDimIdentityMap(rank));
  for (auto [extra, argument] :
       llvm::zip(op.getExtras(), body->getArguments().drop_front())) {
    auto extraType = dyn_cast<RankedTensorType>(extra.getType());
    splitter.add(argument, extra,
                 AffineMap::getMinorIdentityMap(
                     rank, extraType ? unsigned(extraType.getRank()) : 0,
                     op.getContext()));
  }
  rewriter.replaceOp(op, splitBody(splitter, *body));
}

/// Whether an elementwise op computes more than a sum, with its factors, or a
/// function of one tensor. An attn.activation is one wherever it stands.
static bool doesSeveral(linalg::GenericOp op) {
  Block &body = *op.getBody();
  if (!body.getOps<ActivationOp>().empty())
    return true;
  auto isTensor = [&](OpOperand *operand) {
    return op.getMatchingIndexingMap(operand).getNumResults() > 0 &&
           op.payloadUsesValueFromOperand(operand);
  };
  auto isOp = [](Operation &one) {
    return !one.hasTrait<OpTrait::ConstantLike>() &&
           !isa<arith::ExtFOp, arith::TruncFOp>(one);
  };
  std::optional<TensorSum> sum = matchTensorSum(op);
  return llvm::count_if(op.getDpsInputOperands(), isTensor) > 1 &&
         llvm::count_if(body.without_terminator(), isOp) > 1 &&
         !(sum && sum->a.tensor && sum->b.tensor);
}

static void splitGeneric(RewriterBase &rewriter, linalg::GenericOp op) {
  if (op->getNumResults() != 1 || !op.hasPureTensorSemantics() ||
      op.getNumReductionLoops() > 0 || !isSplittable(*op.getBody()) ||
      !doesSeveral(op))
    return;
  OpOperand *init = op.getDpsInitOperand(0);
  if (!op.getMatchingIndexingMap(init).isIdentity() ||
      op.payloadUsesValueFromOperand(init))
    return;
  rewriter.setInsertionPoint(op);
  BodySplitter splitter(rewriter, init->get());
  for (OpOperand *operand : op.getDpsInputOperands())
    splitter.add(op.getMatchingBlockArgument(operand), operand->get(),
                 op.getMatchingIndexingMap(operand));
  rewriter.replaceOp(op, splitBody(splitter, *op.getBody()));
}

/// A norm that adds first becomes a sum and a norm.
static void splitNorm(RewriterBase &rewriter, NormOp op) {
  Value branch = op.getResidual(), input = op.getInput();
  if (!branch || op->getNumResults() == 0 ||
      input.getType() != branch.getType())
    return;
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  if (Value factor = op.getFactor())
    branch = arith::MulFOp::create(
        rewriter, loc, branch,
        createSplat(rewriter, loc, factor, branch, branch.getType()));
  Value sum = arith::AddFOp::create(rewriter, loc, input, branch);
  SmallVector<Type> types(op->getResultTypes());
  if (op.getSum())
    types.erase(types.begin() + 1);
  auto rest = NormOp::create(
      rewriter, loc, types, sum, /*residual=*/Value(), /*factor=*/Value(),
      op.getGamma(), op.getBeta(), op.getMean(), op.getVariance(),
      op.getOutput(), /*sum=*/Value(), op.getRunningMean(),
      op.getRunningVariance(), op.getKindAttr(), op.getCenteredAttr(),
      op.getAxesAttr(), op.getAffineAxesAttr(), op.getEpsAttr(),
      op.getEpsModeAttr(), op.getMomentumAttr(), op.getUnbiasedAttr(),
      /*schedule=*/NormScheduleAttr());
  SmallVector<Value> results(rest->getResults());
  if (op.getSum())
    results.insert(results.begin() + 1, sum);
  rewriter.replaceOp(op, results);
}

void splitOps(RewriterBase &rewriter, func::FuncOp function) {
  function.walk([&](Operation *op) {
    if (auto linear = dyn_cast<LinearOp>(op))
      splitEpilogue(rewriter, linear);
    else if (auto generic = dyn_cast<linalg::GenericOp>(op))
      splitGeneric(rewriter, generic);
    else if (auto norm = dyn_cast<NormOp>(op))
      splitNorm(rewriter, norm);
  });
}

} // namespace attn::lint_checks
