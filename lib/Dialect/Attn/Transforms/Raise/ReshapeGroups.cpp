//===- ReshapeGroups.cpp - Reshapes to listed sizes -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/SimplifySizes.h"
#include "attn/Dialect/Attn/Transforms/Raise/Sizes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attn::raise {
namespace {

/// Dimensions of source and target that hold the same elements.
struct Groups {
  SmallVector<ReassociationIndices> source, target;
};

class ReshapeSplitter {
public:
  ReshapeSplitter(Sizes &sizes, tensor::ReshapeOp op,
                  tensor::FromElementsOp shape, IRRewriter &rewriter)
      : op(op), shape(shape), rewriter(rewriter) {
    auto sourceType = cast<RankedTensorType>(op.getSource().getType());
    for (int64_t dim = 0; dim < sourceType.getRank(); ++dim)
      source.push_back(sizes.get(op.getSource(), dim));
    for (size_t dim = 0; dim < shape.getElements().size(); ++dim)
      target.push_back(sizes.get(op.getResult(), dim));
  }

  void run();

private:
  bool findGroups();
  bool addGroup(size_t &i, size_t &j);
  RankedTensorType getType(ArrayRef<Size> known);

  tensor::ReshapeOp op;
  tensor::FromElementsOp shape;
  IRRewriter &rewriter;
  SmallVector<Size> source, target;
  Groups groups;
};

} // namespace

static ReassociationIndices range(size_t begin, size_t end) {
  return llvm::to_vector(llvm::seq<int64_t>(begin, end));
}

/// The fewest dimensions from `i` and `j` on whose products are equal.
bool ReshapeSplitter::addGroup(size_t &i, size_t &j) {
  for (size_t count = 2; count <= source.size() - i + target.size() - j;
       ++count)
    for (size_t m = 1; m < count; ++m) {
      size_t n = count - m;
      if (m > source.size() - i || n > target.size() - j)
        continue;
      Size left(1), right(1);
      for (const Size &size : ArrayRef(source).slice(i, m))
        left = left * size;
      for (const Size &size : ArrayRef(target).slice(j, n))
        right = right * size;
      if (!(left == right))
        continue;
      groups.source.push_back(range(i, i + m));
      groups.target.push_back(range(j, j + n));
      i += m;
      j += n;
      return true;
    }
  return false;
}

bool ReshapeSplitter::findGroups() {
  size_t i = 0, j = 0;
  while (i < source.size() && j < target.size())
    if (!addGroup(i, j))
      return false;
  if (groups.source.empty())
    return false;
  // Ones at the end belong to the last group.
  for (; i < source.size() && source[i] == Size(1); ++i)
    groups.source.back().push_back(i);
  for (; j < target.size() && target[j] == Size(1); ++j)
    groups.target.back().push_back(j);
  return i == source.size() && j == target.size();
}

/// With each size that is known as a static one.
RankedTensorType ReshapeSplitter::getType(ArrayRef<Size> known) {
  SmallVector<int64_t> sizes;
  for (const Size &size : known)
    sizes.push_back(size.getConstant().value_or(ShapedType::kDynamic));
  return RankedTensorType::get(
      sizes, cast<RankedTensorType>(op.getType()).getElementType());
}

void ReshapeSplitter::run() {
  if (!findGroups())
    return;
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  auto castTo = [&](Value value, Type type) -> Value {
    return value.getType() == type
               ? value
               : tensor::CastOp::create(rewriter, loc, type, value);
  };
  Value result = castTo(op.getSource(), getType(source));
  if (groups.source.size() < source.size())
    result =
        tensor::CollapseShapeOp::create(rewriter, loc, result, groups.source);
  if (groups.target.size() < target.size()) {
    SmallVector<OpFoldResult> sizes;
    for (auto [value, size] : llvm::zip_equal(shape.getElements(), target)) {
      if (std::optional<int64_t> known = size.getConstant())
        sizes.push_back(rewriter.getIndexAttr(*known));
      else
        sizes.push_back(rewriter.createOrFold<arith::IndexCastOp>(
            loc, rewriter.getIndexType(), value));
    }
    result = tensor::ExpandShapeOp::create(rewriter, loc, getType(target),
                                           result, groups.target, sizes);
  }
  rewriter.replaceOp(op, castTo(result, op.getType()));
}

void makeReshapesGroups(func::FuncOp func) {
  Sizes sizes(func);
  IRRewriter rewriter(func.getContext());
  SmallVector<tensor::ReshapeOp> ops;
  func.walk([&](tensor::ReshapeOp op) { ops.push_back(op); });
  for (tensor::ReshapeOp op : ops) {
    auto shape = op.getShape().getDefiningOp<tensor::FromElementsOp>();
    if (shape && isa<RankedTensorType>(op.getSource().getType()) &&
        isa<RankedTensorType>(op.getType()))
      ReshapeSplitter(sizes, op, shape, rewriter).run();
  }
}

} // namespace attn::raise
