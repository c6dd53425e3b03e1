//===- Expr.h - Hash-consed expressions of tensor elements ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Raising looks at what one element of a tensor is, as an expression in the
// element's indices. Equal expressions are one node, so matching is a
// comparison of pointers. The factory functions keep expressions in a normal
// form:
//
// * sums and products are flat and ordered, with at most one constant;
//   a - b is a + (-1) b and a / b is a * reciprocal(b);
// * constant factors are distributed over sums;
// * factors that do not depend on the variable of an additive reduction stand
//   outside of it;
// * arithmetic on selections between two numbers, with one condition or a
//   number beside it, is one such selection, and comparing it is logic;
// * integers that are affine in the variables are one Index node, and their
//   comparisons are NonNegative nodes;
// * the bound variable of a reduction is named after the depth of its body, so
//   that equal reductions are one node.
//
// The normal form reassociates. It only serves recognition: nothing is emitted
// from it except what the caller checked against its own contract.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_EXPR_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_EXPR_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include <memory>

namespace attn::raise {

enum class ExprKind : uint8_t {
  Constant,    // number
  Index,       // an affine expression that is not constant
  Load,        // tensor[indices], or a scalar value (no indices)
  Undefined,   // element of tensor.empty
  Accumulator, // the running value inside a reduction's body
  Sum,
  Product,
  Reciprocal,
  Exp,
  Log,
  Tanh,
  Sqrt,
  Abs,
  Max,
  Min,
  Compare,     // detail is a Comparison
  NonNegative, // index >= 0
  And,
  Or,
  Not,
  Select,
  Guard,  // as a factor: the product is exactly 0 where operand 0 is false
  Reduce, // detail is a Reduction, variable runs over operand 0
  Opaque  // an operation this engine has no rules for
};

enum class Comparison : uint8_t { Equal, Less, LessEqual };
enum class Reduction : uint8_t { Add, Max, Min, And, Or };

class Node : public llvm::FoldingSetNode {
public:
  ExprKind kind;
  uint8_t detail = 0;
  bool hasAccumulator = false;
  unsigned id = 0;       // order of creation
  unsigned variable = 0; // Reduce
  unsigned depth = 0;    // of nested reductions
  double number = 0.0;
  mlir::AffineExpr index;
  mlir::Value tensor;
  mlir::Operation *opaque = nullptr;
  llvm::SmallVector<mlir::AffineExpr, 4> indices;
  llvm::SmallVector<const Node *, 2> operands;
  llvm::SmallBitVector free; // variables that occur free

  void Profile(llvm::FoldingSetNodeID &key) const;
  bool is(ExprKind other) const { return kind == other; }
  bool isConstant(double value) const {
    return kind == ExprKind::Constant && number == value;
  }
  bool dependsOn(unsigned var) const { return var < free.size() && free[var]; }
  Reduction getReduction() const { return static_cast<Reduction>(detail); }
  Comparison getComparison() const { return static_cast<Comparison>(detail); }
};

using Expr = const Node *;
using Substitution = llvm::DenseMap<unsigned, mlir::AffineExpr>;

class ExprGraph {
public:
  explicit ExprGraph(mlir::MLIRContext *context) : context(context) {}

  //===-- Variables and indices (SimplifyIndex.cpp)
  //------------------------===//

  /// A new variable over [0, extent); extent may be ShapedType::kDynamic.
  unsigned addVariable(int64_t extent);
  /// Index expression of a new variable, 0 when the extent is 1.
  mlir::AffineExpr addIndex(int64_t extent);
  mlir::AffineExpr getIndex(unsigned variable) const;
  int64_t getExtent(unsigned variable) const { return extents[variable]; }
  /// The variable that `expr` is, if it is one.
  static std::optional<unsigned> asVariable(mlir::AffineExpr expr);
  /// Uses the variables' ranges to remove divisions and remainders.
  mlir::AffineExpr simplifyIndex(mlir::AffineExpr expr) const;
  /// Inclusive bounds; an absent one is unknown.
  struct Range {
    std::optional<int64_t> lower, upper;
  };
  Range getRange(mlir::AffineExpr expr) const;

  //===-- Leaves (Expr.cpp)
  //-------------------------------------------------===//

  Expr constant(double number);
  Expr boolean(bool value) { return constant(value ? 1.0 : 0.0); }
  Expr index(mlir::AffineExpr expr);
  Expr load(mlir::Value tensor, llvm::ArrayRef<mlir::AffineExpr> indices);
  Expr undefined();
  Expr accumulator();
  /// `operands` must be those of `op`, in order; `op` must be pure.
  Expr opaque(mlir::Operation *op, unsigned result,
              llvm::ArrayRef<Expr> operands);

  //===-- Arithmetic (SimplifyExpr.cpp)
  //------------------------------------===//

  Expr sum(llvm::ArrayRef<Expr> terms);
  Expr product(llvm::ArrayRef<Expr> factors);
  Expr negate(Expr x) { return product({constant(-1.0), x}); }
  Expr subtract(Expr x, Expr y) { return sum({x, negate(y)}); }
  Expr reciprocal(Expr x);
  Expr exp(Expr x);
  Expr unary(ExprKind kind, Expr x); // Log, Tanh, Sqrt, Abs
  Expr power(Expr x, Expr y);        // null where there is no rule
  Expr maximum(llvm::ArrayRef<Expr> xs) { return extremum(ExprKind::Max, xs); }
  Expr minimum(llvm::ArrayRef<Expr> xs) { return extremum(ExprKind::Min, xs); }
  /// The sum's terms or the single term; likewise the product's factors.
  static llvm::ArrayRef<Expr> getTerms(const Expr &x);
  static llvm::ArrayRef<Expr> getFactors(const Expr &x);

  //===-- Logic (SimplifyLogic.cpp)
  //----------------------------------------===//

  Expr compare(Comparison kind, Expr x, Expr y);
  Expr nonNegative(mlir::AffineExpr expr);
  Expr conjunction(llvm::ArrayRef<Expr> xs) {
    return junction(ExprKind::And, xs);
  }
  Expr disjunction(llvm::ArrayRef<Expr> xs) {
    return junction(ExprKind::Or, xs);
  }
  Expr negation(Expr x);
  Expr select(Expr condition, Expr x, Expr y);
  /// Whether `x` selects one of two numbers.
  static bool isSelection(Expr x);
  /// Reads a term as such a selection with a factor.
  static bool matchSelection(Expr term, double &factor, Expr &selection);
  Expr selectBoolean(Expr condition, Expr x, Expr y);
  Expr guard(Expr condition);

  //===-- Reductions (Expr.cpp)
  //--------------------------------------------===//

  Expr reduce(Reduction kind, unsigned variable, Expr body);
  /// The body of a reduction over `variable`; null where that has another
  /// extent.
  Expr open(Expr reduction, unsigned variable);
  Expr substitute(Expr x, const Substitution &by);
  /// The same operation on other operands.
  Expr rebuild(Expr x, llvm::ArrayRef<Expr> operands);

  mlir::MLIRContext *getContext() const { return context; }
  unsigned size() const { return nextId; }

private:
  using Memo = llvm::DenseMap<Expr, Expr>;
  Expr substitute(Expr x, const Substitution &by, Memo &memo);
  Expr compareProduct(Expr x);
  Expr compareSize(Comparison kind, Expr x, Expr number, bool swapped);
  Expr compareSum(Comparison kind, Expr sum, Expr number, bool swapped);
  bool joinRanges(llvm::SmallVectorImpl<Expr> &operands, bool isAnd) const;
  void joinSelections(llvm::SmallVectorImpl<Expr> &terms, double &number);
  /// The operands of nested nodes of one kind, each once and in the order of
  /// their creation; constants go to `addConstant`.
  static llvm::SmallVector<Expr>
  flatten(ExprKind kind, llvm::ArrayRef<Expr> xs,
          llvm::function_ref<void(double)> addConstant);
  Expr extremum(ExprKind kind, llvm::ArrayRef<Expr> xs);
  Expr junction(ExprKind kind, llvm::ArrayRef<Expr> xs);
  Expr plainNode(ExprKind kind, llvm::ArrayRef<Expr> operands,
                 uint8_t detail = 0);
  Expr unique(Node &&node);
  unsigned getBoundVariable(unsigned depth, int64_t extent);

  mlir::MLIRContext *context;
  llvm::SmallVector<int64_t> extents;
  llvm::DenseMap<std::pair<unsigned, int64_t>, unsigned> boundVariables;
  llvm::FoldingSet<Node> nodes;
  std::vector<std::unique_ptr<Node>> storage;
  unsigned nextId = 0;
};

/// Prints an expression for remarks and debugging.
void print(llvm::raw_ostream &os, Expr x);

} // namespace attn::raise

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_EXPR_H
