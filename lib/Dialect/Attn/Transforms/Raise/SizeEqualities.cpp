//===- SizeEqualities.cpp - Which dynamic sizes are equal -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Sizes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attn::raise {

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// The least and the largest number that it can be, if no step to it wraps.
std::optional<std::pair<Sizes::Wide, Sizes::Wide>>
Sizes::getRange(const Size &size) const {
  constexpr unsigned maxFactors = 2; // of 31 bits each
  Wide lower = 0, upper = 0;
  for (const auto &[factors, number] : size.getTerms()) {
    if (factors.size() > maxFactors ||
        llvm::any_of(factors, [&](unsigned id) { return !isOfTensor[id]; }))
      return std::nullopt;
    Wide most = number;
    for (size_t i = 0; i < factors.size(); ++i)
      most *= (Wide(1) << 31) - 1;
    lower += factors.empty() ? most : std::min<Wide>(most, 0);
    upper += factors.empty() ? most : std::max<Wide>(most, 0);
  }
  if (lower < INT64_MIN || upper > INT64_MAX)
    return std::nullopt;
  return std::make_pair(lower, upper);
}

std::optional<bool> Sizes::compare(arith::CmpIOp op) {
  using P = arith::CmpIPredicate;
  Type type = op.getLhs().getType();
  if (!type.isIndex() && !type.isInteger(64))
    return std::nullopt;
  Size left = get(op.getLhs()), right = get(op.getRhs());
  Size difference = left - right;
  P predicate = op.getPredicate();
  if (predicate == P::eq || predicate == P::ne) {
    std::optional<int64_t> number = difference.getConstant();
    return number ? std::optional<bool>((*number == 0) == (predicate == P::eq))
                  : std::nullopt;
  }
  auto range = getRange(difference);
  if (!range || !getRange(left) || !getRange(right))
    return std::nullopt;
  auto decide = [](bool always, bool never) {
    return always || never ? std::optional<bool>(always) : std::nullopt;
  };
  auto [lower, upper] = *range;
  switch (predicate) {
  case P::slt:
    return decide(upper < 0, lower >= 0);
  case P::sle:
    return decide(upper <= 0, lower > 0);
  case P::sgt:
    return decide(lower > 0, upper <= 0);
  case P::sge:
    return decide(lower >= 0, upper < 0);
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Equalities
//===----------------------------------------------------------------------===//

void Sizes::equate(const Size &a, const Size &b) {
  Size difference = resolve(a - b).getPrimitive();
  std::optional<unsigned> id = difference.getSolvable();
  if (!id)
    return;
  int64_t coefficient = difference.getCoefficient(*id);
  Size rest = difference - Size::unknown(*id) * Size(coefficient);
  equalities.emplace_back(*id, rest * Size(-coefficient));
}

void Sizes::takeAssertion(Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    takeAssertion(both.getLhs());
    takeAssertion(both.getRhs());
    return;
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (compare && compare.getPredicate() == arith::CmpIPredicate::eq)
    equate(read(compare.getLhs()), read(compare.getRhs()));
}

/// Dimensions that one loop runs over are equal.
void Sizes::takeStructuredOp(Operation *op) {
  auto structured = cast<linalg::LinalgOp>(op);
  if (!structured.hasPureTensorSemantics())
    return;
  SmallVector<std::optional<Size>> extents(structured.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = structured.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop || !isa<RankedTensorType>(operand.get().getType()))
        continue;
      std::optional<Size> &extent = extents[loop.getPosition()];
      Size size = readDim(operand.get(), dim);
      if (extent)
        equate(*extent, size);
      else
        extent = size;
    }
  }
}

/// Both sides of a reshape hold as many elements.
void Sizes::takeReshape(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  auto product = [&](Value tensor, ArrayRef<int64_t> dims) {
    Size elements(1);
    for (int64_t dim : dims)
      elements = elements * readDim(tensor, dim);
    return elements;
  };
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    for (auto [dim, group] : llvm::enumerate(expand.getReassociationIndices()))
      equate(readDim(source, dim), product(result, group));
    return;
  }
  auto from = dyn_cast<RankedTensorType>(source.getType());
  auto to = dyn_cast<RankedTensorType>(result.getType());
  if (from && to)
    equate(product(source, llvm::to_vector(llvm::seq<int64_t>(from.getRank()))),
           product(result, llvm::to_vector(llvm::seq<int64_t>(to.getRank()))));
}

Sizes::Sizes(func::FuncOp func) {
  for (Operation &op : func.getBody().front()) {
    if (isa<tensor::ExpandShapeOp, tensor::ReshapeOp>(op))
      takeReshape(&op);
    else if (auto assertion = dyn_cast<cf::AssertOp>(op))
      takeAssertion(assertion.getArg());
    else if (isa<linalg::LinalgOp>(op))
      takeStructuredOp(&op);
  }
}

} // namespace attn::raise
