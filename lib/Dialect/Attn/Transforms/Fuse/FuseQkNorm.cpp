//===- FuseQkNorm.cpp - Norms of queries and keys while they are loaded ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadedRows.h"

#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;

namespace attn {
#define GEN_PASS_DEF_FUSEQKNORMPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

/// The norm of a row that `op` is, where it is nothing else.
static std::optional<RowNormAttr> getRowNorm(NormOp op) {
  if (op.getNumResults() != 1 || op.getResidual() || op.hasGivenStatistics() ||
      op.getAxes() != ArrayRef<int64_t>{op.getRank() - 1} ||
      getElementTypeOrSelf(op.getInput()) !=
          getElementTypeOrSelf(op.getOutput()))
    return std::nullopt;
  std::optional<NormKind> kind =
      getTraits(op.getKind()).isOfRow
          ? findRowNorm(op.isCentered(), op.usesMean())
          : std::nullopt;
  if (!kind)
    return std::nullopt;
  return RowNormAttr::get(op.getContext(), *kind, op.getEps().convertToDouble(),
                          op.getEpsMode(), bool(op.getGamma()),
                          bool(op.getBeta()));
}

bool attn::fuseQkNorm(RewriterBase &rewriter, AttentionOp op, LoadedRows rows) {
  LoadedOperand operand(op, rows);
  if (auto rope = operand.get().getDefiningOp<RopeOp>())
    if (auto before = rope.getInput().getDefiningOp<NormOp>())
      operand
          .createMissed(before, "attn.rope, which follows it, is not part of "
                                "the attention (attn-fuse-rope comes first)")
          .emit(before.getLoc());
  auto norm = operand.get().getDefiningOp<NormOp>();
  if (!norm)
    return false;
  operand.forwardSizes(rewriter, norm.getOutput());
  std::optional<Remark> obstacle = operand.findObstacle(norm);
  std::optional<RowNormAttr> change = getRowNorm(norm);
  SmallVector<AffineExpr> results;
  bool fits = change.has_value();
  for (int64_t dim : norm.getAffineDims()) {
    AffineExpr expr = operand.getMap().getResult(dim);
    results.push_back(expr);
    fits &= !expr.isFunctionOfDim(operand.getRowDim());
  }
  fits &= !results.empty() &&
          results.back() == operand.getMap().getResults().back();
  if (!obstacle && !fits)
    obstacle = operand.createMissed(norm, "it is more than a norm of each row");
  if (obstacle) {
    obstacle->emit(norm.getLoc());
    return false;
  }
  SmallVector<Value> params;
  for (Value param : {norm.getGamma(), norm.getBeta()})
    if (param)
      params.push_back(param);
  SmallVector<AffineMap> maps(
      params.size(),
      AffineMap::get(op.getNumDims(), 0, results, op.getContext()));
  operand.takeChange(rewriter, norm, norm.getInput(), *change, params, maps);
  return true;
}

namespace {

struct FuseQkNormPass : attn::impl::FuseQkNormPassBase<FuseQkNormPass> {
  void runOnOperation() override { fuseLoadedRows(getOperation(), fuseQkNorm); }
};

} // namespace
