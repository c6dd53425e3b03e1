//===- Scalars.cpp - Arithmetic on random numbers -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Follower.h"

#include "attn/Dialect/Attn/IR/ScalarFunctions.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace attn::moments {

static Expr compare(Engine &engine, unsigned detail, Expr a, Expr b) {
  auto predicate = static_cast<arith::CmpFPredicate>(detail);
  // Comparisons of a number with itself ask for NaN.
  if (a == b && !a->isConstant())
    return engine.graph.constant(predicate == arith::CmpFPredicate::ORD ||
                                 predicate == arith::CmpFPredicate::OEQ ||
                                 predicate == arith::CmpFPredicate::OLE ||
                                 predicate == arith::CmpFPredicate::OGE);
  return engine.apply(Fn::Compare, {a, b}, detail);
}

static Expr power(Engine &engine, Expr base, Expr exponent) {
  if (exponent->isConstant(2.0)) {
    base = engine.collapse(base);
    return engine.multiply(base, base);
  }
  if (exponent->isConstant(0.5))
    return engine.apply(Fn::Sqrt, base);
  if (exponent->isConstant(-0.5))
    return engine.apply(Fn::Rsqrt, base);
  return engine.apply(Fn::Pow, {base, exponent});
}

/// Sums of indices and numbers; null for others.
static Expr followAffine(Graph &graph, AffineExpr expr, ArrayRef<Expr> x,
                         unsigned dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return graph.constant(double(constant.getValue()));
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return x[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return x[dims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Expr left = followAffine(graph, binary.getLHS(), x, dims);
  Expr right = followAffine(graph, binary.getRHS(), x, dims);
  if (!left || !right)
    return nullptr;
  if (expr.getKind() == AffineExprKind::Add)
    return graph.add(left, right);
  return expr.getKind() == AffineExprKind::Mul && right->isConstant()
             ? graph.scale(left, right->number)
             : nullptr;
}

/// An element, or NaN where an index lies beyond its table.
static Expr getInside(Engine &engine, Operation *op, ArrayRef<Expr> x) {
  if (!isa<arith::SelectOp>(op) || !x[1] || !x[2])
    return nullptr;
  for (unsigned side : {1, 2})
    if (x[side]->isConstant() && std::isnan(x[side]->number)) {
      engine.assume("indices lie within their tables");
      return x[3 - side];
    }
  return nullptr;
}

Expr Follower::followScalar(Operation *op, ArrayRef<Expr> x) {
  if (Expr inside = getInside(engine, op, x))
    return inside;
  if (llvm::is_contained(x, nullptr) || op->getNumResults() != 1)
    return nullptr;
  Graph &graph = engine.graph;
  std::optional<ScalarFunction> function = getScalarFunction(op);
  if (function)
    switch (function->fn) {
    case ScalarFn::Add:
      return graph.add(x[0], x[1]);
    case ScalarFn::Sub:
      return engine.subtract(x[0], x[1]);
    case ScalarFn::Mul:
      return engine.multiply(x[0], x[1]);
    case ScalarFn::Div:
      return engine.divide(x[0], x[1]);
    case ScalarFn::Neg:
      return graph.scale(x[0], -1.0);
    case ScalarFn::Fma:
      return graph.add(engine.multiply(x[0], x[1]), x[2]);
    case ScalarFn::Pow:
      return power(engine, x[0], x[1]);
    case ScalarFn::Identity:
      return x[0];
    case ScalarFn::Compare:
      return compare(engine, function->detail, x[0], x[1]);
    case ScalarFn::Select:
      if (x[0]->isConstant())
        return x[x[0]->number != 0.0 ? 1 : 2];
      return x[1] == x[2] ? x[1] : engine.apply(Fn::Select, x);
    default:
      return engine.apply(static_cast<Fn>(function->fn), x);
    }
  return TypeSwitch<Operation *, Expr>(op)
      .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) {
        return engine.apply(Fn::Trunc, engine.divide(x[0], x[1]));
      })
      .Case([&](affine::AffineApplyOp apply) {
        return followAffine(graph, apply.getAffineMap().getResult(0), x,
                            apply.getAffineMap().getNumDims());
      })
      .Case([&](math::ClampFOp) {
        return engine.apply(Fn::MinNum,
                            {engine.apply(Fn::MaxNum, {x[0], x[1]}), x[2]});
      })
      .Default([](Operation *) { return nullptr; });
}

Expr Follower::lookupIn(const Scope &known, Value value) const {
  if (Expr expr = known.lookup(value))
    return expr;
  return lookup(value);
}

/// Adds the loops that an index differs along.
void Follower::addLoops(Value index, const Scope &known,
                        SmallVectorImpl<int> &loops) {
  auto add = [&](int loop) {
    if (!llvm::is_contained(loops, loop))
      loops.push_back(loop);
  };
  if (Expr expr = lookupIn(known, index)) {
    llvm::for_each(getVaryingDims(expr), add);
    return;
  }
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto structured =
        dyn_cast<linalg::LinalgOp>(argument.getOwner()->getParentOp());
    if (!structured)
      return;
    OpOperand &operand = structured->getOpOperand(argument.getArgNumber());
    for (AffineExpr expr :
         structured.getMatchingIndexingMap(&operand).getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        add(dim.getPosition());
    return;
  }
  for (Value operand : index.getDefiningOp()->getOperands())
    if (!isa<TensorType>(operand.getType()))
      addLoops(operand, known, loops);
}

/// Rows of a table: those of different indices are different ones.
Expr Follower::gather(tensor::ExtractOp extract, const Scope &known) {
  Expr table = lookup(extract.getTensor());
  if (!table)
    return nullptr;
  SmallVector<SmallVector<int>> loops;
  for (Value index : extract.getIndices())
    addLoops(index, known, loops.emplace_back());
  engine.assume("different indices find different rows of a table");
  return engine.graph.replaceDraws(table, [&](Expr draw) -> Expr {
    Source source = *draw->source;
    source.correlations.clear();
    SmallVector<int> dims;
    for (auto [dim, correlation] :
         llvm::zip(draw->dims, draw->source->correlations))
      // What a sum runs over stays.
      for (int loop : dim == kNoDim        ? SmallVector<int>()
                      : dim >= kFirstBound ? SmallVector<int>{dim}
                                           : loops[dim]) {
        dims.push_back(loop);
        source.correlations.push_back(correlation);
      }
    return engine.graph.draw(std::move(source), dims);
  });
}

Expr Follower::followBody(Block &block, Scope &known,
                          ArrayRef<double> extents) {
  for (Operation &op : block.without_terminator()) {
    Expr result = nullptr;
    Attribute constant;
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      result = getIndex(index.getDim(), extents[index.getDim()]);
    } else if (matchPattern(&op, m_Constant(&constant))) {
      result = readConstant(constant);
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      result = gather(extract, known);
    } else if (auto activation = dyn_cast<ActivationOp>(op)) {
      if (Expr x = lookupIn(known, activation.getInput()))
        result = activate(activation, x);
    } else {
      SmallVector<Expr> operands;
      for (Value operand : op.getOperands())
        operands.push_back(lookupIn(known, operand));
      result = followScalar(&op, operands);
    }
    if (result)
      known[op.getResult(0)] = result;
  }
  return lookupIn(known, block.getTerminator()->getOperand(0));
}

} // namespace attn::moments
