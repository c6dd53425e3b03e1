//===- AnalyzeMoments.cpp - Reports moments of every value ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/MomentAnalysis.h"
#include "attn/Analysis/Passes.h"
#include "attn/Analysis/Report.h"

#include <cmath>

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ANALYZEMOMENTSPASS
#include "attn/Analysis/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct AnalyzeMomentsPass
    : attn::impl::AnalyzeMomentsPassBase<AnalyzeMomentsPass> {
  using Base::Base;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    MomentOptions settings;
    if (failed(readOptions(settings)))
      return signalPassFailure();
    std::vector<MomentAnalysis> analyses;
    WalkResult walk = getOperation()->walk([&](func::FuncOp function) {
      if (failed(checkArguments(function)))
        return WalkResult::interrupt();
      // What is only called is followed where it is called.
      if (!function.isExternal() && !function.isPrivate())
        analyses.emplace_back(function, settings);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    for (const MomentAnalysis &analysis : analyses)
      for (const MomentFinding &finding : analysis.findings)
        // Without the op itself, which would name its operands by guesswork.
        emitWarning(finding.op->getLoc())
            << "[" << getLabel(finding.kind) << "] " << finding.getMessage();
    if (failed(writeMomentReports(getOperation().getLoc(), analyses,
                                  {text, json, html})))
      signalPassFailure();
  }

private:
  LogicalResult readOptions(MomentOptions &settings) {
    auto fail = [&](const Twine &what) {
      return emitError(getOperation().getLoc(),
                       "attn-analyze-moments: " + what);
    };
    if (!std::isfinite(inputMean) || !std::isfinite(inputSecondMoment) ||
        inputSecondMoment < inputMean * inputMean)
      return fail("the second moment of inputs must be finite, and at least "
                  "their mean squared");
    if (unknownSize < 1)
      return fail("unknown-size must be positive");
    if (!(vanishBelow <= explodeAbove) ||
        !(minScoreVariance <= maxScoreVariance))
      return fail("lower limits must not exceed the upper ones");
    settings = {inputMean,    inputSecondMoment, unknownSize,     vanishBelow,
                explodeAbove, minScoreVariance,  maxScoreVariance};
    return success();
  }

  static LogicalResult checkArguments(func::FuncOp function) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      Attribute stated = function.getArgAttr(i, kMomentsAttrName);
      if (!stated)
        continue;
      auto numbers = dyn_cast<DenseF64ArrayAttr>(stated);
      if (!numbers || numbers.size() != 2 || !std::isfinite(numbers[0]) ||
          !std::isfinite(numbers[1]) || numbers[1] < numbers[0] * numbers[0])
        return function.emitError()
               << "'" << kMomentsAttrName << "' of argument " << i
               << " must be array<f64: mean, second moment>, the second "
                  "moment at least the mean squared";
    }
    return success();
  }
};

} // namespace
