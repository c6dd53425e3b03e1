//===- SizeEvaluator.cpp - Sizes of tensors for given arguments -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/SizeEvaluator.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;

using Size = std::optional<int64_t>;

SizeEvaluator::SizeEvaluator(Block &entry, ArrayRef<SmallVector<int64_t>> sizes,
                             std::optional<int64_t> unknown)
    : entry(entry), sizes(sizes.begin(), sizes.end()), unknown(unknown) {}

Size SizeEvaluator::getSize(Value tensor, unsigned dim) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || dim >= static_cast<unsigned>(type.getRank()))
    return std::nullopt;
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  auto [it, isNew] = known.try_emplace({tensor, dim}, std::nullopt);
  if (!isNew)
    return it->second;
  Size size = computeSize(tensor, dim);
  if (!size && unknown) {
    size = unknown;
    guessed = true;
  }
  known[{tensor, dim}] = size;
  return size;
}

SmallVector<int64_t> SizeEvaluator::getKnownShape(Value tensor) {
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < cast<ShapedType>(tensor.getType()).getRank();
       ++dim)
    shape.push_back(
        getSize(tensor, unsigned(dim)).value_or(ShapedType::kDynamic));
  return shape;
}

std::optional<SmallVector<int64_t>> SizeEvaluator::getShape(Value tensor) {
  if (!isa<RankedTensorType>(tensor.getType()))
    return std::nullopt;
  SmallVector<int64_t> shape = getKnownShape(tensor);
  if (ShapedType::isDynamicShape(shape))
    return std::nullopt;
  return shape;
}

/// The value whose sizes a result of a composite op, or what is known inside of
/// an op has: the input of a residual block, what a loop carries.
static Value getLike(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *op =
      argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  if (auto residual = dyn_cast<ResidualOp>(op))
    return residual.getInput();
  if (auto layer = dyn_cast<FeedForwardOp>(op))
    return layer.getInput();
  if (auto attention = dyn_cast<MultiHeadAttentionOp>(op)) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    return index == 0   ? attention.getInput()
           : index == 1 ? attention.getKeyCache()
                        : attention.getValueCache();
  }
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  OpOperand *init = !loop      ? nullptr
                    : argument ? loop.getTiedLoopInit(argument)
                               : loop.getTiedLoopInit(cast<OpResult>(value));
  return init ? init->get() : Value();
}

Size SizeEvaluator::computeSize(Value tensor, unsigned dim) {
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (argument && argument.getOwner() == &entry) {
    if (argument.getArgNumber() >= sizes.size())
      return std::nullopt;
    ArrayRef<int64_t> shape = sizes[argument.getArgNumber()];
    return dim < shape.size() ? Size(shape[dim]) : std::nullopt;
  }
  if (Value like = getLike(tensor))
    return getSize(like, dim);
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto style = dyn_cast<DestinationStyleOpInterface>(op))
    return getSize(style.getTiedOpOperand(cast<OpResult>(tensor))->get(), dim);
  return TypeSwitch<Operation *, Size>(op)
      .Case([&](tensor::EmptyOp empty) {
        return getIndex(empty.getMixedSizes()[dim]);
      })
      .Case([&](tensor::CastOp cast) { return getSize(cast.getSource(), dim); })
      .Case([&](tensor::InsertSliceOp insert) {
        return getSize(insert.getDest(), dim);
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        return getIndex(expand.getMixedOutputShape()[dim]);
      })
      .Case([&](tensor::CollapseShapeOp collapse) -> Size {
        int64_t product = 1;
        // The list of all lives as long as the loop.
        auto groups = collapse.getReassociationIndices();
        for (int64_t source : groups[dim]) {
          Size size = getSize(collapse.getSrc(), source);
          if (!size)
            return std::nullopt;
          product *= *size;
        }
        return product;
      })
      .Case([&](tensor::PadOp pad) -> Size {
        Size size = getSize(pad.getSource(), dim);
        Size low = getIndex(pad.getMixedLowPad()[dim]);
        Size high = getIndex(pad.getMixedHighPad()[dim]);
        if (!size || !low || !high)
          return std::nullopt;
        return *size + *low + *high;
      })
      .Case([&](tensor::ExtractSliceOp slice) -> Size {
        llvm::SmallBitVector dropped = slice.getDroppedDims();
        for (auto [source, size] : llvm::enumerate(slice.getMixedSizes())) {
          if (dropped.test(source))
            continue;
          if (dim-- == 0)
            return getIndex(size);
        }
        return std::nullopt;
      })
      .Default([&](Operation *op) -> Size {
        if (!op->hasTrait<OpTrait::Elementwise>())
          return std::nullopt;
        return getSize(op->getOperand(0), dim);
      });
}

Size SizeEvaluator::getIndex(OpFoldResult index) {
  if (Size constant = getConstantIntValue(index))
    return constant;
  if (auto value = dyn_cast<Value>(index))
    return getIndex(value);
  return std::nullopt;
}

Size SizeEvaluator::getIndex(Value index) {
  if (Size constant = getConstantIntValue(index))
    return constant;
  auto given = indices.find(index);
  if (given != indices.end())
    return given->second;
  Operation *op = index.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    Size which = dim.getConstantIndex();
    return which ? getSize(dim.getSource(), *which) : std::nullopt;
  }
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return getIndex(op->getOperand(0));
  if (op->getNumOperands() != 2)
    return std::nullopt;
  Size a = getIndex(op->getOperand(0)), b = getIndex(op->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  return TypeSwitch<Operation *, Size>(op)
      .Case([&](arith::AddIOp) { return *a + *b; })
      .Case([&](arith::SubIOp) { return *a - *b; })
      .Case([&](arith::MulIOp) { return *a * *b; })
      .Case([&](arith::DivSIOp) { return *b ? Size(*a / *b) : std::nullopt; })
      .Case([&](arith::MaxSIOp) { return std::max(*a, *b); })
      .Case([&](arith::MinSIOp) { return std::min(*a, *b); })
      .Default([](Operation *) { return std::nullopt; });
}
