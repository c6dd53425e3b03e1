//===- ReadMatrix.cpp - Tensors as matrices -------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/ReadMatrix.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace attn::raise {

static int64_t getSize(Expr load, size_t dim) {
  return cast<RankedTensorType>(load->tensor.getType()).getDimSize(dim);
}

/// How many of the variables, from the first on, dimension `dim` holds in
/// row-major order: 0 where it holds something else.
static size_t countHeld(const ExprGraph &graph, Expr load, size_t dim,
                        ArrayRef<unsigned> variables) {
  AffineExpr position = getAffineConstantExpr(0, graph.getContext());
  int64_t size = 1;
  for (auto [i, variable] : llvm::enumerate(variables)) {
    int64_t extent = graph.getExtent(variable);
    if (i > 0 && (ShapedType::isDynamic(size) || ShapedType::isDynamic(extent)))
      return 0;
    position = position * extent + graph.getIndex(variable);
    size = i == 0 ? extent : size * extent;
    if (position == load->indices[dim] && size == getSize(load, dim))
      return i + 1;
  }
  return 0;
}

bool holds(const ExprGraph &graph, Expr load, size_t begin, size_t end,
           ArrayRef<unsigned> variables) {
  for (size_t dim = begin; dim < end; ++dim) {
    if (getSize(load, dim) == 1)
      continue;
    size_t count = countHeld(graph, load, dim, variables);
    if (count == 0)
      return false;
    variables = variables.drop_front(count);
  }
  return variables.empty();
}

std::optional<size_t> splitDims(const ExprGraph &graph, Expr load,
                                ArrayRef<unsigned> first,
                                ArrayRef<unsigned> second) {
  size_t rank = load->indices.size();
  for (size_t at = 1; at < rank; ++at)
    if (holds(graph, load, 0, at, first) &&
        holds(graph, load, at, rank, second))
      return at;
  return std::nullopt;
}

Variables orderAsLoaded(Expr load, ArrayRef<unsigned> variables) {
  // The dimension, and by how much the variable moves in it.
  struct Place {
    size_t dim;
    int64_t step;
    unsigned variable;
  };
  SmallVector<Place> places;
  for (unsigned variable : variables) {
    for (auto [dim, index] : llvm::enumerate(load->indices)) {
      int64_t step = 0;
      auto isVariable = [&](AffineExpr expr) {
        return ExprGraph::asVariable(expr) == variable;
      };
      index.walk([&](AffineExpr expr) {
        if (isVariable(expr))
          step = std::max<int64_t>(step, 1);
        auto product = dyn_cast<AffineBinaryOpExpr>(expr);
        if (product && product.getKind() == AffineExprKind::Mul &&
            isVariable(product.getLHS()))
          if (auto by = dyn_cast<AffineConstantExpr>(product.getRHS()))
            step = by.getValue();
      });
      if (step == 0)
        continue;
      places.push_back({dim, step, variable});
      break;
    }
  }
  llvm::sort(places, [](const Place &a, const Place &b) {
    return a.dim != b.dim ? a.dim < b.dim : a.step > b.step;
  });
  return llvm::map_to_vector(places,
                             [](const Place &place) { return place.variable; });
}

std::optional<SmallVector<int64_t>> findOrder(const ExprGraph &graph, Expr load,
                                              ArrayRef<unsigned> variables) {
  SmallVector<int64_t> order;
  size_t rank = load->indices.size();
  for (size_t dim = 0; dim < rank; ++dim)
    if (getSize(load, dim) == 1)
      order.push_back(dim);
  for (unsigned variable : variables)
    for (size_t dim = 0; dim < rank; ++dim)
      if (getSize(load, dim) != 1 && countHeld(graph, load, dim, variable) == 1)
        order.push_back(dim);
  if (order.size() != rank)
    return std::nullopt;
  return order;
}

/// The dimensions of a tensor, [begin, begin + count) of them together.
static SmallVector<ReassociationIndices> groupDims(size_t rank, size_t begin,
                                                   size_t count) {
  SmallVector<ReassociationIndices> groups;
  for (size_t dim = 0; dim < rank; ++dim) {
    if (dim <= begin || dim >= begin + count)
      groups.emplace_back();
    groups.back().push_back(dim);
  }
  return groups;
}

Value collapseDims(OpBuilder &builder, Value tensor, size_t begin, size_t end) {
  size_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  if (end - begin <= 1)
    return tensor;
  return tensor::CollapseShapeOp::create(builder, tensor.getLoc(), tensor,
                                         groupDims(rank, begin, end - begin));
}

Value expandDim(OpBuilder &builder, Value tensor, size_t at,
                ArrayRef<OpFoldResult> sizes) {
  if (sizes.size() == 1)
    return tensor;
  Location loc = tensor.getLoc();
  SmallVector<OpFoldResult> shape = tensor::getMixedSizes(builder, loc, tensor);
  shape.erase(shape.begin() + at);
  shape.insert(shape.begin() + at, sizes.begin(), sizes.end());
  auto [staticShape, dynamicSizes] = decomposeMixedValues(shape);
  auto type = cast<RankedTensorType>(tensor.getType()).clone(staticShape);
  return tensor::ExpandShapeOp::create(
      builder, loc, type, tensor, groupDims(shape.size(), at, sizes.size()),
      shape);
}

} // namespace attn::raise
