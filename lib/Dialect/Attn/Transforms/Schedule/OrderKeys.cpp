//===- OrderKeys.cpp - The keys of biases and masks lie side by side ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/IR/GenericBuilder.h"
#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace attn {
#define GEN_PASS_DEF_ORDERKEYSPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;

/// The dimensions of a tensor with keys last; the others as the attention's
/// loops go, since a head's rows are read together.
static SmallVector<int64_t> getOrder(AffineMap map, unsigned key) {
  auto getPlace = [&](int64_t dim) -> unsigned {
    unsigned place = 0;
    map.getResult(dim).walk([&](AffineExpr expr) {
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        place = loop.getPosition() + 1;
    });
    return place == key + 1 ? map.getNumDims() + 1 : place;
  };
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, map.getNumResults()));
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::pair(getPlace(a), a) < std::pair(getPlace(b), b);
  });
  return order;
}

/// Whether something else lies between two keys. A number has none.
static bool areKeysApart(AffineMap map, unsigned key, Type type) {
  std::optional<unsigned> at =
      map.getResultPosition(getAffineDimExpr(key, map.getContext()));
  return at &&
         llvm::any_of(cast<ShapedType>(type).getShape().drop_front(*at + 1),
                      [](int64_t size) { return size != 1; });
}

/// Whether the op may write its result in any order.
static bool canReorder(linalg::GenericOp op) {
  return op && op->hasOneUse() && op.getNumDpsInits() == 1 &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation() &&
         !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0));
}

/// The op's result in another order of dimensions, written in that order.
static Value reorder(RewriterBase &rewriter, linalg::GenericOp op,
                     ArrayRef<int64_t> order) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value init = op.getOutputs()[0];
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, init);
  applyPermutationToVector(sizes, order);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, sizes, cast<ShapedType>(init.getType()).getElementType());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<AffineExpr> results(maps.back().getResults());
  applyPermutationToVector(results, order);
  maps.back() =
      AffineMap::get(op.getNumLoops(), 0, results, rewriter.getContext());
  auto made = linalg::GenericOp::create(
      rewriter, loc, TypeRange(empty.getType()), op.getInputs(), empty, maps,
      op.getIteratorTypesArray(), /*bodyBuild=*/nullptr,
      linalg::getPrunedAttributeList(op));
  rewriter.cloneRegionBefore(op.getRegion(), made.getRegion(),
                             made.getRegion().begin());
  auto loops = llvm::map_to_vector(results, [](AffineExpr expr) {
    return cast<AffineDimExpr>(expr).getPosition();
  });
  // Neighbours of the result are written one after the other.
  return linalg::interchangeGenericOp(rewriter, made, loops)->getResult(0);
}

static void orderKeys(RewriterBase &rewriter, AttentionOp op, unsigned param) {
  OpOperand &operand = op.getParamsMutable()[param];
  AffineMap map = op.getParamMap(param);
  SmallVector<int64_t> order = getOrder(map, op.getKeyDim());
  rewriter.setInsertionPoint(op);
  auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
  Value ordered = canReorder(producer)
                      ? reorder(rewriter, producer, order)
                      : createTranspose(rewriter, operand.get(), order);
  SmallVector<AffineExpr> results(map.getResults());
  applyPermutationToVector(results, order);
  SmallVector<AffineMap> maps = op.getMaps();
  maps[op.getShapedInputs().size() + param] =
      AffineMap::get(map.getNumDims(), 0, results, rewriter.getContext());
  rewriter.modifyOpInPlace(op, [&] {
    operand.set(ordered);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
  if (producer && producer->use_empty())
    rewriter.eraseOp(producer);
}

namespace attn {
namespace {

struct OrderKeysPass : impl::OrderKeysPassBase<OrderKeysPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](AttentionOp op) {
      for (unsigned param = 0; param < op.getNumScoreParams(); ++param)
        if (areKeysApart(op.getParamMap(param), op.getKeyDim(),
                         op.getParams()[param].getType()))
          orderKeys(rewriter, op, param);
    });
  }
};

} // namespace
} // namespace attn
