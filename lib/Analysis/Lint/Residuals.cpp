//===- Residuals.cpp - Streams of residual blocks -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "attn/Analysis/Report.h"
#include "attn/Analysis/ResidualBlock.h"

#include <cmath>

using namespace mlir;

namespace attn::lint_checks {

/// A stream that grew by less has no branch that says anything.
static constexpr double kSmallestGrowth = 1.5;
/// Blocks without a norm that double the second moment a few times are many.
static constexpr double kLargestGrowth = 64.0;
/// The square of an alpha that has hardly started: 1/4 of a block.
static constexpr double kLargestAlpha = 0.25;
/// Less of the second moment than this is a decayed input.
static constexpr double kSmallestShare = 1.0 / 16.0;

namespace {
/// The blocks of one stream in their order.
struct Stream {
  SmallVector<ResidualBlock> blocks;
  double input = 0.0, result = 0.0;
  /// What part of the second moment is owed to the stream's input.
  double share = 1.0;
};
} // namespace

static std::vector<Stream> findStreams(Context &context) {
  std::vector<Stream> streams;
  for (const ResidualMoments &record : context.moments.residuals) {
    if (!context.flat.getOrigin(record.block.op))
      continue;
    streams.resize(std::max<size_t>(streams.size(), record.stream + 1));
    Stream &stream = streams[record.stream];
    if (stream.blocks.empty())
      stream.input = record.inputSecondMoment;
    stream.blocks.push_back(record.block);
    stream.result = record.resultSecondMoment;
    stream.share = record.shares.front();
  }
  llvm::erase_if(streams, [](const Stream &one) { return one.blocks.empty(); });
  return streams;
}

/// The last block with a norm that has statistics of its own.
static NormOp findNorm(Context &context, const Stream &stream) {
  NormOp found;
  for (const ResidualBlock &block : stream.blocks)
    if (NormOp norm = block.norm)
      if (getTraits(norm.getKind()).isOfRow && norm.usesMean())
        found = dyn_cast_or_null<NormOp>(context.flat.getOrigin(norm));
  return found;
}

static void checkPostNorm(Context &context, const Stream &stream) {
  Findings &findings = context.findings;
  SmallVector<Operation *> origins;
  ResidualPolicy policy =
      stream.blocks.front().policy.value_or(ResidualPolicy::Pre);
  bool isPost = policy == ResidualPolicy::Post;
  if (!isPost && policy != ResidualPolicy::InvSqrt2)
    return;
  for (const ResidualBlock &block : stream.blocks) {
    if (block.policy != policy)
      return;
    Operation *origin = context.flat.getOrigin(block.op);
    if (!llvm::is_contained(origins, origin))
      origins.push_back(origin);
  }
  if (stream.share >= kSmallestShare) {
    for (Operation *origin : origins)
      findings.addFine(WarningId::PostNormDecay, origin);
    return;
  }
  const ResidualBlock &last = stream.blocks.back();
  Operation *op = context.flat.getOrigin(last.op);
  NormOp like = findNorm(context, stream);
  // Of a norm that is there already there is no second one.
  bool isNormed = endsNormed(last.result);
  StreamEnd end =
      isNormed ? StreamEnd() : findStreamEnd(context.flat, last.result);
  LintWarning warning{
      WarningId::PostNormDecay,
      op,
      {{"blocks", std::to_string(stream.blocks.size())},
       {"policy", isPost ? "Post Norm" : "(x + F(x)) / sqrt(2)"},
       {"share", formatNumber(stream.share)},
       {"weight", formatNumber(std::sqrt(stream.share))}},
      "pre for " + stringifyResidualPolicy(policy).str() + " in its blocks"};
  if (!isNormed)
    warning.mend +=
        ", and " + describeNorm(like, /*after=*/nullptr, end.at) + " the last";
  if (!isPost)
    warning.refusal = "its blocks have no norm";
  else if (!end.at && !isNormed)
    warning.refusal = end.refusal;
  else if (!llvm::all_of(origins, llvm::IsaPred<ResidualOp>))
    warning.refusal = "the blocks are spelled out, and have no policy that "
                      "could be another";
  warning.fix = [origins, like, at = end.at](RewriterBase &rewriter) {
    for (Operation *origin : origins)
      cast<ResidualOp>(origin).setPolicy(ResidualPolicy::Pre);
    if (at)
      addFinalNorm(rewriter, at, like);
  };
  findings.addFault(std::move(warning), origins);
  if (end.at)
    findings.setEnd(end.at, last.result);
}

static void checkFinalNorm(Context &context, const Stream &stream) {
  const ResidualBlock &last = stream.blocks.back();
  if (last.policy != ResidualPolicy::Pre || !endsBare(last.result) ||
      !(stream.result > kSmallestGrowth * stream.input))
    return;
  Operation *op = context.flat.getOrigin(last.op);
  NormOp like = findNorm(context, stream);
  StreamEnd end = findStreamEnd(context.flat, last.result);
  LintWarning warning{WarningId::NoFinalNorm,
                      op,
                      {{"blocks", std::to_string(stream.blocks.size())},
                       {"moment", formatNumber(stream.result)},
                       {"input", formatNumber(stream.input)}},
                      describeNorm(like, op, end.at)};
  warning.refusal = end.refusal;
  warning.fix = [like, at = end.at](RewriterBase &rewriter) {
    addFinalNorm(rewriter, at, like);
  };
  context.findings.addFault(std::move(warning),
                            end.at ? end.at.getDefiningOp() : op);
  if (end.at)
    context.findings.setEnd(end.at, last.result);
}

/// Sums without a norm and without a factor.
static void checkBareStream(Context &context, const Stream &stream) {
  bool isBare = llvm::all_of(stream.blocks, [](const ResidualBlock &block) {
    return !block.policy && !block.isScaled && block.inputFactor == 1.0 &&
           block.resultFactor == 1.0;
  });
  if (!isBare || !(stream.result > kLargestGrowth * stream.input))
    return;
  Operation *op = context.flat.getOrigin(stream.blocks.back().op);
  LintWarning warning{WarningId::BareStream,
                      op,
                      {{"blocks", std::to_string(stream.blocks.size())},
                       {"moment", formatNumber(stream.result)},
                       {"input", formatNumber(stream.input)}},
                      "attn.residual pre, post or rezero"};
  warning.refusal = "a sum has no policy";
  context.findings.addFault(std::move(warning), op);
}

/// Branches that are to say nothing at the start, and do.
static void checkSilentStart(Context &context, const Stream &stream) {
  for (const ResidualBlock &block : stream.blocks) {
    auto residual = dyn_cast<ResidualOp>(block.op);
    Operation *origin = context.flat.getOrigin(block.op);
    if (!residual || (block.policy != ResidualPolicy::Fixup &&
                      block.policy != ResidualPolicy::ReZero))
      continue;
    bool isFixup = block.policy == ResidualPolicy::Fixup;
    Value source = isFixup ? block.branch : residual.getAlpha();
    double moment = context.getSecondMoment(source).value_or(0.0);
    if (moment < (isFixup ? 1e-12 : kLargestAlpha)) {
      context.findings.addFine(WarningId::LoudStart, origin);
      continue;
    }
    LintWarning warning{
        WarningId::LoudStart,
        origin,
        {{"policy", stringifyResidualPolicy(*block.policy).str()},
         {"part", isFixup ? "branch" : "alpha"},
         {"moment", formatNumber(moment)}},
        isFixup ? "variance(zero) of its last attn.init" : "an alpha of 0"};
    auto last = block.branch.getDefiningOp<LinearOp>();
    InitOp init = isFixup && last ? getOnlyInit(context, last) : InitOp();
    if (!init)
      warning.refusal = isFixup ? "it is not drawn for this layer alone"
                                : "alpha comes from outside";
    warning.fix = [init](RewriterBase &) {
      setVariance(init, VarianceRule::Zero);
    };
    Operation *part = init ? init.getOperation() : origin;
    context.findings.addFault(std::move(warning), part);
  }
}

void checkResiduals(Context &context) {
  for (const Stream &stream : findStreams(context)) {
    checkPostNorm(context, stream);
    checkFinalNorm(context, stream);
    checkBareStream(context, stream);
    checkSilentStart(context, stream);
  }
}

} // namespace attn::lint_checks
