//===- ProductParts.cpp - Products in parts of bf16 -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/ProductParts.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace attn;

bool attn::makesProducts(Operation *op) {
  return isa<AttentionOp, LinearOp, linalg::LinalgOp>(op);
}

std::optional<Products> attn::getProducts(Operation *op) {
  auto attribute = op->getAttrOfType<ProductsAttr>(kProductsAttrName);
  return attribute ? std::optional(attribute.getValue()) : std::nullopt;
}

int64_t attn::countParts(Operation *op, Type element) {
  std::optional<Products> products = getProducts(op);
  return products && (element.isF32() || element.isF16())
             ? static_cast<int64_t>(*products)
             : 1;
}
