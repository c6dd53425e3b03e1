//===- Sizes.cpp - What sizes are computed from ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Sizes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attn::raise {

Size Sizes::getUnknown(Value value, unsigned dim) {
  auto [it, isNew] = unknowns.try_emplace({value, dim}, unknowns.size());
  if (isNew)
    isOfTensor.push_back(isa<RankedTensorType>(value.getType()));
  return Size::unknown(it->second);
}

Size Sizes::resolve(Size size) const {
  for (const auto &[id, value] : equalities)
    size = size.substitute(id, value);
  return size;
}

Size Sizes::get(Value tensor, unsigned dim) {
  return resolve(readDim(tensor, dim));
}

Size Sizes::get(OpFoldResult number) {
  if (std::optional<int64_t> known = getConstantIntValue(number))
    return Size(*known);
  return get(cast<Value>(number));
}

/// A dimension of a slice, whose dropped dimensions have no number.
Size Sizes::readSliceSize(Operation *op, unsigned dim) {
  auto slice = cast<tensor::ExtractSliceOp>(op);
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  for (auto [i, size] : llvm::enumerate(slice.getMixedSizes())) {
    if (dropped[i])
      continue;
    if (dim == 0)
      return isa<Attribute>(size) ? Size(*getConstantIntValue(size))
                                  : read(cast<Value>(size));
    --dim;
  }
  llvm_unreachable("a slice has a size for each dimension that it keeps");
}

Size Sizes::readCollapsed(Operation *op, unsigned dim) {
  auto collapse = cast<tensor::CollapseShapeOp>(op);
  Size product(1);
  SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
  for (int64_t part : groups[dim])
    product = product * readDim(collapse.getSrc(), part);
  return product;
}

Size Sizes::readConcat(Operation *op, unsigned dim) {
  auto concat = cast<tensor::ConcatOp>(op);
  if (dim != concat.getDim())
    return readDim(concat.getInputs()[0], dim);
  Size sum;
  for (Value input : concat.getInputs())
    sum = sum + readDim(input, dim);
  return sum;
}

Size Sizes::readDim(Value tensor, unsigned dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return Size(type.getDimSize(dim));
  auto result = dyn_cast<OpResult>(tensor);
  if (!result)
    return getUnknown(tensor, dim);
  return TypeSwitch<Operation *, Size>(result.getOwner())
      .Case([&](tensor::EmptyOp op) { return read(op.getDynamicSize(dim)); })
      .Case([&](tensor::ExpandShapeOp op) {
        return read(cast<Value>(op.getMixedOutputShape()[dim]));
      })
      .Case<tensor::CollapseShapeOp>(
          [&](auto op) { return readCollapsed(op, dim); })
      .Case<tensor::ConcatOp>([&](auto op) { return readConcat(op, dim); })
      .Case<tensor::ExtractSliceOp>(
          [&](auto op) { return readSliceSize(op, dim); })
      .Case([&](tensor::CastOp op) {
        return isa<RankedTensorType>(op.getSource().getType())
                   ? readDim(op.getSource(), dim)
                   : getUnknown(tensor, dim);
      })
      .Case([&](tensor::ReshapeOp op) {
        auto shape = op.getShape().getDefiningOp<tensor::FromElementsOp>();
        return shape ? read(shape.getElements()[dim]) : getUnknown(tensor, dim);
      })
      .Case([&](DestinationStyleOpInterface op) {
        return readDim(op.getTiedOpOperand(result)->get(), dim);
      })
      .Default([&](Operation *) { return getUnknown(tensor, dim); });
}

/// Results of affine maps with one result, as far as they are polynomials.
static std::optional<Size> evaluate(AffineExpr expr, ArrayRef<Size> dims,
                                    ArrayRef<Size> symbols) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return Size(number.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto left = evaluate(binary.getLHS(), dims, symbols);
  auto right = evaluate(binary.getRHS(), dims, symbols);
  if (!left || !right)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return *left + *right;
  case AffineExprKind::Mul:
    return *left * *right;
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv:
    return left->divideBy(*right);
  default:
    return std::nullopt;
  }
}

/// A number of type index or i64.
Size Sizes::readArithmetic(Operation *op) {
  Value value = op->getResult(0);
  auto divide = [&] {
    auto quotient = read(op->getOperand(0)).divideBy(read(op->getOperand(1)));
    return quotient ? *quotient : getUnknown(value, 0);
  };
  return TypeSwitch<Operation *, Size>(op)
      .Case([&](arith::IndexCastOp cast) {
        Type from = cast.getIn().getType();
        return from.isIndex() || from.isInteger(64) ? read(cast.getIn())
                                                    : getUnknown(value, 0);
      })
      .Case([&](arith::AddIOp add) {
        return read(add.getLhs()) + read(add.getRhs());
      })
      .Case([&](arith::SubIOp sub) {
        return read(sub.getLhs()) - read(sub.getRhs());
      })
      .Case([&](arith::MulIOp mul) {
        return read(mul.getLhs()) * read(mul.getRhs());
      })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(
          [&](auto) { return divide(); })
      .Case([&](affine::AffineApplyOp apply) {
        SmallVector<Size> operands;
        for (Value operand : apply.getMapOperands())
          operands.push_back(read(operand));
        AffineMap map = apply.getAffineMap();
        auto result =
            evaluate(map.getResult(0),
                     ArrayRef<Size>(operands).take_front(map.getNumDims()),
                     ArrayRef<Size>(operands).drop_front(map.getNumDims()));
        return result ? *result : getUnknown(value, 0);
      })
      .Case([&](tensor::DimOp dim) {
        std::optional<int64_t> index = dim.getConstantIndex();
        auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
        return index && type && *index >= 0 && *index < type.getRank()
                   ? readDim(dim.getSource(), *index)
                   : getUnknown(value, 0);
      })
      .Default([&](Operation *) { return getUnknown(value, 0); });
}

Size Sizes::read(Value number) {
  if (std::optional<int64_t> known = getConstantIntValue(number))
    return Size(*known);
  auto known = numbers.find(number);
  if (known != numbers.end())
    return known->second;
  Operation *op = number.getDefiningOp();
  bool isSize = number.getType().isIndex() || number.getType().isInteger(64);
  Size size = op && isSize ? readArithmetic(op) : getUnknown(number, 0);
  if (!size.isSmall())
    size = getUnknown(number, 0);
  numbers[number] = size;
  return size;
}

std::optional<std::pair<BlockArgument, unsigned>>
Sizes::getArgumentDim(const Size &size) const {
  for (const auto &[known, id] : unknowns)
    if (auto argument = dyn_cast<BlockArgument>(known.first);
        argument && isOfTensor[id] && size == Size::unknown(id))
      return std::make_pair(argument, known.second);
  return std::nullopt;
}

} // namespace attn::raise
