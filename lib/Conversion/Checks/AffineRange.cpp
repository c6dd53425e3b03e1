//===- AffineRange.cpp - Where the values of an expression lie ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AffineRange.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;

namespace attn {

static OpFoldResult apply(OpBuilder &builder, Location loc, AffineExpr expr,
                          ArrayRef<OpFoldResult> operands) {
  return affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(0, operands.size(), expr), operands);
}

OpFoldResult addIndices(OpBuilder &builder, Location loc, OpFoldResult a,
                        OpFoldResult b) {
  AffineExpr x, y;
  bindSymbols(builder.getContext(), x, y);
  return apply(builder, loc, x + y, {a, b});
}

OpFoldResult subtractIndices(OpBuilder &builder, Location loc, OpFoldResult a,
                             OpFoldResult b) {
  AffineExpr x, y;
  bindSymbols(builder.getContext(), x, y);
  return apply(builder, loc, x - y, {a, b});
}

OpFoldResult multiplyIndices(OpBuilder &builder, Location loc, OpFoldResult a,
                             OpFoldResult b) {
  AffineExpr x, y;
  bindSymbols(builder.getContext(), x, y);
  return apply(builder, loc, x * y, {a, b});
}

IndexRange getRangeBelow(OpBuilder &builder, Location loc, OpFoldResult size) {
  return {builder.getIndexAttr(0),
          subtractIndices(builder, loc, size, builder.getIndexAttr(1))};
}

IndexRange getAffineRange(OpBuilder &builder, Location loc, AffineExpr expr,
                          ArrayRef<IndexRange> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    OpFoldResult value = builder.getIndexAttr(constant.getValue());
    return {value, value};
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  IndexRange a = getAffineRange(builder, loc, binary.getLHS(), dims);
  AffineExpr x = getAffineSymbolExpr(0, builder.getContext());
  if (binary.getKind() == AffineExprKind::Add) {
    IndexRange b = getAffineRange(builder, loc, binary.getRHS(), dims);
    return {addIndices(builder, loc, a.low, b.low),
            addIndices(builder, loc, a.high, b.high)};
  }
  // Maps of structured ops have constants as factors and divisors.
  int64_t number = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  switch (binary.getKind()) {
  case AffineExprKind::Mul:
    if (number < 0)
      std::swap(a.low, a.high);
    return {apply(builder, loc, x * number, a.low),
            apply(builder, loc, x * number, a.high)};
  case AffineExprKind::FloorDiv:
    return {apply(builder, loc, x.floorDiv(number), a.low),
            apply(builder, loc, x.floorDiv(number), a.high)};
  case AffineExprKind::CeilDiv:
    return {apply(builder, loc, x.ceilDiv(number), a.low),
            apply(builder, loc, x.ceilDiv(number), a.high)};
  default:
    return {builder.getIndexAttr(0), builder.getIndexAttr(number - 1)};
  }
}

} // namespace attn
