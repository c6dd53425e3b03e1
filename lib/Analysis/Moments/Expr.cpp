//===- Expr.cpp - Random elements of tensors as expressions ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expr.h"

#include "attn/Dialect/Attn/IR/GaussianMoments.h"
#include "attn/Dialect/Attn/IR/ScalarFunctions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace attn::moments {

void Node::Profile(llvm::FoldingSetNodeID &key) const {
  key.AddInteger(unsigned(kind));
  key.AddInteger(unsigned(fn));
  key.AddInteger(detail);
  key.AddInteger(llvm::bit_cast<uint64_t>(number));
  key.AddPointer(source);
  for (int dim : dims)
    key.AddInteger(dim);
  for (double coefficient : coefficients)
    key.AddInteger(llvm::bit_cast<uint64_t>(coefficient));
  for (Expr operand : operands)
    key.AddPointer(operand);
}

bool Node::variesAlong(ArrayRef<int> which) const {
  return llvm::any_of(dims,
                      [&](int dim) { return llvm::is_contained(which, dim); });
}

Expr Graph::intern(Node &&node) {
  llvm::FoldingSetNodeID key;
  node.Profile(key);
  void *position = nullptr;
  if (Node *known = unique.FindNodeOrInsertPos(key, position))
    return known;
  auto owned = std::make_unique<Node>(std::move(node));
  owned->id = nodes.size();
  owned->hasSum = owned->kind == Kind::Sum;
  for (Expr operand : owned->operands) {
    owned->hasSum |= operand->hasSum;
    for (Expr draw : operand->draws)
      if (owned->kind != Kind::Sum || !draw->variesAlong(owned->dims))
        owned->draws.push_back(draw);
  }
  if (owned->kind == Kind::Draw)
    owned->draws.push_back(owned.get());
  auto byId = [](Expr a, Expr b) { return a->id < b->id; };
  llvm::sort(owned->draws, byId);
  owned->draws.erase(llvm::unique(owned->draws), owned->draws.end());
  unique.InsertNode(owned.get(), position);
  nodes.push_back(std::move(owned));
  return nodes.back().get();
}

Expr Graph::constant(double value) {
  Node node;
  node.kind = Kind::Constant;
  node.number = value;
  return intern(std::move(node));
}

const Source *Graph::addSource(Source source) {
  sources.push_back(std::make_unique<Source>(std::move(source)));
  return sources.back().get();
}

Expr Graph::draw(const Source *source, ArrayRef<int> dims) {
  assert(dims.size() == source->correlations.size());
  if (source->variance <= 0.0)
    return constant(source->mean);
  Node node;
  node.kind = Kind::Draw;
  node.source = source;
  node.dims.assign(dims.begin(), dims.end());
  return intern(std::move(node));
}

Expr Graph::affine(double constantTerm, ArrayRef<double> coefficients,
                   ArrayRef<Expr> operands) {
  Node node;
  node.kind = Kind::Affine;
  node.number = constantTerm;
  std::map<unsigned, std::pair<double, Expr>> terms;
  auto addTerm = [&](double coefficient, Expr operand) {
    auto [it, isNew] = terms.try_emplace(operand->id, coefficient, operand);
    if (!isNew)
      it->second.first += coefficient;
  };
  for (auto [coefficient, operand] : llvm::zip(coefficients, operands)) {
    if (operand->isConstant()) {
      node.number += coefficient * operand->number;
    } else if (operand->isAffine()) {
      node.number += coefficient * operand->number;
      for (auto [inner, term] :
           llvm::zip(operand->coefficients, operand->operands))
        addTerm(coefficient * inner, term);
    } else {
      addTerm(coefficient, operand);
    }
  }
  for (auto &[id, term] : terms) {
    if (term.first == 0.0)
      continue;
    node.coefficients.push_back(term.first);
    node.operands.push_back(term.second);
  }
  if (node.operands.empty())
    return constant(node.number);
  if (node.operands.size() == 1 && node.coefficients[0] == 1.0 &&
      node.number == 0.0)
    return node.operands[0];
  return intern(std::move(node));
}

Expr Graph::multiply(Expr a, Expr b) {
  if (a->isConstant())
    return scale(b, a->number);
  if (b->isConstant())
    return scale(a, b->number);
  // Constant factors stand outside of products.
  double factor = 1.0;
  for (Expr *side : {&a, &b})
    if ((*side)->isAffine() && (*side)->operands.size() == 1 &&
        (*side)->number == 0.0) {
      factor *= (*side)->coefficients[0];
      *side = (*side)->operands[0];
    }
  if (b->id < a->id)
    std::swap(a, b);
  return scale(apply(Fn::Mul, {a, b}), factor);
}

Expr Graph::divide(Expr a, Expr b) {
  if (b->isConstant())
    return scale(a, 1.0 / b->number);
  if (a == b)
    return constant(1.0);
  return apply(Fn::Div, {a, b});
}

Expr Graph::apply(Fn fn, ArrayRef<Expr> operands, unsigned detail) {
  Node node;
  node.kind = Kind::Apply;
  node.fn = fn;
  node.detail = detail;
  node.operands.assign(operands.begin(), operands.end());
  if (llvm::all_of(operands, [](Expr e) { return e->isConstant(); })) {
    SmallVector<double> values;
    for (Expr operand : operands)
      values.push_back(operand->number);
    return constant(evaluate(node, values));
  }
  if (fn == Fn::Select && operands[0]->isConstant())
    return operands[operands[0]->number != 0.0 ? 1 : 2];
  return intern(std::move(node));
}

Expr Graph::conditionalSum(Expr body, double count, ArrayRef<int> dims) {
  Node node;
  node.kind = Kind::Sum;
  node.number = count;
  node.operands.push_back(body);
  node.dims.assign(dims.begin(), dims.end());
  return intern(std::move(node));
}

Expr Graph::replaceDraws(Expr expr, llvm::function_ref<Expr(Expr)> replace) {
  return rebuild(expr, replace, /*removesClips=*/false);
}

Expr Graph::removeClips(Expr expr) {
  return rebuild(expr, [](Expr draw) { return draw; }, /*removesClips=*/true);
}

Expr Graph::rebuild(Expr expr, llvm::function_ref<Expr(Expr)> replace,
                    bool removesClips) {
  DenseMap<Expr, Expr> done;
  auto visit = [&](auto &&visit, Expr e) -> Expr {
    if (e->isConstant())
      return e;
    if (Expr known = done.lookup(e))
      return known;
    Expr result = e;
    if (e->kind == Kind::Draw) {
      result = replace(e);
    } else {
      SmallVector<Expr> operands;
      for (Expr operand : e->operands)
        operands.push_back(visit(visit, operand));
      if (e->isAffine())
        result = affine(e->number, e->coefficients, operands);
      else if (e->kind == Kind::Sum)
        result = conditionalSum(operands[0], e->number, e->dims);
      else if (e->is(Fn::Mul))
        result = multiply(operands[0], operands[1]);
      else if (e->is(Fn::Div))
        result = divide(operands[0], operands[1]);
      else if (removesClips && e->is(Fn::ClipAtMax))
        result = operands[0];
      else
        result = apply(e->fn, operands, e->detail);
    }
    done[e] = result;
    return result;
  };
  return visit(visit, expr);
}

Expr Graph::remap(Expr expr, llvm::function_ref<int(int)> rename) {
  auto getName = [&](int dim) {
    return dim == kNoDim || dim >= kFirstBound ? dim : rename(dim);
  };
  // Most ops read elements where they write them.
  auto isSame = [&](int dim) { return getName(dim) == dim; };
  if (llvm::all_of(expr->draws,
                   [&](Expr draw) { return llvm::all_of(draw->dims, isSame); }))
    return expr;
  return replaceDraws(expr, [&](Expr draw) {
    return this->draw(draw->source,
                      llvm::to_vector(llvm::map_range(draw->dims, getName)));
  });
}

double evaluate(const Node &node, ArrayRef<double> x) {
  if (node.fn == Fn::ClipAtMax)
    return std::min(x[0], 0.0);
  if (node.fn == Fn::Activation)
    return evaluateFunction(static_cast<Function>(node.detail), x[0]);
  return attn::evaluate({static_cast<ScalarFn>(node.fn), node.detail}, x);
}

} // namespace attn::moments
