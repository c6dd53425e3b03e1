//===- ReshapeGroups.cpp - Reshapes to listed sizes -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/SimplifySizes.h"
#include "attn/Dialect/Attn/Transforms/Raise/Sizes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
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
  ReshapeSplitter(Sizes &known, tensor::ReshapeOp op,
                  tensor::FromElementsOp shape, IRRewriter &rewriter)
      : known(known), sizes(known), op(op), shape(shape), rewriter(rewriter) {
    readSizes();
  }

  void run();

private:
  void readSizes();
  bool findGroups();
  bool addGroup(size_t &i, size_t &j);
  bool assumeGroup(size_t &i, size_t &j);
  void assertPairs();
  Value getTargetSize(unsigned dim);
  RankedTensorType getType(ArrayRef<Size> known);

  Sizes &known;
  Sizes sizes; // with what is assumed
  tensor::ReshapeOp op;
  tensor::FromElementsOp shape;
  IRRewriter &rewriter;
  SmallVector<Size> source, target;
  Groups groups;
  /// Dimensions of source and target that are assumed to be equal.
  SmallVector<std::pair<unsigned, unsigned>> pairs;
};

} // namespace

static ReassociationIndices range(size_t begin, size_t end) {
  return llvm::to_vector(llvm::seq<int64_t>(begin, end));
}

void ReshapeSplitter::readSizes() {
  source.clear();
  target.clear();
  auto sourceType = cast<RankedTensorType>(op.getSource().getType());
  for (int64_t dim = 0; dim < sourceType.getRank(); ++dim)
    source.push_back(sizes.get(op.getSource(), dim));
  for (size_t dim = 0; dim < shape.getElements().size(); ++dim)
    target.push_back(sizes.get(op.getResult(), dim));
}

/// Sizes of two arguments with nothing but ones between them. torch.export has
/// one name for both, and may ask either argument for it.
bool ReshapeSplitter::assumeGroup(size_t &i, size_t &j) {
  size_t m = i, n = j;
  while (m < source.size() && source[m] == Size(1))
    ++m;
  while (n < target.size() && target[n] == Size(1))
    ++n;
  if (m == source.size() || n == target.size() ||
      !sizes.getArgumentDim(source[m]) || !sizes.getArgumentDim(target[n]))
    return false;
  pairs.push_back({m, n});
  sizes.equate(source[m], target[n]);
  readSizes();
  return addGroup(i, j);
}

Value ReshapeSplitter::getTargetSize(unsigned dim) {
  Value size = shape.getElements()[dim];
  return size.getType().isIndex()
             ? size
             : rewriter.createOrFold<arith::IndexCastOp>(
                   op.getLoc(), rewriter.getIndexType(), size);
}

void ReshapeSplitter::assertPairs() {
  Location loc = op.getLoc();
  for (auto [from, to] : pairs) {
    Value size = tensor::DimOp::create(rewriter, loc, op.getSource(), from);
    Value other = getTargetSize(to);
    Value equal = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                        size, other);
    cf::AssertOp::create(
        rewriter, loc, equal,
        "two dynamic sizes that a reshape pairs are not equal");
  }
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
    if (!addGroup(i, j) && !assumeGroup(i, j))
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
  assertPairs();
  known = sizes;
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
    SmallVector<OpFoldResult> shapes;
    for (auto [dim, size] : llvm::enumerate(target)) {
      std::optional<int64_t> number = size.getConstant();
      shapes.push_back(number ? OpFoldResult(rewriter.getIndexAttr(*number))
                              : OpFoldResult(getTargetSize(dim)));
    }
    result = tensor::ExpandShapeOp::create(rewriter, loc, getType(target),
                                           result, groups.target, shapes);
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
