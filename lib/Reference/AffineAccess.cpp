//===- AffineAccess.cpp - Memory offsets of affine indexing maps ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AffineAccess.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace attn::reference::detail {

int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> dims,
                 ArrayRef<int64_t> symbols) {
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return cast<AffineConstantExpr>(expr).getValue();
  case AffineExprKind::DimId:
    return dims[cast<AffineDimExpr>(expr).getPosition()];
  case AffineExprKind::SymbolId:
    return symbols[cast<AffineSymbolExpr>(expr).getPosition()];
  default:
    break;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t a = evaluate(binary.getLHS(), dims, symbols);
  int64_t b = evaluate(binary.getRHS(), dims, symbols);
  // As the numbers of kernels, these wrap.
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return uint64_t(a) + uint64_t(b);
  case AffineExprKind::Mul:
    return uint64_t(a) * uint64_t(b);
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(a, b);
  case AffineExprKind::CeilDiv:
    return llvm::divideCeilSigned(a, b);
  case AffineExprKind::Mod:
    return llvm::mod(a, b);
  default:
    llvm_unreachable("unknown affine expression");
  }
}

AffineAccess::AffineAccess(AffineMap map, ArrayRef<int64_t> strides)
    : coefficients(map.getNumDims(), 0) {
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), strides)) {
    SmallVector<int64_t> linear(coefficients);
    int64_t sum = constant;
    if (addLinear(expr, stride, linear, sum)) {
      coefficients = linear;
      constant = sum;
    } else {
      nonlinear.emplace_back(expr, stride);
    }
  }
}

bool AffineAccess::addLinear(AffineExpr expr, int64_t factor,
                             SmallVectorImpl<int64_t> &into,
                             int64_t &sum) const {
  if (auto value = dyn_cast<AffineConstantExpr>(expr)) {
    sum += factor * value.getValue();
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    into[dim.getPosition()] += factor;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && expr.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), factor, into, sum) &&
           addLinear(binary.getRHS(), factor, into, sum);
  if (binary && expr.getKind() == AffineExprKind::Mul)
    if (auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      return addLinear(binary.getLHS(), factor * scale.getValue(), into, sum);
  return false;
}

bool AffineAccess::isLinearIn(unsigned dim) const {
  return llvm::none_of(nonlinear, [&](const auto &term) {
    return term.first.isFunctionOfDim(dim);
  });
}

} // namespace attn::reference::detail
