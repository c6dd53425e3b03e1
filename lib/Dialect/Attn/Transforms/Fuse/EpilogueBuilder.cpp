//===- EpilogueBuilder.cpp - A linear layer that grows an epilogue --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn;

EpilogueBuilder::EpilogueBuilder(RewriterBase &rewriter, LinearOp linear)
    : rewriter(rewriter), linear(linear), compute(linear.getComputeType()),
      body(&region.emplaceBlock()), builder(rewriter.getContext()),
      extras(linear.getExtras()) {
  builder.setInsertionPointToEnd(body);
  for (size_t i = 0; i < 1 + extras.size(); ++i)
    body->addArgument(compute, linear.getLoc());
  result = body->getArgument(0);
  if (Block *old = linear.getEpilogueBody()) {
    IRMapping mapping;
    mapping.map(old->getArguments(), body->getArguments());
    for (Operation &op : old->without_terminator())
      builder.clone(op, mapping);
    result = mapping.lookup(cast<YieldOp>(old->getTerminator()).getScore());
  }
  values.map(linear->getResult(0), result);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Numbers of these types are held in the compute type without loss.
bool EpilogueBuilder::isKnownFloat(Type type) {
  return type == compute ||
         type == getElementTypeOrSelf(linear.getInput().getType());
}

/// The type of one element, a float as wide as the sums.
Type EpilogueBuilder::convertType(Type type) const {
  Type element = getElementTypeOrSelf(type);
  return isa<FloatType>(element) ? Type(compute) : element;
}

/// A number, or the number that all elements are.
TypedAttr EpilogueBuilder::convertConstant(TypedAttr value) const {
  Attribute number = value;
  if (isa<ElementsAttr>(number)) {
    // Those of a resource are looked at by nobody.
    auto elements = dyn_cast<DenseElementsAttr>(number);
    if (!elements || !elements.isSplat())
      return {};
    number = elements.getSplatValue<Attribute>();
  }
  if (auto floating = dyn_cast<FloatAttr>(number))
    return FloatAttr::get(compute, floating.getValueAsDouble());
  return dyn_cast<TypedAttr>(number);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// What is repeated along the first dimensions, or the tensor itself.
static Value stripBroadcast(Value operand) {
  if (auto fill = operand.getDefiningOp<linalg::FillOp>())
    return fill.getInputs()[0];
  if (auto splat = operand.getDefiningOp<tensor::SplatOp>())
    return splat.getInput();
  if (auto broadcast = operand.getDefiningOp<linalg::BroadcastOp>())
    if (llvm::equal(broadcast.getDimensions(),
                    llvm::seq<int64_t>(0, broadcast.getDimensions().size())))
      return broadcast.getInput();
  return operand;
}

Value EpilogueBuilder::getElement(Value operand) {
  if (Value known = values.lookupOrNull(operand))
    return known;
  operand = stripBroadcast(operand);
  TypedAttr constant;
  if (matchPattern(operand, m_Constant(&constant)))
    if (TypedAttr number = convertConstant(constant))
      return arith::ConstantOp::create(builder, linear.getLoc(), number);
  auto shaped = dyn_cast<RankedTensorType>(operand.getType());
  auto output = cast<RankedTensorType>(linear.getOutput().getType());
  if (!isKnownFloat(getElementTypeOrSelf(operand.getType())) ||
      (!shaped && !isa<FloatType>(operand.getType())) ||
      (shaped && shaped.getRank() > output.getRank()))
    return {};
  auto *known = llvm::find(extras, operand);
  if (known != extras.end())
    return body->getArgument(1 + (known - extras.begin()));
  extras.push_back(operand);
  return body->addArgument(compute, linear.getLoc());
}

LogicalResult EpilogueBuilder::mapCaptures(Operation &op, Block &inner) {
  for (Value operand : op.getOperands()) {
    if (operand.getParentBlock() == &inner || values.contains(operand))
      continue;
    Value element =
        isa<ShapedType>(operand.getType()) ? Value() : getElement(operand);
    if (!element)
      return failure();
    values.map(operand, element);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult EpilogueBuilder::clone(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    TypedAttr number = convertConstant(constant.getValue());
    if (!number)
      return failure();
    values.map(constant.getResult(),
               Value(arith::ConstantOp::create(builder, op.getLoc(), number)));
    return success();
  }
  if (!OpTrait::hasElementwiseMappableTraits(&op) || !isPure(&op) ||
      op.getNumResults() != 1 || isa<arith::BitcastOp>(op) ||
      !isa<arith::ArithDialect, math::MathDialect, AttnDialect>(
          op.getDialect()))
    return failure();
  for (Type type :
       llvm::concat<const Type>(op.getOperandTypes(), op.getResultTypes())) {
    Type element = getElementTypeOrSelf(type);
    if (isa<FloatType>(element) && !isKnownFloat(element))
      return failure();
  }
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    values.map(op.getResult(0), values.lookup(op.getOperand(0)));
    return success();
  }
  Operation *copy = builder.clone(op, values);
  copy->getResult(0).setType(convertType(copy->getResult(0).getType()));
  return success();
}

std::string EpilogueBuilder::appendStructured(linalg::LinalgOp op) {
  Block &inner = *op.getBlock();
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      !inner.getArguments().back().use_empty())
    return "it does not write each element once, in order";
  unsigned rank = op.getNumLoops();
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (map.getNumResults() != 0 &&
        map != AffineMap::getMultiDimIdentityMap(rank, op.getContext())
                   .getMinorSubMap(map.getNumResults()))
      return "an operand is read elsewhere than the output is written";
    Value element = getElement(operand->get());
    if (!element)
      return "an operand has another type or shape";
    values.map(op.getMatchingBlockArgument(operand), element);
  }
  for (Operation &next : inner.without_terminator())
    if (failed(mapCaptures(next, inner)) || failed(clone(next)))
      return "its body has " + next.getName().getStringRef().str();
  Value yielded = inner.getTerminator()->getOperand(0);
  result = values.lookupOrNull(yielded);
  if (!result)
    result = getElement(yielded);
  return result ? "" : "its body yields a value from outside";
}

std::string EpilogueBuilder::appendTensorOp(Operation *op) {
  for (Value operand : op->getOperands()) {
    Value element = getElement(operand);
    if (!element)
      return "an operand has another type or shape";
    values.map(operand, element);
  }
  if (failed(clone(*op)))
    return "numbers of its type are not computed in the epilogue";
  result = values.lookup(op->getResult(0));
  return {};
}

std::string EpilogueBuilder::append(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto produced = cast<RankedTensorType>(linear->getResult(0).getType());
  if (!isKnownFloat(type.getElementType()))
    return "its result has another type";
  if (type.getShape() != produced.getShape())
    return "its result has another shape";
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return appendStructured(structured);
  return appendTensorOp(op);
}

//===----------------------------------------------------------------------===//
// The new layer
//===----------------------------------------------------------------------===//

Value EpilogueBuilder::finish(Operation *op) {
  YieldOp::create(builder, linear.getLoc(), result);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Value output;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    output = structured.getDpsInits()[0];
  if (!output || output.getDefiningOp() == linear) {
    output = linear.getOutput();
    if (output.getType() != type)
      output = tensor::EmptyOp::create(
          rewriter, linear.getLoc(),
          tensor::getMixedSizes(rewriter, linear.getLoc(), output),
          type.getElementType());
  }
  auto grown = LinearOp::create(
      rewriter, linear.getLoc(), type, linear.getInput(), linear.getWeight(),
      linear.getBias(), extras, output, linear.getParameterisationAttr(),
      linear.getWeightLayoutAttr(), linear.getScheduleAttr());
  grown->setDiscardableAttrs(linear->getDiscardableAttrDictionary());
  grown.getEpilogue().takeBody(region);
  return grown->getResult(0);
}
