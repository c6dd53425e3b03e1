//===- PullReshape.cpp - Indices through reshapes, slices and constants ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/PullThrough.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace attn::raise {

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// Position of `indices` in a row-major array of `sizes`. The first size does
/// not matter; an unknown inner size is harmless where all outer indices are 0.
static AffineExpr linearize(ArrayRef<AffineExpr> indices,
                            ArrayRef<int64_t> sizes, MLIRContext *context) {
  AffineExpr zero = getAffineConstantExpr(0, context), result = zero;
  for (auto [index, size] : llvm::zip_equal(indices, sizes)) {
    if (result != zero && ShapedType::isDynamic(size))
      return {};
    result = result == zero ? index : result * size + index;
  }
  return result;
}

/// The inverse of `linearize`. Fails where an inner size is unknown.
static LogicalResult delinearize(AffineExpr position, ArrayRef<int64_t> sizes,
                                 SmallVectorImpl<AffineExpr> &indices) {
  AffineExpr zero = getAffineConstantExpr(0, position.getContext());
  SmallVector<AffineExpr> reversed;
  unsigned lastLong = 0;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (size != 1 && lastLong == 0)
      lastLong = i + 1; // outermost size that is not 1, plus one
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 1) {
      reversed.push_back(zero);
    } else if (i + 1 == lastLong) {
      reversed.push_back(position);
    } else if (ShapedType::isDynamic(sizes[i])) {
      return failure();
    } else {
      reversed.push_back(position % sizes[i]);
      position = position.floorDiv(sizes[i]);
    }
  }
  indices.append(reversed.rbegin(), reversed.rend());
  return success();
}

std::optional<SmallVector<AffineExpr>>
reshapeIndices(Operation *op, ArrayRef<AffineExpr> indices) {
  MLIRContext *context = op->getContext();
  auto source = cast<RankedTensorType>(op->getOperand(0).getType());
  auto target = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<AffineExpr> result;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    for (const ReassociationIndices &group : expand.getReassociationIndices()) {
      size_t first = group.front(), count = group.size();
      AffineExpr position =
          linearize(indices.slice(first, count),
                    target.getShape().slice(first, count), context);
      if (!position)
        return std::nullopt;
      result.push_back(position);
    }
    return result;
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    for (auto [index, group] :
         llvm::zip_equal(indices, collapse.getReassociationIndices()))
      if (failed(delinearize(
              index, source.getShape().slice(group.front(), group.size()),
              result)))
        return std::nullopt;
    if (result.empty()) // all sizes are 1
      result.assign(source.getRank(), getAffineConstantExpr(0, context));
    return result;
  }
  if (!source.hasStaticShape() || !target.hasStaticShape())
    return std::nullopt;
  AffineExpr position = linearize(indices, target.getShape(), context);
  if (failed(delinearize(position, source.getShape(), result)))
    return std::nullopt;
  return result;
}

//===----------------------------------------------------------------------===//
// Slices, padding, concatenation
//===----------------------------------------------------------------------===//

Expr PullThrough::pullSlice(Operation *op, const Element &element) {
  auto slice = cast<tensor::ExtractSliceOp>(op);
  // Sizes are static too: two unknown extents count as equal elsewhere.
  if (ShapedType::isDynamicShape(slice.getStaticOffsets()) ||
      ShapedType::isDynamicShape(slice.getStaticSizes()) ||
      ShapedType::isDynamicShape(slice.getStaticStrides()))
    return nullptr;
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<AffineExpr> indices;
  auto next = element.indices.begin();
  for (auto [i, offset] : llvm::enumerate(slice.getStaticOffsets())) {
    AffineExpr local =
        dropped[i] ? getAffineConstantExpr(0, graph.getContext()) : *next++;
    indices.push_back(local * slice.getStaticStrides()[i] + offset);
  }
  // An operand has to be a whole tensor, so a slice of data stays one.
  Expr result = pull(slice.getSource(), indices);
  return result->is(ExprKind::Load) ? nullptr : result;
}

Expr PullThrough::pullPad(Operation *op, const Element &element) {
  auto pad = cast<tensor::PadOp>(op);
  Value padding = pad.getConstantPaddingValue();
  if (!padding || ShapedType::isDynamicShape(pad.getStaticLow()) ||
      !pad.getSourceType().hasStaticShape())
    return nullptr;
  SmallVector<AffineExpr> indices;
  SmallVector<Expr> inside;
  for (auto [index, low, size] :
       llvm::zip_equal(element.indices, pad.getStaticLow(),
                       pad.getSourceType().getShape())) {
    AffineExpr shifted = graph.simplifyIndex(index - low);
    indices.push_back(shifted);
    inside.push_back(graph.nonNegative(shifted));
    inside.push_back(graph.nonNegative(size - 1 - shifted));
  }
  return graph.select(graph.conjunction(inside), pull(pad.getSource(), indices),
                      scalar(padding));
}

Expr PullThrough::pullConcat(Operation *op, const Element &element) {
  auto concat = cast<tensor::ConcatOp>(op);
  uint64_t dim = concat.getDim();
  Expr result = nullptr;
  int64_t end = concat.getResultType().getDimSize(dim);
  if (ShapedType::isDynamic(end))
    return nullptr;
  for (Value input : llvm::reverse(concat.getInputs())) {
    int64_t size = cast<RankedTensorType>(input.getType()).getDimSize(dim);
    if (ShapedType::isDynamic(size))
      return nullptr;
    end -= size;
    SmallVector<AffineExpr> indices = element.indices;
    indices[dim] = graph.simplifyIndex(indices[dim] - end);
    Expr part = pull(input, indices);
    result = result ? graph.select(graph.nonNegative(size - 1 - indices[dim]),
                                   part, result)
                    : part;
  }
  return result;
}

} // namespace attn::raise
