//===- SetProducts.cpp - What attentions may multiply ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"
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
    getOperation().walk([&](AttentionOp op) {
      Type element = getElementTypeOrSelf(op.getQuery().getType());
      if (!op.getProducts() && (element.isF32() || element.isF16()))
        op.setProducts(*kind);
    });
  }
};

} // namespace
