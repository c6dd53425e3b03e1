//===- MayWrap.cpp - Which integers stay within their type ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frameworks add positions in 32 bits without saying that the sum does not
// wrap. It does not where the terms are small: numbers of rows, constants (the
// 0 that is the number of a single row) and what comes from narrower types.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/ReadRope.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attn::raise {
namespace {

/// Inclusive bounds.
struct Bounds {
  int64_t lower, upper;

  bool isWithin(const Bounds &other) const {
    return other.lower <= lower && upper <= other.upper;
  }
};

class BoundsReader {
public:
  /// Nothing where nothing is known, as of 64 bits.
  std::optional<Bounds> read(Value value, unsigned depth = 0);

  static std::optional<Bounds> ofType(Type type);

private:
  std::optional<Bounds> readOp(Operation *op, Value value, unsigned depth);
  static std::optional<Bounds> readConstant(Attribute attribute);
};

std::optional<Bounds> BoundsReader::ofType(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  // A boolean is 0 or 1 to some ops and 0 or -1 to others.
  if (!integer || integer.getWidth() < 2 || integer.getWidth() > 32)
    return std::nullopt;
  int64_t half = int64_t(1) << (integer.getWidth() - 1);
  return Bounds{-half, half - 1};
}

std::optional<Bounds> BoundsReader::readConstant(Attribute attribute) {
  if (auto number = dyn_cast<IntegerAttr>(attribute)) {
    if (number.getValue().getSignificantBits() > 64)
      return std::nullopt;
    int64_t value = number.getValue().getSExtValue();
    return Bounds{value, value};
  }
  constexpr int64_t maxElements = int64_t(1) << 16;
  auto elements = dyn_cast<DenseIntElementsAttr>(attribute);
  if (!elements || elements.empty() ||
      (!elements.isSplat() && elements.getNumElements() > maxElements))
    return std::nullopt;
  std::optional<Bounds> bounds;
  for (const APInt &number : elements.getValues<APInt>()) {
    if (number.getSignificantBits() > 64)
      return std::nullopt;
    int64_t value = number.getSExtValue();
    bounds = bounds ? Bounds{std::min(bounds->lower, value),
                             std::max(bounds->upper, value)}
                    : Bounds{value, value};
    if (elements.isSplat())
      break;
  }
  return bounds;
}

std::optional<Bounds> BoundsReader::readOp(Operation *op, Value value,
                                           unsigned depth) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return readConstant(constant.getValue());
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    auto loops = cast<linalg::LinalgOp>(op->getParentOp());
    int64_t extent = loops.getStaticLoopRanges()[index.getDim()];
    if (ShapedType::isDynamic(extent))
      return std::nullopt;
    return Bounds{0, extent - 1};
  }
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    // A reduction's running value is not that of one step.
    if (structured.getNumReductionLoops() > 0)
      return std::nullopt;
    unsigned number = cast<OpResult>(value).getResultNumber();
    return read(structured.getBlock()->getTerminator()->getOperand(number),
                depth);
  }
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
          tensor::ExtractSliceOp, tensor::ExtractOp, arith::ExtSIOp,
          arith::IndexCastOp, arith::TruncIOp>(op))
    return read(op->getOperand(0), depth);
  if (auto sum = dyn_cast<arith::AddIOp>(op)) {
    std::optional<Bounds> x = read(sum.getLhs(), depth),
                          y = read(sum.getRhs(), depth);
    // Sums of numbers of 33 bits are exact here.
    constexpr Bounds narrow{-(int64_t(1) << 32), int64_t(1) << 32};
    if (x && y && x->isWithin(narrow) && y->isWithin(narrow))
      return Bounds{x->lower + y->lower, x->upper + y->upper};
  }
  return std::nullopt;
}

std::optional<Bounds> BoundsReader::read(Value value, unsigned depth) {
  constexpr unsigned maxDepth = 16;
  std::optional<Bounds> type = ofType(value.getType()), bounds;
  if (depth > maxDepth)
    return type;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto op = dyn_cast<linalg::LinalgOp>(arg.getOwner()->getParentOp());
    if (op && op.getNumReductionLoops() == 0)
      bounds = read(op.getMatchingOpOperand(arg)->get(), depth + 1);
  } else {
    bounds = readOp(value.getDefiningOp(), value, depth + 1);
  }
  // What does not fit may have any value of the type.
  return bounds && (!type || bounds->isWithin(*type)) ? bounds : type;
}

} // namespace

bool mayWrap(arith::AddIOp sum) {
  std::optional<Bounds> type = BoundsReader::ofType(sum.getType());
  BoundsReader reader;
  std::optional<Bounds> x = reader.read(sum.getLhs()),
                        y = reader.read(sum.getRhs());
  return !type || !x || !y ||
         !Bounds{x->lower + y->lower, x->upper + y->upper}.isWithin(*type);
}

} // namespace attn::raise
