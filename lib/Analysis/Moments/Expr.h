//===- Expr.h - Random elements of tensors as expressions -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One element of a tensor is an expression in random numbers ("draws"). Equal
// expressions are one node, so that x in x sigmoid(x), or the maximum that
// softmax subtracts and divides away again, is known to be the same number.
//
// A draw belongs to a source: random numbers that are alike, one for each index
// of a tensor. The node says which dimension of the tensor at hand each
// dimension of the source is. Two elements of a tensor then have the same draw
// where their indices agree in those dimensions, and correlated draws
// elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_ANALYSIS_MOMENTS_EXPR_H
#define ATTN_LIB_ANALYSIS_MOMENTS_EXPR_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <memory>
#include <vector>

namespace attn::moments {

enum class Shape : uint8_t {
  Normal,
  /// Log-normal: a sum of numbers that are not negative, for instance.
  Positive,
  /// 0, 1, ..., n - 1, alike likely; the index along a dimension.
  Index,
  /// The cosine of two random directions in n dimensions, moved and stretched.
  Cosine
};

struct Source {
  Shape shape;
  double mean, variance;
  /// Of two numbers that differ in this dimension's index alone.
  llvm::SmallVector<double, 4> correlations = {};
  /// Index, Cosine: n.
  double count = 0.0;
  /// What each number is a sum of: `terms` numbers of each of these.
  llvm::SmallVector<const Source *, 2> summed = {};
  double terms = 0.0;
  /// The length of a query row: a row's scores are normal only given it.
  bool isLength = false;
};

enum class Kind : uint8_t { Constant, Draw, Affine, Apply, Sum };

/// The functions of ops, and two more.
enum class Fn : uint8_t {
#define ATTN_SCALAR(Name, ...) Name,
#include "attn/Dialect/Attn/IR/ScalarFunctions.def"
  Activation,
  /// min(x, 0) of a number minus the maximum of such numbers.
  ClipAtMax
};

class Node;
using Expr = const Node *;

/// A dimension that no index of the tensor at hand belongs to, because it has
/// one element only.
constexpr int kNoDim = -1;
/// Bound dimensions of conditional sums are numbered from here.
constexpr int kFirstBound = 1 << 20;

class Node : public llvm::FoldingSetNode {
public:
  Kind kind;
  Fn fn = Fn::Mul;
  /// Compare: the predicate of arith.cmpf; Activation: the function.
  unsigned detail = 0;
  unsigned id = 0;
  /// Constant: its value; Affine: the constant term; Sum: how many terms.
  double number = 0.0;
  const Source *source = nullptr;
  /// Draw: a dimension for each of the source's. Sum: the bound ones.
  llvm::SmallVector<int, 4> dims;
  llvm::SmallVector<double, 2> coefficients; // Affine
  llvm::SmallVector<Expr, 2> operands;

  /// All draws of the expression, ordered by id.
  llvm::SmallVector<Expr, 4> draws;
  bool hasSum = false;

  void Profile(llvm::FoldingSetNodeID &key) const;
  bool isConstant() const { return kind == Kind::Constant; }
  bool isConstant(double value) const {
    return isConstant() && number == value;
  }
  bool isAffine() const { return kind == Kind::Affine; }
  bool is(Fn other) const { return kind == Kind::Apply && fn == other; }
  /// Draw: whether one of `dims` is among its dimensions.
  bool variesAlong(llvm::ArrayRef<int> which) const;
};

/// Creates and owns expressions and sources.
class Graph {
public:
  Expr constant(double value);
  const Source *addSource(Source source);
  Expr draw(const Source *source, llvm::ArrayRef<int> dims);
  /// Of a new source.
  Expr draw(Source source, llvm::ArrayRef<int> dims) {
    return draw(addSource(std::move(source)), dims);
  }

  /// The constant plus the sum of coefficients times operands, in normal form:
  /// flat, no constant and no product with a constant among the operands.
  Expr affine(double constant, llvm::ArrayRef<double> coefficients,
              llvm::ArrayRef<Expr> operands);
  Expr add(Expr a, Expr b) { return affine(0.0, {1.0, 1.0}, {a, b}); }
  Expr subtract(Expr a, Expr b) { return affine(0.0, {1.0, -1.0}, {a, b}); }
  Expr scale(Expr a, double factor) { return affine(0.0, {factor}, {a}); }
  Expr multiply(Expr a, Expr b);
  Expr divide(Expr a, Expr b);
  /// Any function. Operands that are affine in several numbers should be
  /// collapsed first.
  Expr apply(Fn fn, llvm::ArrayRef<Expr> operands, unsigned detail = 0);
  /// The sum of `count` elements of `body`, which differ in the bound
  /// dimensions `dims`, given the draws that do not vary along these.
  Expr conditionalSum(Expr body, double count, llvm::ArrayRef<int> dims);

  /// Renames dimensions; `rename` gives the new name of each.
  Expr remap(Expr expr, llvm::function_ref<int(int)> rename);
  /// Without ClipAtMax.
  Expr removeClips(Expr expr);
  /// Replaces draws.
  Expr replaceDraws(Expr expr, llvm::function_ref<Expr(Expr)> replace);

  int newBoundDim() { return nextBound++; }

private:
  Expr intern(Node &&node);
  Expr rebuild(Expr expr, llvm::function_ref<Expr(Expr)> replaceDraw,
               bool removesClips);

  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<std::unique_ptr<Source>> sources;
  llvm::FoldingSet<Node> unique;
  int nextBound = kFirstBound;
};

/// The function on numbers.
double evaluate(const Node &node, llvm::ArrayRef<double> operands);

} // namespace attn::moments

#endif // ATTN_LIB_ANALYSIS_MOMENTS_EXPR_H
