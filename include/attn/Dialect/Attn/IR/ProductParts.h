//===- ProductParts.h - Products in parts of bf16 ---------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an op with products lets its numbers become: `products(...)` of
// attn.attention, and the same attribute of attn.linear and of structured
// products. It is a discardable attribute: files of version 1 hold no other.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_PRODUCTPARTS_H
#define ATTN_DIALECT_ATTN_IR_PRODUCTPARTS_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attn {

constexpr llvm::StringLiteral kProductsAttrName = "attn.products";

/// Whether a structured op is sums of products of its two inputs, widened
/// before or not.
bool multipliesAndAdds(mlir::linalg::LinalgOp op);

/// Whether the attribute may stand on the op: it makes such products.
bool makesProducts(mlir::Operation *op);

/// What the op says; none if nothing.
std::optional<Products> getProducts(mlir::Operation *op);

/// Of how many numbers of bf16 one may consist there: what the op says, and two
/// where both operands are f16, which these hold whole.
int64_t countParts(mlir::Operation *op);
/// The same of one of `element`: 1 for types that have no parts.
int64_t countParts(mlir::Operation *op, mlir::Type element);

/// Whether so many parts hold all operands, which are f16.
bool areHalves(int64_t parts, mlir::ValueRange operands);

} // namespace attn

#endif // ATTN_DIALECT_ATTN_IR_PRODUCTPARTS_H
