//===- ExpandProducts.cpp - Products of heads with one head of keys -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frameworks write the product of all heads of the queries with one head of
// keys as one of [heads * rows, d] and [keys, d], and view the result as heads
// and rows. With an unknown number of rows the place in such a view is no
// affine expression, so the product gets its dimensions back here.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/SimplifySizes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace attn::raise {

/// Whether some dimension is split into sizes of which an inner one is unknown.
static bool hasUnknownInnerSize(tensor::ExpandShapeOp expand) {
  return llvm::any_of(
      expand.getReassociationIndices(), [&](const ReassociationIndices &group) {
        bool isSplit = false;
        for (int64_t dim : group) {
          if (isSplit && expand.getResultType().isDynamicDim(dim))
            return true;
          isSplit |= expand.getResultType().getDimSize(dim) != 1;
        }
        return false;
      });
}

/// Whether nothing else reads a batched product, or its elements in another
/// type.
static bool isProduct(Value value) {
  auto cast = value.getDefiningOp<linalg::GenericOp>();
  if (cast && value.hasOneUse() && cast.getNumDpsInputs() == 1 &&
      linalg::isElementwise(cast))
    value = cast.getDpsInputs().front();
  return value.getDefiningOp<linalg::BatchMatmulOp>() && value.hasOneUse();
}

LogicalResult expandProducts(func::FuncOp func) {
  RewritePatternSet patterns(func.getContext());
  linalg::populateFoldReshapeOpsByExpansionPatterns(
      patterns, [](OpOperand *fused) {
        auto expand = dyn_cast<tensor::ExpandShapeOp>(fused->getOwner());
        return expand && isProduct(fused->get()) && hasUnknownInnerSize(expand);
      });
  return applyPatternsGreedily(func, std::move(patterns));
}

} // namespace attn::raise
