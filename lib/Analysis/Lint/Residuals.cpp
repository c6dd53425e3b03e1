//===- Residuals.cpp - Streams of residual blocks -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "attn/Analysis/Report.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;

namespace attn::lint_checks {

/// A stream that grew by less has no branch that says anything.
static constexpr double kSmallestGrowth = 1.5;
/// Less of the second moment than this is a decayed input.
static constexpr double kSmallestShare = 1.0 / 16.0;

/// Whether the stream goes to a linear layer or out of the function without a
/// norm.
static bool endsBare(Value result) {
  bool bare = false;
  for (Operation *reader : getReaders(result)) {
    if (isa<NormOp, ResidualOp>(reader))
      return false;
    bare |= isa<LinearOp, func::ReturnOp>(reader);
  }
  return bare;
}

/// The kind of norm the blocks have; without one that is known, an RMS norm.
static NormOp findNorm(ResidualOp op) {
  NormOp found;
  op.getNorm().walk([&](NormOp norm) {
    // Statistics of a batch or given ones need operands of their own.
    if (norm.getKind() == NormKind::Layer || norm.getKind() == NormKind::Rms)
      found = norm;
  });
  return found;
}

static std::string describeNorm(ResidualOp op) {
  NormOp norm = findNorm(op);
  bool layer = norm && norm.getKind() == NormKind::Layer;
  return std::string("attn.norm ") + (layer ? "layer" : "rms");
}

/// Puts a norm without gamma and beta, like those of the blocks, behind `op`.
static void addFinalNorm(RewriterBase &rewriter, ResidualOp op) {
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  Value stream = op.getResult();
  auto type = cast<RankedTensorType>(stream.getType());
  NormOp like = findNorm(op);
  rewriter.setInsertionPointAfter(op);
  Value init = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, stream),
      type.getElementType());
  auto norm = NormOp::create(
      rewriter, loc, TypeRange(type), stream, /*residual=*/Value(),
      /*gamma=*/Value(), /*beta=*/Value(), /*mean=*/Value(),
      /*variance=*/Value(), init, /*sum=*/Value(), /*running_mean=*/Value(),
      /*running_variance=*/Value(),
      like ? like.getKindAttr() : NormKindAttr::get(context, NormKind::Rms),
      like ? like.getCenteredAttr() : BoolAttr(),
      like ? like.getAxesAttr()
           : rewriter.getDenseI64ArrayAttr({type.getRank() - 1}),
      /*affine_axes=*/DenseI64ArrayAttr(),
      like ? like.getEpsAttr() : rewriter.getF64FloatAttr(1e-5),
      like ? like.getEpsModeAttr()
           : EpsModeAttr::get(context, EpsMode::RsqrtSum),
      /*momentum=*/FloatAttr(), /*unbiased=*/UnitAttr(),
      /*schedule=*/NormScheduleAttr());
  rewriter.replaceUsesWithIf(
      stream, norm.getResults().front(), [&](OpOperand &use) {
        Operation *reader = use.getOwner();
        return reader != norm && !isa<tensor::DimOp>(reader);
      });
}

namespace {
/// The blocks of one stream in their order.
using Stream = SmallVector<ResidualMoments>;
} // namespace

static void checkPostNorm(Context &context, const Stream &stream) {
  const ResidualMoments &last = stream.back();
  double share = last.shares.front();
  auto isPost = [](const ResidualMoments &block) {
    ResidualOp op = block.op;
    return op.getPolicy() == ResidualPolicy::Post;
  };
  if (!llvm::all_of(stream, isPost) || share >= kSmallestShare)
    return;
  SmallVector<ResidualOp> blocks;
  for (const ResidualMoments &block : stream)
    blocks.push_back(block.op);
  auto fix = [blocks](RewriterBase &rewriter) mutable {
    for (ResidualOp block : blocks)
      block.setPolicy(ResidualPolicy::Pre);
    addFinalNorm(rewriter, blocks.back());
  };
  context.warnings.push_back({WarningId::PostNormDecay,
                              last.op,
                              {{"blocks", std::to_string(stream.size())},
                               {"share", formatNumber(share)},
                               {"weight", formatNumber(std::sqrt(share))}},
                              "pre for post in its blocks, and " +
                                  describeNorm(last.op) + " behind the last",
                              fix});
}

static void checkFinalNorm(Context &context, const Stream &stream) {
  const ResidualMoments &last = stream.back();
  ResidualOp op = last.op;
  double input = stream.front().inputSecondMoment;
  if (op.getPolicy() != ResidualPolicy::Pre || !endsBare(op.getResult()) ||
      !(last.resultSecondMoment > kSmallestGrowth * input))
    return;
  context.warnings.push_back(
      {WarningId::NoFinalNorm,
       op,
       {{"blocks", std::to_string(stream.size())},
        {"moment", formatNumber(last.resultSecondMoment)},
        {"input", formatNumber(input)}},
       describeNorm(op) + " behind it",
       [op](RewriterBase &rewriter) { addFinalNorm(rewriter, op); }});
}

void checkResiduals(Context &context) {
  SmallVector<Stream> streams;
  for (const ResidualMoments &block : context.moments.getResiduals()) {
    streams.resize(std::max<size_t>(streams.size(), block.stream + 1));
    streams[block.stream].push_back(block);
  }
  for (Stream &stream : streams) {
    if (stream.empty())
      continue;
    checkPostNorm(context, stream);
    checkFinalNorm(context, stream);
  }
}

} // namespace attn::lint_checks
