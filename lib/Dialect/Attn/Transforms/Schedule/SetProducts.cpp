//===- SetProducts.cpp - What products may be made of ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/ProductParts.h"
#include "attn/Dialect/Attn/Transforms/MatrixRoles.h"
#include "attn/Dialect/Attn/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attn {
#define GEN_PASS_DEF_SETPRODUCTSPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;

namespace {

struct SetProductsPass : attn::impl::SetProductsPassBase<SetProductsPass> {
  using SetProductsPassBase::SetProductsPassBase;

  void runOnOperation() override {
    std::optional<Products> kind = symbolizeProducts(products);
    if (!kind) {
      getOperation().emitError() << "attn-set-products takes bf16x3 or bf16x6, "
                                    "found '"
                                 << products << "'";
      return signalPassFailure();
    }
    auto attribute = ProductsAttr::get(&getContext(), *kind);
    getOperation().walk([&](Operation *op) {
      auto structured = dyn_cast<linalg::LinalgOp>(op);
      if (!isa<AttentionOp, LinearOp>(op) &&
          (!structured || !multipliesAndAdds(structured)))
        return;
      Type element = getElementTypeOrSelf(op->getOperand(0).getType());
      if (!getProducts(op) && (element.isF32() || element.isF16()))
        op->setAttr(kProductsAttrName, attribute);
    });
  }
};

} // namespace
