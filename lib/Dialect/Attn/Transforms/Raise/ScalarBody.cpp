//===- ScalarBody.cpp - Expressions of scalar operations ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Interval.h"
#include "attn/Dialect/Attn/Transforms/Raise/PullThrough.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace attn::raise {
namespace {

constexpr double log2e = 1.4426950408889634;

class BodyEvaluator {
public:
  BodyEvaluator(PullThrough &pull, Block &body, ArrayRef<AffineExpr> loops,
                function_ref<Expr(BlockArgument)> argument)
      : pull(pull), graph(pull.getGraph()), body(body), loops(loops),
        argument(argument) {}

  Expr evaluate(Value value) {
    if (Expr known = values.lookup(value))
      return known;
    Expr result = evaluateUncached(value);
    if (result && result->is(ExprKind::Constant))
      result = graph.constant(roundTo(value.getType(), result->number));
    return values[value] = result;
  }

private:
  Expr evaluateUncached(Value value) {
    if (auto arg = dyn_cast<BlockArgument>(value);
        arg && arg.getOwner() == &body)
      return argument(arg);
    Operation *op = value.getDefiningOp();
    if (!op || !body.findAncestorOpInBlock(*op))
      return pull.scalar(value);
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      return graph.index(loops[index.getDim()]);
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return readNumber(graph, constant.getValue());
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return evaluateBranch(branch, cast<OpResult>(value).getResultNumber());
    if (op->getNumRegions() > 0)
      return nullptr;
    SmallVector<Expr> operands;
    for (Value operand : op->getOperands()) {
      if (isa<RankedTensorType>(operand.getType())) {
        operands.push_back(nullptr);
        continue;
      }
      Expr x = evaluate(operand);
      if (!x)
        return nullptr;
      operands.push_back(x);
    }
    if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      return evaluateExtract(extract, operands);
    if (llvm::is_contained(operands, nullptr) || !isPure(op))
      return nullptr;
    Expr result = evaluateFloat(op, operands);
    if (!result)
      result = evaluateInteger(op, operands);
    if (!result)
      result = evaluateCast(op, operands);
    if (!result || mayWrap(result, value.getType()))
      result =
          graph.opaque(op, cast<OpResult>(value).getResultNumber(), operands);
    return result;
  }

  /// Whether a number may not fit a narrow integer. 32 bits hold any index of a
  /// tensor that fits a machine, and what programs compute from such.
  bool mayWrap(Expr x, Type type) const {
    return isa<IntegerType>(type) && !type.isInteger(1) &&
           type.getIntOrFloatBitWidth() < 32 && !fits(x, type);
  }

  /// Whether an integer is known to lie in the signed range of `type`.
  bool fits(Expr x, Type type) const {
    double limit = std::ldexp(1.0, type.getIntOrFloatBitWidth() - 1);
    Interval bounds = getInterval(graph, x);
    return bounds.lower >= -limit && bounds.upper < limit;
  }

  /// JAX concatenates by a branch that extracts from either operand.
  Expr evaluateBranch(scf::IfOp op, unsigned result) {
    auto yielded = [&](Block *block) {
      return evaluate(block->getTerminator()->getOperand(result));
    };
    Expr condition = evaluate(op.getCondition());
    if (!condition)
      return nullptr;
    if (condition->is(ExprKind::Constant))
      return yielded(condition->number != 0.0 ? op.thenBlock()
                                              : op.elseBlock());
    Expr x = yielded(op.thenBlock()), y = yielded(op.elseBlock());
    if (!x || !y)
      return nullptr;
    return op.getResult(result).getType().isInteger(1)
               ? graph.selectBoolean(condition, x, y)
               : graph.select(condition, x, y);
  }

  Expr evaluateExtract(tensor::ExtractOp op, ArrayRef<Expr> operands) {
    SmallVector<AffineExpr> indices;
    for (auto [x, size] : llvm::zip_equal(
             operands.drop_front(), op.getTensor().getType().getShape())) {
      // Elsewhere two unknown extents count as equal, here they may differ.
      if (ShapedType::isDynamic(size) && !x->is(ExprKind::Constant))
        return nullptr;
      if (x->is(ExprKind::Index))
        indices.push_back(x->index);
      else if (x->is(ExprKind::Constant))
        indices.push_back(getAffineConstantExpr(x->number, graph.getContext()));
      else
        return nullptr;
    }
    return pull.pull(op.getTensor(), indices);
  }

  Expr evaluateFloat(Operation *op, ArrayRef<Expr> x);
  Expr evaluateIsNumber(Expr x, Expr y);
  Expr evaluateCompare(arith::CmpFPredicate predicate, Expr x, Expr y);
  Expr evaluateInteger(Operation *op, ArrayRef<Expr> x);
  Expr evaluateCompare(arith::CmpIPredicate predicate, Expr x, Expr y,
                       Type type);
  Expr evaluateDivision(bool isRemainder, Expr x, Expr y);
  Expr evaluateCast(Operation *op, ArrayRef<Expr> x);

  PullThrough &pull;
  ExprGraph &graph;
  Block &body;
  ArrayRef<AffineExpr> loops;
  function_ref<Expr(BlockArgument)> argument;
  DenseMap<Value, Expr> values;
};

Expr BodyEvaluator::evaluateFloat(Operation *op, ArrayRef<Expr> x) {
  auto scaled = [&](double factor, Expr y) {
    return graph.product({graph.constant(factor), y});
  };
  return llvm::TypeSwitch<Operation *, Expr>(op)
      .Case<arith::AddFOp>([&](auto) { return graph.sum({x[0], x[1]}); })
      .Case<arith::SubFOp>([&](auto) { return graph.subtract(x[0], x[1]); })
      .Case<arith::MulFOp>([&](auto) { return graph.product({x[0], x[1]}); })
      .Case<arith::DivFOp>(
          [&](auto) { return graph.product({x[0], graph.reciprocal(x[1])}); })
      .Case<arith::NegFOp>([&](auto) { return graph.negate(x[0]); })
      .Case<math::FmaOp>(
          [&](auto) { return graph.sum({graph.product({x[0], x[1]}), x[2]}); })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>(
          [&](auto) { return graph.maximum(x); })
      .Case<arith::MinimumFOp, arith::MinNumFOp>(
          [&](auto) { return graph.minimum(x); })
      .Case<math::ExpOp>([&](auto) { return graph.exp(x[0]); })
      .Case<math::Exp2Op>(
          [&](auto) { return graph.exp(scaled(1.0 / log2e, x[0])); })
      .Case<math::LogOp>([&](auto) { return graph.unary(ExprKind::Log, x[0]); })
      .Case<math::Log1pOp>([&](auto) {
        return graph.unary(ExprKind::Log,
                           graph.sum({graph.constant(1.0), x[0]}));
      })
      .Case<math::Log2Op>(
          [&](auto) { return scaled(log2e, graph.unary(ExprKind::Log, x[0])); })
      .Case<math::TanhOp>(
          [&](auto) { return graph.unary(ExprKind::Tanh, x[0]); })
      .Case<math::AbsFOp>(
          [&](auto) { return graph.unary(ExprKind::Abs, x[0]); })
      .Case<math::SqrtOp>(
          [&](auto) { return graph.unary(ExprKind::Sqrt, x[0]); })
      .Case<math::RsqrtOp>([&](auto) {
        return graph.reciprocal(graph.unary(ExprKind::Sqrt, x[0]));
      })
      .Case<math::PowFOp, math::FPowIOp>(
          [&](auto) { return graph.power(x[0], x[1]); })
      .Case<arith::CmpFOp>([&](auto cmp) {
        return evaluateCompare(cmp.getPredicate(), x[0], x[1]);
      })
      .Default([](Operation *) { return nullptr; });
}

/// Whether `x` is -inf, or +inf, where some condition says so.
static bool maySelectInfinity(Expr x) {
  if (x->is(ExprKind::Constant))
    return std::isinf(x->number);
  return (x->is(ExprKind::Select) || x->is(ExprKind::Sum)) &&
         llvm::any_of(x->operands, maySelectInfinity);
}

/// Whether an infinity is multiplied by a mask in it: 0 there by the
/// expression, and NaN by the source.
static bool multipliesInfinity(Expr x, llvm::SmallDenseSet<Expr> &seen) {
  if (!seen.insert(x).second)
    return false;
  if (x->is(ExprKind::Product) &&
      llvm::any_of(x->operands,
                   [](Expr each) { return each->is(ExprKind::Guard); }) &&
      llvm::any_of(x->operands, maySelectInfinity))
    return true;
  return llvm::any_of(x->operands, [&](Expr operand) {
    return multipliesInfinity(operand, seen);
  });
}

/// NaN does not occur where the source is finite.
Expr BodyEvaluator::evaluateIsNumber(Expr x, Expr y) {
  SmallVector<Expr> conditions;
  for (Expr each : {x, y}) {
    llvm::SmallDenseSet<Expr> seen;
    if (multipliesInfinity(each, seen))
      conditions.push_back(graph.compare(Comparison::Equal, each, each));
  }
  return graph.conjunction(conditions);
}

Expr BodyEvaluator::evaluateCompare(arith::CmpFPredicate predicate, Expr x,
                                    Expr y) {
  using P = arith::CmpFPredicate;
  // What is not equal to itself is no number.
  if (x == y && predicate == P::OEQ)
    predicate = P::ORD;
  if (x == y && predicate == P::UNE)
    predicate = P::UNO;
  switch (predicate) {
  case P::AlwaysFalse:
    return graph.boolean(false);
  case P::AlwaysTrue:
    return graph.boolean(true);
  case P::UNO:
    return graph.negation(evaluateIsNumber(x, y));
  case P::ORD:
    return evaluateIsNumber(x, y);
  case P::OEQ:
  case P::UEQ:
    return graph.compare(Comparison::Equal, x, y);
  case P::ONE:
  case P::UNE:
    return graph.negation(graph.compare(Comparison::Equal, x, y));
  case P::OLT:
  case P::ULT:
    return graph.compare(Comparison::Less, x, y);
  case P::OLE:
  case P::ULE:
    return graph.compare(Comparison::LessEqual, x, y);
  case P::OGT:
  case P::UGT:
    return graph.compare(Comparison::Less, y, x);
  case P::OGE:
  case P::UGE:
    return graph.compare(Comparison::LessEqual, y, x);
  }
  llvm_unreachable("all predicates are covered");
}

Expr BodyEvaluator::evaluateInteger(Operation *op, ArrayRef<Expr> x) {
  bool isBoolean =
      op->getNumResults() == 1 && op->getResult(0).getType().isInteger(1);
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return isBoolean ? graph.selectBoolean(x[0], x[1], x[2])
                     : graph.select(x[0], x[1], x[2]);
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return evaluateCompare(cmp.getPredicate(), x[0], x[1],
                           cmp.getLhs().getType());
  if (isBoolean) {
    if (isa<arith::AndIOp, arith::MulIOp>(op))
      return graph.conjunction(x);
    if (isa<arith::OrIOp>(op))
      return graph.disjunction(x);
    if (isa<arith::XOrIOp>(op))
      return graph.selectBoolean(x[0], graph.negation(x[1]), x[1]);
    return nullptr;
  }
  return llvm::TypeSwitch<Operation *, Expr>(op)
      .Case<arith::AddIOp>([&](auto) { return graph.sum(x); })
      .Case<arith::SubIOp>([&](auto) { return graph.subtract(x[0], x[1]); })
      .Case<arith::MulIOp>([&](auto) { return graph.product(x); })
      .Case<math::AbsIOp>(
          [&](auto) { return graph.unary(ExprKind::Abs, x[0]); })
      .Case<arith::MaxSIOp>([&](auto) { return graph.maximum(x); })
      .Case<arith::MinSIOp>([&](auto) { return graph.minimum(x); })
      .Case<arith::DivSIOp, arith::FloorDivSIOp, arith::DivUIOp>([&](auto) {
        return evaluateDivision(/*isRemainder=*/false, x[0], x[1]);
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) {
        return evaluateDivision(/*isRemainder=*/true, x[0], x[1]);
      })
      .Default([](Operation *) { return nullptr; });
}

/// Division of a non-negative index by a positive constant, where all roundings
/// agree.
Expr BodyEvaluator::evaluateDivision(bool isRemainder, Expr x, Expr y) {
  if (!x->is(ExprKind::Index) || !y->is(ExprKind::Constant) || y->number < 1)
    return nullptr;
  std::optional<int64_t> lower = graph.getRange(x->index).lower;
  if (!lower || *lower < 0)
    return nullptr;
  int64_t divisor = static_cast<int64_t>(y->number);
  return graph.index(isRemainder ? x->index % divisor
                                 : x->index.floorDiv(divisor));
}

Expr BodyEvaluator::evaluateCompare(arith::CmpIPredicate predicate, Expr x,
                                    Expr y, Type type) {
  using P = arith::CmpIPredicate;
  if (type.isInteger(1)) {
    Expr differ = graph.selectBoolean(x, graph.negation(y), y);
    if (predicate == P::ne)
      return differ;
    return predicate == P::eq ? graph.negation(differ) : nullptr;
  }
  // Unsigned order is the signed one where nothing can be negative.
  auto isNonNegative = [&](Expr e) {
    if (e->is(ExprKind::Constant))
      return e->number >= 0;
    if (!e->is(ExprKind::Index))
      return false;
    std::optional<int64_t> lower = graph.getRange(e->index).lower;
    return lower && *lower >= 0;
  };
  if (predicate >= P::ult && !(isNonNegative(x) && isNonNegative(y)))
    return nullptr;
  switch (predicate) {
  case P::eq:
    return graph.compare(Comparison::Equal, x, y);
  case P::ne:
    return graph.negation(graph.compare(Comparison::Equal, x, y));
  case P::slt:
  case P::ult:
    return graph.compare(Comparison::Less, x, y);
  case P::sle:
  case P::ule:
    return graph.compare(Comparison::LessEqual, x, y);
  case P::sgt:
  case P::ugt:
    return graph.compare(Comparison::Less, y, x);
  case P::sge:
  case P::uge:
    return graph.compare(Comparison::LessEqual, y, x);
  }
  llvm_unreachable("all predicates are covered");
}

Expr BodyEvaluator::evaluateCast(Operation *op, ArrayRef<Expr> x) {
  if (!isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
           arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp,
           arith::IndexCastOp, arith::IndexCastUIOp, arith::FPToSIOp>(op))
    return nullptr;
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  if (from.isInteger(1)) {
    bool isSigned =
        isa<arith::ExtSIOp, arith::SIToFPOp, arith::IndexCastOp>(op);
    return graph.select(x[0], graph.constant(isSigned ? -1.0 : 1.0),
                        graph.constant(0.0));
  }
  if (to.isInteger(1)) {
    // Only the truncation that undoes an extension.
    bool isExtended = x[0]->is(ExprKind::Select) &&
                      (x[0]->operands[1]->isConstant(1.0) ||
                       x[0]->operands[1]->isConstant(-1.0)) &&
                      x[0]->operands[2]->isConstant(0.0);
    return isExtended ? x[0]->operands[0] : nullptr;
  }
  // Numbers are signed here: what may be negative is another as unsigned.
  if (isa<arith::ExtUIOp, arith::UIToFPOp, arith::IndexCastUIOp>(op) &&
      !(getInterval(graph, x[0]).lower >= 0.0))
    return nullptr;
  // 32 bits hold any index.
  if (isa<arith::TruncIOp>(op) && !x[0]->is(ExprKind::Index) && !fits(x[0], to))
    return nullptr;
  if (isa<arith::FPToSIOp>(op) && !x[0]->is(ExprKind::Index))
    return nullptr;
  return x[0];
}

} // namespace

Expr readNumber(ExprGraph &graph, Attribute attribute) {
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return graph.constant(number.getValueAsDouble());
  if (auto number = dyn_cast<IntegerAttr>(attribute)) {
    if (number.getType().isInteger(1))
      return graph.boolean(!number.getValue().isZero());
    return graph.constant(
        static_cast<double>(number.getValue().getSExtValue()));
  }
  return nullptr;
}

double roundTo(Type type, double number) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType || floatType.isF64())
    return number;
  llvm::APFloat value(number);
  bool losesInfo;
  value.convert(floatType.getFloatSemantics(),
                llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

double shortest(double value) {
  llvm::APFloat number(static_cast<float>(value));
  for (unsigned digits = 1; digits < 9; ++digits) {
    llvm::SmallString<32> text;
    number.toString(text, digits);
    double result;
    if (!StringRef(text).getAsDouble(result) &&
        static_cast<float>(result) == number.convertToFloat())
      return result;
  }
  return value;
}

Expr PullThrough::scalar(Value value) {
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    if (Expr number = readNumber(graph, constant.getValue()))
      return number;
  // JAX extracts the condition of a selection in front of it.
  auto extract = value.getDefiningOp<tensor::ExtractOp>();
  if (extract && extract.getIndices().empty())
    if (Expr number = pull(extract.getTensor(), {});
        number && number->is(ExprKind::Constant))
      return number;
  return graph.load(value, {});
}

Expr evaluateBody(PullThrough &pull, Value yielded, Block &body,
                  ArrayRef<AffineExpr> loops,
                  function_ref<Expr(BlockArgument)> argument) {
  return BodyEvaluator(pull, body, loops, argument).evaluate(yielded);
}

} // namespace attn::raise
