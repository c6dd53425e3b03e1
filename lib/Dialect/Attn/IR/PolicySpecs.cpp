//===- PolicySpecs.cpp - Which params each policy takes ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

#include "mlir/IR/AttrTypeSubElements.h"

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

ScalePolicyAttrInterface attn::withLength(ScalePolicyAttrInterface scale,
                                          LengthKind kind) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](LengthAttr length) -> Attribute {
    return LengthAttr::get(length.getContext(), kind, 0);
  });
  return cast<ScalePolicyAttrInterface>(replacer.replace(Attribute(scale)));
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
// Biases and normalisers
//===----------------------------------------------------------------------===//

Specs DenseBiasAttr::getParamSpecs() const {
  return {{"bias",
           ParamElement::Float,
           {DimRole::Batch, DimRole::Head, DimRole::Row, DimRole::Key}}};
}

Specs AlibiAttr::getParamSpecs() const {
  if (!getOperandSlopes())
    return {};
  return {{"slopes", ParamElement::Float, {DimRole::Head}}};
}

bool AlibiAttr::usesPositions() const { return true; }

Specs SinkAttr::getParamSpecs() const {
  return {{"sink", ParamElement::Float, {DimRole::Head}}};
}

//===----------------------------------------------------------------------===//
// All policies of an op
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<ParamSpec>>
attn::collectParamSpecs(Attribute scale, ArrayAttr biases, ArrayAttr masks,
                        Attribute normalizer, RowChangeLists loads,
                        unsigned numParams, bool hasRegion,
                        function_ref<InFlightDiagnostic()> emitError) {
  SmallVector<ParamSpec> before, after;
  auto add = [&](SmallVector<ParamSpec> &list, Attribute policy) {
    auto typed = dyn_cast_or_null<PolicyAttrInterface>(policy);
    if (!typed)
      return failure();
    llvm::append_range(list, typed.getParamSpecs());
    return success();
  };
  bool known = succeeded(add(before, scale)) && biases && masks;
  for (Attribute bias : biases ? biases.getValue() : ArrayRef<Attribute>())
    known &= succeeded(add(before, bias));
  for (Attribute mask : masks ? masks.getValue() : ArrayRef<Attribute>())
    known &= succeeded(add(after, mask));
  known &= succeeded(add(after, normalizer));
  if (!known)
    return emitError() << "scale, bias, masks and softmax must be policies of "
                          "the attn dialect";
  for (auto [changes, rows] : {std::pair(loads.query, LoadedRows::Query),
                               std::pair(loads.key, LoadedRows::Key)})
    for (Attribute change :
         changes ? changes.getValue() : ArrayRef<Attribute>()) {
      if (!isa<RowChangeAttrInterface>(change))
        return emitError() << "loaded rows are changed by #attn.row_norm and "
                              "#attn.rotate, not by "
                           << change;
      llvm::append_range(after, getRowChangeSpecs(change, rows));
    }

  // Only a region can take params that no attribute announces.
  unsigned fixed = before.size() + after.size();
  if (hasRegion)
    for (unsigned i = fixed; i < numParams; ++i)
      before.push_back(
          {"score param",
           ParamElement::Float,
           {DimRole::Batch, DimRole::Head, DimRole::Row, DimRole::Key},
           /*rankOne=*/DimRole::Head});
  llvm::append_range(before, after);
  return before;
}
