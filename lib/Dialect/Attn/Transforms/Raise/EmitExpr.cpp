//===- EmitExpr.cpp - Tensors of expressions that no operand holds --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/GenericBuilder.h"
#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>

using namespace mlir;

namespace attn::raise {

bool canEmit(Expr x) {
  switch (x->kind) {
  case ExprKind::Undefined:
  case ExprKind::Accumulator:
  case ExprKind::Reduce:
  case ExprKind::Opaque:
    return false;
  default:
    return llvm::all_of(x->operands, canEmit);
  }
}

namespace {

class ExprEmitter {
public:
  ExprEmitter(OpBuilder &builder, Location loc, const ExprGraph &graph,
              ArrayRef<unsigned> variables, FloatType type)
      : builder(builder), loc(loc), graph(graph), variables(variables),
        type(type) {}

  Value emitNumber(Expr x);
  Value emitCondition(Expr x);

private:
  Value emitIndex(AffineExpr expr);
  Value emitInside(AffineExpr expr, int64_t size);
  Value emitLoad(Expr x);
  Value emitSum(Expr x);
  Value emitProduct(Expr x, unsigned first = 0);
  Value convert(Value value);
  template <typename OpTy> Value fold(Expr x) {
    Value result = emitNumber(x->operands[0]);
    for (Expr operand : ArrayRef<Expr>(x->operands).drop_front())
      result = OpTy::create(builder, loc, result, emitNumber(operand));
    return result;
  }
  template <typename OpTy> Value foldConditions(Expr x) {
    Value result = emitCondition(x->operands[0]);
    for (Expr operand : ArrayRef<Expr>(x->operands).drop_front())
      result = OpTy::create(builder, loc, result, emitCondition(operand));
    return result;
  }
  template <typename OpTy> Value apply(Expr x) {
    return OpTy::create(builder, loc, emitNumber(x->operands[0]));
  }
  Value number(double value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(type, value));
  }
  Value boolean(bool value) {
    return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(value));
  }

  OpBuilder &builder;
  Location loc;
  const ExprGraph &graph;
  ArrayRef<unsigned> variables;
  FloatType type;
};

Value ExprEmitter::emitIndex(AffineExpr expr) {
  SmallVector<Value> operands;
  llvm::DenseMap<AffineExpr, AffineExpr> dims;
  for (auto [i, variable] : llvm::enumerate(variables)) {
    AffineExpr dim = builder.getAffineDimExpr(variable);
    if (!expr.isFunctionOfDim(variable))
      continue;
    dims[dim] = builder.getAffineDimExpr(operands.size());
    operands.push_back(linalg::IndexOp::create(builder, loc, i));
  }
  AffineMap map = AffineMap::get(operands.size(), 0, expr.replace(dims));
  return affine::AffineApplyOp::create(builder, loc, map, operands);
}

/// What is padded or put together is a selection between loads, all of which
/// are done: the others read some element, too.
Value ExprEmitter::emitInside(AffineExpr expr, int64_t size) {
  Value index = emitIndex(expr);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  ExprGraph::Range range = graph.getRange(expr);
  if (range.lower && *range.lower < 0)
    index = arith::MaxSIOp::create(builder, loc, index, constant(0));
  if (!ShapedType::isDynamic(size) && range.upper && *range.upper >= size)
    index = arith::MinSIOp::create(builder, loc, index, constant(size - 1));
  return index;
}

/// Numbers of other types as `type`.
Value ExprEmitter::convert(Value value) {
  if (isa<IndexType>(value.getType()))
    value =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
  if (value.getType().isInteger(1))
    return arith::UIToFPOp::create(builder, loc, type, value);
  if (isa<IntegerType>(value.getType()))
    return arith::SIToFPOp::create(builder, loc, type, value);
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (width < type.getWidth())
    return arith::ExtFOp::create(builder, loc, type, value);
  if (width > type.getWidth())
    return arith::TruncFOp::create(builder, loc, type, value);
  return value;
}

Value ExprEmitter::emitLoad(Expr x) {
  auto tensor = dyn_cast<RankedTensorType>(x->tensor.getType());
  if (!tensor)
    return x->tensor;
  SmallVector<Value> indices;
  for (auto [expr, size] : llvm::zip_equal(x->indices, tensor.getShape()))
    indices.push_back(emitInside(expr, size));
  return tensor::ExtractOp::create(builder, loc, x->tensor, indices);
}

/// The number a term is multiplied by.
static double getCoefficient(Expr term) {
  Expr first = ExprGraph::getFactors(term).front();
  return first->is(ExprKind::Constant) ? first->number : 1.0;
}

/// Coefficients of one size stand outside, as in (1 - m) * fill: the sum of
/// fill and -fill * m has roundings of the fill's size.
Value ExprEmitter::emitSum(Expr x) {
  double size = std::abs(getCoefficient(x->operands[0]));
  bool isCommon = llvm::all_of(x->operands, [&](Expr term) {
    return std::abs(getCoefficient(term)) == size;
  });
  if (!isCommon || size == 1.0 || !std::isfinite(size))
    return fold<arith::AddFOp>(x);
  Value sum;
  for (Expr term : x->operands) {
    bool isNegative = getCoefficient(term) < 0.0;
    Value next = term->is(ExprKind::Constant) ? number(1.0)
                                              : emitProduct(term, /*first=*/1);
    if (!sum)
      sum = isNegative ? arith::NegFOp::create(builder, loc, next) : next;
    else if (isNegative)
      sum = arith::SubFOp::create(builder, loc, sum, next);
    else
      sum = arith::AddFOp::create(builder, loc, sum, next);
  }
  return arith::MulFOp::create(builder, loc, sum, number(size));
}

/// The product of the operands from `first` on.
Value ExprEmitter::emitProduct(Expr x, unsigned first) {
  Value result, condition;
  for (Expr factor : ArrayRef<Expr>(x->operands).drop_front(first)) {
    if (factor->is(ExprKind::Guard)) {
      Value next = emitCondition(factor->operands[0]);
      condition = condition
                      ? arith::AndIOp::create(builder, loc, condition, next)
                      : next;
      continue;
    }
    Value next = emitNumber(factor);
    result = result ? arith::MulFOp::create(builder, loc, result, next) : next;
  }
  if (!result)
    result = number(1.0);
  return condition ? arith::SelectOp::create(builder, loc, condition, result,
                                             number(0.0))
                   : result;
}

Value ExprEmitter::emitNumber(Expr x) {
  switch (x->kind) {
  case ExprKind::Constant:
    return number(x->number);
  case ExprKind::Index:
    return convert(emitIndex(x->index));
  case ExprKind::Load:
    return convert(emitLoad(x));
  case ExprKind::Sum:
    return emitSum(x);
  case ExprKind::Product:
    return emitProduct(x);
  case ExprKind::Reciprocal:
    return arith::DivFOp::create(builder, loc, number(1.0),
                                 emitNumber(x->operands[0]));
  case ExprKind::Exp:
    return apply<math::ExpOp>(x);
  case ExprKind::Log:
    return apply<math::LogOp>(x);
  case ExprKind::Tanh:
    return apply<math::TanhOp>(x);
  case ExprKind::Sqrt:
    return apply<math::SqrtOp>(x);
  case ExprKind::Abs:
    return apply<math::AbsFOp>(x);
  case ExprKind::Max:
    return fold<arith::MaximumFOp>(x);
  case ExprKind::Min:
    return fold<arith::MinimumFOp>(x);
  case ExprKind::Select:
    return arith::SelectOp::create(builder, loc, emitCondition(x->operands[0]),
                                   emitNumber(x->operands[1]),
                                   emitNumber(x->operands[2]));
  default: // Guard and conditions as numbers
    return convert(emitCondition(x->is(ExprKind::Guard) ? x->operands[0] : x));
  }
}

Value ExprEmitter::emitCondition(Expr x) {
  switch (x->kind) {
  case ExprKind::Constant:
    return boolean(x->number != 0.0);
  case ExprKind::Load:
    return emitLoad(x);
  case ExprKind::And:
    return foldConditions<arith::AndIOp>(x);
  case ExprKind::Or:
    return foldConditions<arith::OrIOp>(x);
  case ExprKind::Not:
    return arith::XOrIOp::create(builder, loc, emitCondition(x->operands[0]),
                                 boolean(true));
  case ExprKind::NonNegative:
    return arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::sge, emitIndex(x->index),
        arith::ConstantIndexOp::create(builder, loc, 0));
  case ExprKind::Select:
    return arith::SelectOp::create(builder, loc, emitCondition(x->operands[0]),
                                   emitCondition(x->operands[1]),
                                   emitCondition(x->operands[2]));
  default: {
    auto predicate =
        x->getComparison() == Comparison::Equal  ? arith::CmpFPredicate::OEQ
        : x->getComparison() == Comparison::Less ? arith::CmpFPredicate::OLT
                                                 : arith::CmpFPredicate::OLE;
    // Integers of 32 bits are exact in f64, not in f32.
    ExprEmitter wide(builder, loc, graph, variables, builder.getF64Type());
    Value lhs = wide.emitNumber(x->operands[0]),
          rhs = wide.emitNumber(x->operands[1]);
    return arith::CmpFOp::create(builder, loc, predicate, lhs, rhs);
  }
  }
}

} // namespace

Value emitTensor(OpBuilder &builder, Location loc, const ExprGraph &graph,
                 Expr x, ArrayRef<unsigned> variables,
                 ArrayRef<OpFoldResult> sizes, Type element) {
  auto number = dyn_cast<FloatType>(element);
  // Integers are exact in f64, up to the numbers that count anything.
  bool isInteger = element.isInteger() && !element.isInteger(1);
  FloatType compute = number      ? number
                      : isInteger ? FloatType(builder.getF64Type())
                                  : FloatType(builder.getF32Type());
  GenericBuilder generics(builder, loc, sizes, compute);
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, sizes.size()));
  return generics
      .create({}, generics.createEmpty(all, element),
              [&](LaneBuilder &lanes, ValueRange) {
                ExprEmitter emitter(lanes.getBuilder(), lanes.getLoc(), graph,
                                    variables, compute);
                if (isInteger)
                  return Value(arith::FPToSIOp::create(lanes.getBuilder(),
                                                       lanes.getLoc(), element,
                                                       emitter.emitNumber(x)));
                return number ? emitter.emitNumber(x)
                              : emitter.emitCondition(x);
              })
      .tensor;
}

Value buildParam(OpBuilder &builder, Location loc, ExprGraph &graph, Expr x,
                 Expr input, ArrayRef<int64_t> dims, Type element) {
  auto indices = llvm::map_to_vector(
      dims, [&](int64_t dim) { return input->indices[dim]; });
  if (x->is(ExprKind::Load) &&
      isBlockElement(getElementTypeOrSelf(x->tensor)) &&
      ArrayRef(x->indices) == ArrayRef(indices) && isOperand(graph, x))
    return x->tensor;
  SmallVector<unsigned> variables;
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, index] : llvm::zip_equal(dims, indices)) {
    // No element varies with a dimension of size 1.
    std::optional<unsigned> variable = ExprGraph::asVariable(index);
    variables.push_back(variable ? *variable : graph.addVariable(1));
    sizes.push_back(tensor::getMixedSize(builder, loc, input->tensor, dim));
  }
  return emitTensor(builder, loc, graph, x, variables, sizes, element);
}

} // namespace attn::raise
