//===- AttentionInterface.cpp - What the attention ops share ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"

using namespace mlir;
using namespace attn;

#include "attn/Dialect/Attn/IR/AttentionInterface.cpp.inc"

std::optional<unsigned> attn::detail::getDimOfRole(AttentionOpInterface op,
                                                   DimRole role) {
  unsigned batchDims = op.getNumBatchDims();
  switch (role) {
  case DimRole::Batch:
    return batchDims == 0 ? std::nullopt : std::optional<unsigned>(0);
  case DimRole::Head:
    return batchDims == 0 ? std::nullopt
                          : std::optional<unsigned>(batchDims - 1);
  case DimRole::Row:
    return op.getRowDim();
  case DimRole::Key:
    return op.getKeyDim();
  case DimRole::HeadDim:
    return op.getHeadDimDim();
  }
  llvm_unreachable("all roles are handled");
}

static unsigned countParams(Attribute policy) {
  return cast<PolicyAttrInterface>(policy).getParamSpecs().size();
}

static unsigned countParams(ArrayRef<Attribute> policies) {
  unsigned count = 0;
  for (Attribute policy : policies)
    count += countParams(policy);
  return count;
}

ParamRange attn::detail::getScaleParams(AttentionOpInterface op) {
  return {0, countParams(op.getScale())};
}

ParamRange attn::detail::getBiasParams(AttentionOpInterface op, unsigned bias) {
  ArrayRef<Attribute> biases = op.getBiases().getValue();
  return {countParams(op.getScale()) + countParams(biases.take_front(bias)),
          countParams(biases[bias])};
}

/// Whatever the other policies leave: only the region has no attribute that
/// says how many params it takes.
ParamRange attn::detail::getRegionParams(AttentionOpInterface op) {
  unsigned first =
      countParams(op.getScale()) + countParams(op.getBiases().getValue());
  unsigned after =
      countParams(op.getMasks().getValue()) + countParams(op.getNormalizer());
  unsigned total = op.getNumScoreParams();
  return {first, total >= first + after ? total - first - after : 0};
}

ParamRange attn::detail::getMaskParams(AttentionOpInterface op, unsigned mask) {
  ArrayRef<Attribute> masks = op.getMasks().getValue();
  ParamRange region = getRegionParams(op);
  return {region.first + region.count + countParams(masks.take_front(mask)),
          countParams(masks[mask])};
}

ParamRange attn::detail::getNormalizerParams(AttentionOpInterface op) {
  ParamRange region = getRegionParams(op);
  return {region.first + region.count + countParams(op.getMasks().getValue()),
          countParams(op.getNormalizer())};
}

SmallVector<Probe> attn::detail::getProbeKinds(AttentionOpInterface op) {
  SmallVector<Probe> kinds;
  if (auto probes = op->getAttrOfType<ArrayAttr>("probes"))
    for (auto probe : probes.getAsRange<ProbeAttr>())
      kinds.push_back(probe.getValue());
  return kinds;
}

SmallVector<Statistic>
attn::detail::getStatisticKinds(AttentionOpInterface op) {
  SmallVector<Probe> probes = getProbeKinds(op);
  SmallVector<Statistic> kinds;
  bool hasKurtosis = llvm::is_contained(probes, Probe::Kurtosis);
  if (hasKurtosis || llvm::is_contained(probes, Probe::SumP2) ||
      llvm::is_contained(probes, Probe::HalfGradientNorm))
    kinds.push_back(Statistic::Squares);
  if (llvm::is_contained(probes, Probe::Entropy))
    kinds.push_back(Statistic::Logs);
  if (llvm::is_contained(probes, Probe::MaxLogit))
    kinds.push_back(Statistic::Top);
  if (hasKurtosis)
    kinds.append({Statistic::Cubes, Statistic::Fourths, Statistic::Gaps,
                  Statistic::Gaps2, Statistic::Gaps3, Statistic::Gaps4});
  return kinds;
}

FloatType attn::detail::getComputeType(AttentionOpInterface op) {
  Type element =
      cast<ShapedType>(op.getShapedInputs()[0].getType()).getElementType();
  MLIRContext *context = op.getContext();
  if (element.isF64())
    return Float64Type::get(context);
  return Float32Type::get(context);
}

bool attn::detail::isScoreLinear(AttentionOpInterface op) {
  if (op.getSoftcapAttr() || !op.getBiases().empty() || op.getScoreBody())
    return false;
  // An additive term is a change of the score like a bias.
  return llvm::none_of(op.getMasks(), [](Attribute mask) {
    return cast<MaskAttrInterface>(mask).isAdditive();
  });
}
