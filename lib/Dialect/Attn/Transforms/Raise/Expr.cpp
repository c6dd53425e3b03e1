//===- Expr.cpp - Nodes, reductions and substitution ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Expr.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace attn::raise {

void Node::Profile(llvm::FoldingSetNodeID &key) const {
  key.AddInteger(static_cast<unsigned>(kind));
  key.AddInteger(detail);
  key.AddInteger(variable);
  key.AddInteger(llvm::bit_cast<uint64_t>(number));
  key.AddPointer(index.getAsOpaquePointer());
  key.AddPointer(tensor.getAsOpaquePointer());
  if (opaque) {
    // Two operations with one name and the same attributes are one function.
    key.AddPointer(opaque->getName().getAsOpaquePointer());
    key.AddPointer(opaque->getAttrDictionary().getAsOpaquePointer());
    key.AddPointer(opaque->getResult(0).getType().getAsOpaquePointer());
  }
  for (AffineExpr expr : indices)
    key.AddPointer(expr.getAsOpaquePointer());
  for (Expr operand : operands)
    key.AddPointer(operand);
}

static void addFreeVariables(AffineExpr expr, llvm::SmallBitVector &free) {
  expr.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part)) {
      if (free.size() <= dim.getPosition())
        free.resize(dim.getPosition() + 1);
      free.set(dim.getPosition());
    }
  });
}

Expr ExprGraph::unique(Node &&node) {
  llvm::FoldingSetNodeID key;
  node.Profile(key);
  void *where = nullptr;
  if (Node *known = nodes.FindNodeOrInsertPos(key, where))
    return known;
  auto owned = std::make_unique<Node>(std::move(node));
  owned->id = nextId++;
  if (owned->index)
    addFreeVariables(owned->index, owned->free);
  for (AffineExpr expr : owned->indices)
    addFreeVariables(expr, owned->free);
  for (Expr operand : owned->operands) {
    owned->free |= operand->free;
    owned->depth = std::max(owned->depth, operand->depth);
    owned->hasAccumulator |= operand->hasAccumulator;
  }
  owned->hasAccumulator |= owned->kind == ExprKind::Accumulator;
  if (owned->kind == ExprKind::Reduce) {
    ++owned->depth;
    owned->free.reset(owned->variable);
  }
  nodes.InsertNode(owned.get(), where);
  storage.push_back(std::move(owned));
  return storage.back().get();
}

Expr ExprGraph::plainNode(ExprKind kind, ArrayRef<Expr> operands,
                          uint8_t detail) {
  Node node;
  node.kind = kind;
  node.detail = detail;
  node.operands.assign(operands.begin(), operands.end());
  return unique(std::move(node));
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

Expr ExprGraph::constant(double number) {
  Node node;
  node.kind = ExprKind::Constant;
  node.number = number == 0.0 ? 0.0 : number; // one zero
  return unique(std::move(node));
}

Expr ExprGraph::index(AffineExpr expr) {
  expr = simplifyIndex(expr);
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return constant(static_cast<double>(number.getValue()));
  Node node;
  node.kind = ExprKind::Index;
  node.index = expr;
  return unique(std::move(node));
}

Expr ExprGraph::load(Value tensor, ArrayRef<AffineExpr> indices) {
  Node node;
  node.kind = ExprKind::Load;
  node.tensor = tensor;
  for (AffineExpr expr : indices)
    node.indices.push_back(simplifyIndex(expr));
  return unique(std::move(node));
}

Expr ExprGraph::undefined() { return plainNode(ExprKind::Undefined, {}); }
Expr ExprGraph::accumulator() { return plainNode(ExprKind::Accumulator, {}); }

Expr ExprGraph::opaque(Operation *op, unsigned result,
                       ArrayRef<Expr> operands) {
  Node node;
  node.kind = ExprKind::Opaque;
  node.opaque = op;
  node.detail = result;
  node.operands.assign(operands.begin(), operands.end());
  return unique(std::move(node));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

unsigned ExprGraph::getBoundVariable(unsigned depth, int64_t extent) {
  auto [it, inserted] = boundVariables.try_emplace({depth, extent}, 0);
  if (inserted)
    it->second = addVariable(extent);
  return it->second;
}

Expr ExprGraph::reduce(Reduction kind, unsigned variable, Expr body) {
  int64_t extent = getExtent(variable);
  if (kind == Reduction::Add) {
    SmallVector<Expr> outside, inside;
    for (Expr factor : getFactors(body))
      (factor->dependsOn(variable) ? inside : outside).push_back(factor);
    if (inside.empty() && !ShapedType::isDynamic(extent))
      return product({constant(static_cast<double>(extent)), body});
    if (!outside.empty() && !inside.empty()) {
      outside.push_back(reduce(kind, variable, product(inside)));
      return product(outside);
    }
  } else if (!body->dependsOn(variable) && !ShapedType::isDynamic(extent)) {
    return body;
  }
  // The name depends on the body's depth only, hence no inner reduction uses it
  // and equal reductions get equal names.
  unsigned bound = getBoundVariable(body->depth, extent);
  Node node;
  node.kind = ExprKind::Reduce;
  node.detail = static_cast<uint8_t>(kind);
  node.variable = bound;
  node.operands.push_back(
      variable == bound ? body
                        : substitute(body, {{variable, getIndex(bound)}}));
  return unique(std::move(node));
}

Expr ExprGraph::open(Expr reduction, unsigned variable) {
  if (getExtent(variable) != getExtent(reduction->variable))
    return nullptr;
  return substitute(reduction->operands[0],
                    {{reduction->variable, getIndex(variable)}});
}

//===----------------------------------------------------------------------===//
// Substitution
//===----------------------------------------------------------------------===//

Expr ExprGraph::rebuild(Expr x, ArrayRef<Expr> operands) {
  switch (x->kind) {
  case ExprKind::Sum:
    return sum(operands);
  case ExprKind::Product:
    return product(operands);
  case ExprKind::Reciprocal:
    return reciprocal(operands[0]);
  case ExprKind::Exp:
    return exp(operands[0]);
  case ExprKind::Log:
  case ExprKind::Tanh:
  case ExprKind::Sqrt:
  case ExprKind::Abs:
    return unary(x->kind, operands[0]);
  case ExprKind::Max:
  case ExprKind::Min:
    return extremum(x->kind, operands);
  case ExprKind::Compare:
    return compare(x->getComparison(), operands[0], operands[1]);
  case ExprKind::And:
  case ExprKind::Or:
    return junction(x->kind, operands);
  case ExprKind::Not:
    return negation(operands[0]);
  case ExprKind::Select:
    return select(operands[0], operands[1], operands[2]);
  case ExprKind::Guard:
    return guard(operands[0]);
  case ExprKind::Reduce:
    return reduce(x->getReduction(), x->variable, operands[0]);
  case ExprKind::Opaque:
    return opaque(x->opaque, x->detail, operands);
  default:
    llvm_unreachable("leaves have no operands");
  }
}

Expr ExprGraph::substitute(Expr x, const Substitution &by, Memo &memo) {
  if (llvm::none_of(
          by, [&](const auto &entry) { return x->dependsOn(entry.first); }))
    return x;
  if (Expr known = memo.lookup(x))
    return known;
  auto replace = [&](AffineExpr expr) {
    llvm::DenseMap<AffineExpr, AffineExpr> map;
    for (const auto &[variable, value] : by)
      map[getIndex(variable)] = value;
    return expr.replace(map);
  };
  Expr result;
  if (x->is(ExprKind::Index)) {
    result = index(replace(x->index));
  } else if (x->is(ExprKind::NonNegative)) {
    result = nonNegative(replace(x->index));
  } else if (x->is(ExprKind::Load)) {
    result = load(x->tensor, llvm::map_to_vector(x->indices, replace));
  } else {
    SmallVector<Expr> operands;
    for (Expr operand : x->operands)
      operands.push_back(substitute(operand, by, memo));
    result = rebuild(x, operands);
  }
  return memo[x] = result;
}

Expr ExprGraph::substitute(Expr x, const Substitution &by) {
  Memo memo;
  return substitute(x, by, memo);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static StringRef getName(Expr x) {
  static constexpr StringRef names[] = {
      "const",   "index", "load",   "undef",   "acc",    "sum",
      "product", "rcp",   "exp",    "log",     "tanh",   "sqrt",
      "abs",     "max",   "min",    "compare", ">=0",    "and",
      "or",      "not",   "select", "guard",   "reduce", "opaque"};
  return names[static_cast<unsigned>(x->kind)];
}

void print(llvm::raw_ostream &os, Expr x) {
  switch (x->kind) {
  case ExprKind::Constant:
    os << x->number;
    return;
  case ExprKind::Index:
    os << x->index;
    return;
  case ExprKind::NonNegative:
    os << '(' << x->index << " >= 0)";
    return;
  case ExprKind::Load:
    x->tensor.printAsOperand(os, OpPrintingFlags());
    os << '[';
    llvm::interleaveComma(x->indices, os);
    os << ']';
    return;
  default:
    os << getName(x);
    if (x->is(ExprKind::Reduce))
      os << static_cast<unsigned>(x->detail) << "@d" << x->variable;
    os << '(';
    llvm::interleaveComma(x->operands, os,
                          [&](Expr operand) { print(os, operand); });
    os << ')';
  }
}

} // namespace attn::raise
