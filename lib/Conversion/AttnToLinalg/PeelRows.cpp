//===- PeelRows.cpp - Changes of loaded rows in front of an attention -----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/AttnToLinalg/AttnToLinalg.h"

#include "ScoreTensors.h"
#include "attn/Dialect/Attn/IR/GenericBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attn;

/// The operand's changed rows, in its own type.
static Value createRows(IterationBuilder &iterations, LoadedRows rows) {
  AttentionOpInterface op = iterations.getOp();
  unsigned input = rows == LoadedRows::Query ? 0 : 1;
  Value operand = op.getShapedInputs()[input];
  // The kernel normalises rows for a cosine by itself.
  MappedTensor changed = createLoaded(iterations, rows, /*forCosine=*/false);
  if (changed.tensor.getType() == operand.getType())
    return changed.tensor;
  OpBuilder &b = iterations.getBuilder();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, iterations.getLoc(), operand);
  GenericBuilder generics(b, iterations.getLoc(), sizes,
                          iterations.getComputeType());
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, sizes.size()));
  MappedTensor output =
      generics.createEmpty(all, getElementTypeOrSelf(operand.getType()));
  return generics
      .create({{changed.tensor, generics.getIdentity()}}, output,
              [](LaneBuilder &, ValueRange at) { return at[0]; })
      .tensor;
}

LogicalResult attn::peelLoadedRows(RewriterBase &rewriter, AttentionOp op) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  if (!isa<RankedTensorType>(op.getQuery().getType()))
    return rewriter.notifyMatchFailure(op, "its operands are not tensors");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  IterationBuilder iterations(rewriter, self);
  Value query = createRows(iterations, LoadedRows::Query);
  Value key = createRows(iterations, LoadedRows::Key);
  unsigned kept = self.getNumScoreParams();
  unsigned inputs = self.getShapedInputs().size();
  unsigned params = op.getParams().size();
  SmallVector<Attribute> maps(op.getIndexingMaps().getValue());
  maps.erase(maps.begin() + inputs + kept, maps.begin() + inputs + params);
  rewriter.modifyOpInPlace(op, [&] {
    op.getQueryMutable().assign(query);
    op.getKeyMutable().assign(key);
    op.getParamsMutable().erase(kept, params - kept);
    op.setIndexingMapsAttr(rewriter.getArrayAttr(maps));
    op.removeLoadQueryAttr();
    op.removeLoadKeyAttr();
  });
  return success();
}
