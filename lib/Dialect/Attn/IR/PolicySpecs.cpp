//===- PolicySpecs.cpp - Which params each policy takes ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"

using namespace mlir;
using namespace attn;

using Specs = SmallVector<ParamSpec>;

//===----------------------------------------------------------------------===//
// Scale policies
//===----------------------------------------------------------------------===//

/// The param of `n = position_operand`, which follows the policy's own params.
static void addLengthParam(Specs &specs, LengthAttr n) {
  if (n.getKind() == LengthKind::PositionOperand)
    specs.push_back(
        {"position", ParamElement::Integer, {DimRole::Batch, DimRole::Row}});
}

Specs OperandScaleAttr::getParamSpecs() const {
  return {{"scale",
           ParamElement::Float,
           {DimRole::Batch, DimRole::Head, DimRole::Row},
           DimRole::Head}};
}

Specs LearnedScaleAttr::getParamSpecs() const {
  return {{"scale", ParamElement::Float, {DimRole::Head}}};
}

Specs EntropyInvariantAttr::getParamSpecs() const {
  Specs specs;
  if (!getKappa())
    specs.push_back({"kappa", ParamElement::Float, {DimRole::Head}});
  addLengthParam(specs, getN());
  return specs;
}

Specs LogLengthAttr::getParamSpecs() const {
  Specs specs;
  addLengthParam(specs, getN());
  return specs;
}

Specs GradientMaxFitAttr::getParamSpecs() const {
  Specs specs;
  addLengthParam(specs, getN());
  return specs;
}

Specs GradientMaxAttr::getParamSpecs() const {
  Specs specs;
  addLengthParam(specs, getN());
  return specs;
}

LengthAttr ScalePolicyAttrInterface::getLength() const {
  return llvm::cast_if_present<LengthAttr>(getLengthAttribute());
}

Attribute EntropyInvariantAttr::getLengthAttribute() const { return getN(); }
Attribute LogLengthAttr::getLengthAttribute() const { return getN(); }
Attribute GradientMaxFitAttr::getLengthAttribute() const { return getN(); }
Attribute GradientMaxAttr::getLengthAttribute() const { return getN(); }

bool EntropyInvariantAttr::usesPositions() const {
  return getN().usesPositions();
}
bool LogLengthAttr::usesPositions() const { return getN().usesPositions(); }
bool GradientMaxFitAttr::usesPositions() const {
  return getN().usesPositions();
}
bool GradientMaxAttr::usesPositions() const { return getN().usesPositions(); }

LogicalResult
EntropyInvariantAttr::verifyPolicy(function_ref<InFlightDiagnostic()>, int64_t,
                                   bool) const {
  return success();
}

LogicalResult LogLengthAttr::verifyPolicy(function_ref<InFlightDiagnostic()>,
                                          int64_t, bool) const {
  return success();
}

/// The cosine models hold for scores of l2-normalised rows of a known length.
static LogicalResult
verifyScoreModel(function_ref<InFlightDiagnostic()> emitError, ScoreModel model,
                 int64_t headDim, bool cosine) {
  if (model == ScoreModel::Normal)
    return success();
  if (!cosine)
    return emitError() << "scores = cosine needs similarity(#attn.cosine)";
  if (ShapedType::isDynamic(headDim) || headDim < 2)
    return emitError()
           << "scores = cosine needs a static head dimension of at least 2";
  return success();
}

LogicalResult
GradientMaxFitAttr::verifyPolicy(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t headDim, bool cosine) const {
  return verifyScoreModel(emitError, getScores(), headDim, cosine);
}

LogicalResult
GradientMaxAttr::verifyPolicy(function_ref<InFlightDiagnostic()> emitError,
                              int64_t headDim, bool cosine) const {
  return verifyScoreModel(emitError, getScores(), headDim, cosine);
}

//===----------------------------------------------------------------------===//
// Biases, masks and normalisers
//===----------------------------------------------------------------------===//

static SmallVector<DimRole, 4> allRoles() {
  return {DimRole::Batch, DimRole::Head, DimRole::Row, DimRole::Key};
}

Specs DenseBiasAttr::getParamSpecs() const {
  return {{"bias", ParamElement::Float, allRoles()}};
}

Specs AlibiAttr::getParamSpecs() const {
  if (!getOperandSlopes())
    return {};
  return {{"slopes", ParamElement::Float, {DimRole::Head}}};
}

bool AlibiAttr::usesPositions() const { return true; }
bool CausalAttr::usesPositions() const { return true; }
bool WindowAttr::usesPositions() const { return true; }

Specs KvLengthsAttr::getParamSpecs() const {
  return {{"kv_lengths", ParamElement::Integer, {DimRole::Batch}}};
}

Specs SegmentIdsAttr::getParamSpecs() const {
  return {{"query segment ids",
           ParamElement::Integer,
           {DimRole::Batch, DimRole::Row}},
          {"key segment ids",
           ParamElement::Integer,
           {DimRole::Batch, DimRole::Key}}};
}

Specs DenseMaskAttr::getParamSpecs() const {
  return {{"mask", ParamElement::Boolean, allRoles()}};
}

Specs AdditiveMaskAttr::getParamSpecs() const {
  return {{"mask", ParamElement::Float, allRoles()}};
}

Specs SinkAttr::getParamSpecs() const {
  return {{"sink", ParamElement::Float, {DimRole::Head}}};
}

bool CausalAttr::isRange() const { return true; }
bool WindowAttr::isRange() const { return true; }
bool KvLengthsAttr::isRange() const { return true; }
bool WindowAttr::hidesEarlyKeys() const { return getLeft() != -1; }

bool SoftmaxNormAttr::isPlain() const { return true; }
bool SoftmaxNAttr::isPlain() const { return getCount() == 0.0; }
