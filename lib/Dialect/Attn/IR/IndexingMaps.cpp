//===- IndexingMaps.cpp - Maps that no positions follow from --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/IndexingMaps.h"

using namespace mlir;

llvm::SmallVector<AffineExpr> attn::getDivisors(AffineMap map) {
  SmallVector<AffineExpr> divisors;
  map.walkExprs([&](AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (binary && binary.getKind() != AffineExprKind::Add &&
        binary.getKind() != AffineExprKind::Mul)
      divisors.push_back(binary.getRHS());
  });
  return divisors;
}

llvm::StringRef attn::findIndexingFault(AffineMap map) {
  for (AffineExpr divisor : getDivisors(map))
    if (auto constant = dyn_cast<AffineConstantExpr>(divisor))
      if (constant.getValue() < 1)
        return "divides an index by a number below 1";
  constexpr int64_t limit = int64_t(1) << 31;
  bool isLarge = false;
  map.walkExprs([&](AffineExpr expr) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      isLarge |= constant.getValue() >= limit || constant.getValue() <= -limit;
  });
  return isLarge ? "has a number of 2^31 or more in the map of an index" : "";
}
