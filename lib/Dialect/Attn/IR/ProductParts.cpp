//===- ProductParts.cpp - Products in parts of bf16 -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/ProductParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace attn;

bool attn::multipliesAndAdds(linalg::LinalgOp op) {
  if (op->getNumOperands() != 3 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0)
    return false;
  Block &body = *op.getBlock();
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  Value accumulator = body.getArgument(2);
  Value product = add.getLhs() == accumulator ? add.getRhs() : add.getLhs();
  if (add.getLhs() != accumulator && add.getRhs() != accumulator)
    return false;
  auto multiply = product.getDefiningOp<arith::MulFOp>();
  if (!multiply)
    return false;
  auto argument = [](Value value) -> Value {
    auto extend = value.getDefiningOp<arith::ExtFOp>();
    return extend ? extend.getIn() : value;
  };
  Value a = argument(multiply.getLhs()), b = argument(multiply.getRhs());
  return (a == body.getArgument(0) && b == body.getArgument(1)) ||
         (a == body.getArgument(1) && b == body.getArgument(0));
}

bool attn::makesProducts(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return multipliesAndAdds(structured);
  return isa<AttentionOp, LinearOp>(op);
}

std::optional<Products> attn::getProducts(Operation *op) {
  auto attribute = op->getAttrOfType<ProductsAttr>(kProductsAttrName);
  return attribute ? std::optional(attribute.getValue()) : std::nullopt;
}

int64_t attn::countParts(Operation *op) {
  std::optional<Products> products = getProducts(op);
  if (products)
    return static_cast<int64_t>(*products);
  constexpr int64_t held = 2;
  return makesProducts(op) && areHalves(held, op->getOperands().take_front(2))
             ? held
             : 1;
}

bool attn::areHalves(int64_t parts, ValueRange operands) {
  return parts == 2 && llvm::all_of(operands, [](Value operand) {
           return getElementTypeOrSelf(operand.getType()).isF16();
         });
}

int64_t attn::countParts(Operation *op, Type element) {
  return element.isF32() || element.isF16() ? countParts(op) : 1;
}
