//===- AnalyzeEntropy.cpp - How policies let entropy grow with n ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntropyReport.h"
#include "attn/Analysis/Passes.h"
#include "attn/Analysis/Report.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ANALYZEENTROPYPASS
#include "attn/Analysis/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct AnalyzeEntropyPass
    : attn::impl::AnalyzeEntropyPassBase<AnalyzeEntropyPass> {
  using Base::Base;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(checkOptions()))
      return signalPassFailure();
    SmallVector<ScalePolicyAttrInterface> alternatives;
    if (failed(parsePolicies(alternatives)))
      return signalPassFailure();

    EntropyReport report(EntropyRange{from, to, samples, seed});
    unsigned ops = 0;
    getOperation()->walk([&](Operation *op) {
      if (auto attention = dyn_cast<AttentionOp>(op))
        report.addAttention(attention, alternatives, headDim);
      else if (auto heads = dyn_cast<MultiHeadAttentionOp>(op))
        report.addAttention(heads, alternatives);
      else if (auto softmax = dyn_cast<SoftmaxOp>(op))
        report.addSoftmax(softmax, alternatives, headDim);
      else
        return;
      ++ops;
    });
    if (ops == 0 && !alternatives.empty())
      report.addPolicies(alternatives, headDim);
    if (failed(report.write(getOperation().getLoc(), {text, json, html})))
      signalPassFailure();
  }

private:
  LogicalResult checkOptions() {
    auto fail = [&](const Twine &what) {
      return emitError(getOperation().getLoc(),
                       "attn-analyze-entropy: " + what);
    };
    if (from < 1 || to < from)
      return fail("lengths need 1 <= from <= to");
    // A row of samples is kept in memory.
    if (to > (1 << 24))
      return fail("to must not exceed 16777216");
    if (samples < 1)
      return fail("samples must be positive");
    if (headDim < 1)
      return fail("head-dim must be positive");
    return success();
  }

  LogicalResult
  parsePolicies(SmallVectorImpl<ScalePolicyAttrInterface> &alternatives) {
    SmallVector<StringRef> names;
    StringRef(policies).split(names, ';', -1, /*KeepEmpty=*/false);
    for (StringRef name : names) {
      name = name.trim();
      std::string full =
          name.starts_with("#") ? name.str() : "#attn." + name.str();
      auto policy = dyn_cast_or_null<ScalePolicyAttrInterface>(
          parseAttribute(full, &getContext()));
      if (!policy)
        return emitError(getOperation().getLoc())
               << "attn-analyze-entropy: '" << name
               << "' is not a scale policy";
      alternatives.push_back(policy);
    }
    return success();
  }
};

} // namespace
