//===- NormOps.cpp - What attn.norm means to other code -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockOpHelpers.h"

#include "attn/Dialect/Attn/IR/Attn.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Readings of the attributes
//===----------------------------------------------------------------------===//

NormKindTraits attn::getTraits(NormKind kind) {
  // isCentred, usesMean, isOfRow, keepsStatistics, affine
  using Traits = NormKindTraits;
  switch (kind) {
  case NormKind::Layer:
    return {true, true, true, false, Traits::Axes};
  case NormKind::Rms:
    return {false, true, true, false, Traits::Axes};
  case NormKind::L2:
    return {false, false, true, false, Traits::Axes};
  case NormKind::Instance:
  case NormKind::Group:
    return {true, true, false, false, Traits::Stated};
  case NormKind::Batch:
    return {true, true, false, true, Traits::Kept};
  }
  llvm_unreachable("all kinds are handled");
}

std::optional<NormKind> attn::findRowNorm(bool isCentred, bool usesMean) {
  for (uint32_t i = 0; i <= getMaxEnumValForNormKind(); ++i)
    if (std::optional<NormKind> kind = symbolizeNormKind(i)) {
      NormKindTraits traits = getTraits(*kind);
      if (traits.isOfRow && traits.isCentred == isCentred &&
          traits.usesMean == usesMean)
        return kind;
    }
  return std::nullopt;
}

void NormOp::build(OpBuilder &builder, OperationState &state, Value input,
                   Value gamma, Value beta, Value output, NormKind kind,
                   ArrayRef<int64_t> axes, double eps, EpsMode epsMode) {
  build(builder, state, TypeRange(output.getType()), input,
        /*residual=*/Value(), /*factor=*/Value(), gamma, beta, /*mean=*/Value(),
        /*variance=*/Value(), output, /*sum=*/Value(), /*running_mean=*/Value(),
        /*running_variance=*/Value(),
        NormKindAttr::get(builder.getContext(), kind), /*centered=*/BoolAttr(),
        builder.getDenseI64ArrayAttr(axes),
        /*affine_axes=*/DenseI64ArrayAttr(), builder.getF64FloatAttr(eps),
        EpsModeAttr::get(builder.getContext(), epsMode),
        /*momentum=*/FloatAttr(), /*unbiased=*/UnitAttr(),
        /*schedule=*/NormScheduleAttr());
}

bool NormOp::isCentered() {
  return getCentered().value_or(getTraits(getKind()).isCentred);
}

bool NormOp::usesMean() { return getTraits(getKind()).usesMean; }

SmallVector<int64_t> NormOp::getKeptDims() {
  SmallVector<int64_t> dims;
  for (int64_t dim = 0, rank = getRank(); dim < rank; ++dim)
    if (!isNormalised(dim))
      dims.push_back(dim);
  return dims;
}

/// What `affine_axes` is when it is not stated.
static SmallVector<int64_t> getCustomaryAffineDims(NormOp op) {
  switch (getTraits(op.getKind()).affine) {
  case NormKindTraits::Axes:
    return llvm::to_vector(op.getAxes());
  case NormKindTraits::Kept:
    return op.getKeptDims();
  case NormKindTraits::Stated:
    return {};
  }
  llvm_unreachable("all kinds are handled");
}

SmallVector<int64_t> NormOp::getAffineDims() {
  if (std::optional<ArrayRef<int64_t>> stated = getAffineAxes())
    return llvm::to_vector(*stated);
  return getCustomaryAffineDims(*this);
}

SmallVector<int64_t> NormOp::getOperandDims(OpOperand &operand) {
  unsigned index = operand.getOperandNumber();
  auto isOne = [&](unsigned group) {
    auto [first, count] = getODSOperandIndexAndLength(group);
    return count == 1 && first == index;
  };
  // The groups in the order of the definition.
  enum { Input, Residual, Factor, Gamma, Beta, Mean, Variance, Output, Sum };
  if (isOne(Factor))
    return {};
  if (isOne(Gamma) || isOne(Beta))
    return getAffineDims();
  if (isOne(Input) || isOne(Residual) || isOne(Output) || isOne(Sum))
    return llvm::to_vector(llvm::seq<int64_t>(0, getRank()));
  return getKeptDims();
}

FloatType NormOp::getComputeType() {
  // The factor of a residual has this type itself.
  bool isWide = llvm::any_of(getOperandTypes(), [](Type type) {
    return isa<ShapedType>(type) && getElementTypeOrSelf(type).isF64();
  });
  Builder builder(getContext());
  return isWide ? builder.getF64Type() : builder.getF32Type();
}

//===----------------------------------------------------------------------===//
// Destinations, effects, shapes
//===----------------------------------------------------------------------===//

/// The last operands are the destinations.
static unsigned getFirstOutput(NormOp op) {
  return op.getOutputMutable().getOperandNumber();
}

MutableOperandRange NormOp::getDpsInitsMutable() {
  unsigned first = getFirstOutput(*this);
  return MutableOperandRange(getOperation(), first, getNumOperands() - first);
}

/// Running statistics are a mean of what they were and of the batch's.
bool NormOp::readsDestination(OpOperand &destination) {
  return destination.get() == getRunningMean() ||
         destination.get() == getRunningVariance();
}

Operation::operand_range NormOp::getShapedOutputs() {
  return getOperation()->getOperands().drop_front(getFirstOutput(*this));
}

void NormOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  unsigned firstOutput = getFirstOutput(*this);
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool isOutput = operand.getOperandNumber() >= firstOutput;
    bool isRunning = isOutput && (operand.get() == getRunningMean() ||
                                  operand.get() == getRunningVariance());
    if (!isOutput || isRunning)
      effects.emplace_back(MemoryEffects::Read::get(), &operand, 0, true,
                           SideEffects::DefaultResource::get());
    if (isOutput)
      effects.emplace_back(MemoryEffects::Write::get(), &operand, 0, true,
                           SideEffects::DefaultResource::get());
  }
}

LogicalResult NormOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifyDestinationShapes(*this, builder, shapes);
}

//===----------------------------------------------------------------------===//
// Canonical forms
//===----------------------------------------------------------------------===//

namespace {

/// A layer norm that is not centred is an rms norm, and the other way round.
/// What an attribute says that the kind says anyway is dropped.
struct NameByCustom : OpRewritePattern<NormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(NormOp op,
                                PatternRewriter &rewriter) const override {
    NormKind kind = op.getKind();
    if (op.getCentered() && getTraits(kind).isOfRow)
      kind = findRowNorm(*op.getCentered(), op.usesMean()).value_or(kind);
    bool dropsCentred =
        op.getCentered() && getTraits(kind).isCentred == *op.getCentered();
    bool dropsAxes =
        op.getAffineAxes() &&
        ((!op.getGamma() && !op.getBeta()) ||
         (getTraits(kind).affine != NormKindTraits::Stated &&
          ArrayRef(getCustomaryAffineDims(op)) == *op.getAffineAxes()));
    if (!dropsCentred && !dropsAxes)
      return rewriter.notifyMatchFailure(op, "says nothing twice");
    rewriter.modifyOpInPlace(op, [&] {
      op.setKindAttr(NormKindAttr::get(op.getContext(), kind));
      if (dropsCentred)
        op.removeCenteredAttr();
      if (dropsAxes)
        op.removeAffineAxesAttr();
    });
    return success();
  }
};

bool isSplatOf(Value value, double number) {
  DenseFPElementsAttr constant;
  return value && matchPattern(value, m_Constant(&constant)) &&
         constant.isSplat() &&
         constant.getSplatValue<APFloat>().isExactlyValue(number);
}

/// gamma of ones and beta of zeros.
struct DropNeutralAffine : OpRewritePattern<NormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(NormOp op,
                                PatternRewriter &rewriter) const override {
    bool dropsGamma = isSplatOf(op.getGamma(), 1.0);
    bool dropsBeta = isSplatOf(op.getBeta(), 0.0);
    if (!dropsGamma && !dropsBeta)
      return rewriter.notifyMatchFailure(op, "gamma and beta matter");
    rewriter.modifyOpInPlace(op, [&] {
      if (dropsGamma)
        op.getGammaMutable().clear();
      if (dropsBeta)
        op.getBetaMutable().clear();
    });
    return success();
  }
};

} // namespace

void NormOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<NameByCustom, DropNeutralAffine>(context);
}
