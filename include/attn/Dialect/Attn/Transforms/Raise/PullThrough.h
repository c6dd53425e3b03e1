//===- PullThrough.h - From tensors to expressions --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says what one element of a tensor is by pulling its indices through the
// operations that made it. An operation without a rule is a leaf, so the answer
// is always right, only sometimes less deep.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_PULLTHROUGH_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_PULLTHROUGH_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/Transforms/Raise/Expr.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace attn::raise {

/// One element of a tensor.
struct Element {
  mlir::Value tensor;
  llvm::SmallVector<mlir::AffineExpr> indices;
};

class PullThrough {
public:
  /// Expressions stop growing (loads stay loads) beyond `budget` nodes.
  PullThrough(ExprGraph &graph, unsigned budget)
      : graph(graph), budget(budget) {}

  /// Whether operands are looked for before what makes their elements wider.
  bool widens() const { return mayWiden; }
  void setWidens(bool value) { mayWiden = value; }

  /// Makes the elements of `tensor` leaves.
  void stopAt(mlir::Value tensor) { leaves.insert(tensor); }

  /// The element as an expression. Contractions are leaves: they are expanded
  /// one at a time by `expand`, so that depth does not multiply.
  Expr pull(mlir::Value tensor, llvm::ArrayRef<mlir::AffineExpr> indices);

  /// The same element one operation up, when that operation only moves data.
  std::optional<Element> step(const Element &element) {
    return stepBy(element, [](mlir::Value moved) { return moved; });
  }
  /// The same for one that only makes elements wider.
  std::optional<Element> stepWidened(const Element &element);

  /// How to treat an operand of an expanded operation.
  using PullOperand = llvm::function_ref<Expr(mlir::OpOperand &, Element)>;
  /// An element of a linalg operation's result in terms of its operands.
  Expr expand(mlir::OpResult result, llvm::ArrayRef<mlir::AffineExpr> indices,
              PullOperand pullOperand);
  Expr expand(mlir::OpResult result, llvm::ArrayRef<mlir::AffineExpr> indices) {
    return expand(result, indices, [&](mlir::OpOperand &, Element element) {
      return pull(element.tensor, element.indices);
    });
  }

  /// The load of a tensor whose element is `x`, of those that were pulled;
  /// null where `accepts` none.
  Expr findHolder(Expr x, llvm::function_ref<bool(Expr)> accepts);

  /// A scalar outside of any body.
  Expr scalar(mlir::Value value);
  ExprGraph &getGraph() { return graph; }

private:
  /// `getMoved` gives what an elementwise operation yields, before what may be
  /// done to it.
  std::optional<Element>
  stepBy(const Element &element,
         llvm::function_ref<mlir::Value(mlir::Value)> getMoved);
  Expr pullUncached(const Element &element);
  Expr pullSoftmax(mlir::Value input, unsigned dim, const Element &element,
                   double scale = 1.0, double extra = 0.0);
  Expr pullSoftmax(SoftmaxOp op, const Element &element);
  Expr pullConstant(mlir::Attribute attribute, const Element &element);
  Expr pullSlice(mlir::Operation *op, const Element &element);
  Expr pullPad(mlir::Operation *op, const Element &element);
  Expr pullConcat(mlir::Operation *op, const Element &element);

  ExprGraph &graph;
  unsigned budget;
  bool mayWiden = false;
  llvm::DenseMap<Expr, Expr> pulled;
  llvm::SmallDenseSet<mlir::Value, 2> leaves;
};

/// Whether `value` is the result of a sum of products of two operands.
bool isContraction(mlir::Value value);

/// Indices into the source of a reshape, or nothing where sizes are unknown.
std::optional<llvm::SmallVector<mlir::AffineExpr>>
reshapeIndices(mlir::Operation *op, llvm::ArrayRef<mlir::AffineExpr> indices);

/// A float or integer number as an expression; null for other attributes.
Expr readNumber(ExprGraph &graph, mlir::Attribute attribute);

/// `number` as a value of `type` holds it.
double roundTo(mlir::Type type, double number);

/// The shortest decimal number that is `value` in f32 (1e-12, not
/// 9.99999996e-13).
double shortest(double value);

/// The value of `yielded` in a scalar body; `argument` gives block arguments
/// and `loops` the iteration indices. Null where a block argument is null.
Expr evaluateBody(PullThrough &pull, mlir::Value yielded, mlir::Block &body,
                  llvm::ArrayRef<mlir::AffineExpr> loops,
                  llvm::function_ref<Expr(mlir::BlockArgument)> argument);

} // namespace attn::raise

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_PULLTHROUGH_H
