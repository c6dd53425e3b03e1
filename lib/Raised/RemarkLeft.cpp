//===- RemarkLeft.cpp - Shares of loops that were not raised --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chains.h"
#include "attn/Analysis/Passes.h"
#include "attn/Remarks/Explained.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_REMARKLEFTPASS
#include "attn/Analysis/Passes.h.inc"
} // namespace attn

using namespace attn;

/// What a dynamic size is taken for, as in the reports.
constexpr int64_t kUnknownSize = 512;

/// What stands out of a chain that no remark is about.
static StringRef findWhatStands(const RaisedRow &row) {
  auto structured = dyn_cast<linalg::LinalgOp>(row.op);
  if (structured && linalg::isaConvolutionOpInterface(structured))
    return "there is no op for a convolution";
  if (row.isLeft && isProduct(row.op))
    return "no operand of the product is a matrix of weights, and no softmax "
           "that is known stands before or behind it";
  if (row.isLeft && hasExponential(row.op))
    return "the exponential is no part of a softmax or an activation that is "
           "known";
  if (row.isLeft && hasRoot(row.op))
    return "the root is no part of a norm that is known";
  return "";
}

/// One remark for each chain that has none: of its first product, or else its
/// first exponential or root.
static void explainChains(ArrayRef<RaisedRow> rows) {
  std::vector<std::optional<size_t>> chains = findChains(rows);
  llvm::DenseSet<size_t> explained;
  for (auto [row, chain] : llvm::zip_equal(rows, chains))
    if (chain && isExplained(row.op))
      explained.insert(*chain);
  for (bool products : {true, false})
    for (auto [row, chain] : llvm::zip_equal(rows, chains)) {
      if (!chain || (products && !isProduct(row.op)))
        continue;
      StringRef reason = findWhatStands(row);
      if (!reason.empty() && explained.insert(*chain).second)
        explain(row.op,
                Remark(RemarkId::NothingFits, {{"reason", reason.str()}}));
    }
}

static void remarkShare(const RaisedRow &row, const RaisedRows &all) {
  std::string name = row.op->getName().getStringRef().str();
  if (!row.what.empty())
    name += " (" + row.what + ")";
  Remark(RemarkId::LeftOver,
         {{"op", name},
          {"flops", formatShare(row.flops, all.cost.flops)},
          {"bytes", formatShare(row.bytes, all.cost.bytes)}})
      .emit(getUnmarked(row.op->getLoc()));
}

namespace {

struct RemarkLeftPass : attn::impl::RemarkLeftPassBase<RemarkLeftPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (getOperation().isExternal())
      return;
    RaisedRows all = collectRows(getOperation(), kUnknownSize,
                                 getReportTarget(getOperation()));
    explainChains(all.rows);
    for (const RaisedRow &row : all.rows)
      if (isa<linalg::LinalgOp>(row.op))
        remarkShare(row, all);
  }
};

} // namespace
