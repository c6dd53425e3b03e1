//===- RowChanges.cpp - Norm and rotation of rows that are loaded ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Params
//===----------------------------------------------------------------------===//

SmallVector<ParamSpec> RowNormAttr::getParamSpecs() const {
  SmallVector<ParamSpec> specs;
  auto add = [&](StringRef name) {
    specs.push_back(
        {name, ParamElement::Float, {DimRole::Head, DimRole::HeadDim}});
  };
  if (getGamma())
    add("gamma");
  if (getBeta())
    add("beta");
  return specs;
}

SmallVector<ParamSpec> RotateAttr::getParamSpecs() const {
  return {{"sines and cosines",
           ParamElement::Float,
           {DimRole::Batch, DimRole::Row, DimRole::HeadDim}}};
}

SmallVector<ParamSpec> attn::getRowChangeSpecs(Attribute change,
                                               LoadedRows rows) {
  SmallVector<ParamSpec> specs =
      cast<PolicyAttrInterface>(change).getParamSpecs();
  if (rows == LoadedRows::Key)
    for (ParamSpec &spec : specs)
      llvm::replace(spec.dims, DimRole::Row, DimRole::Key);
  return specs;
}

ArrayRef<Attribute> attn::detail::getRowChanges(AttentionOpInterface op,
                                                LoadedRows rows) {
  auto changes = op->getAttrOfType<ArrayAttr>(getRowChangesName(rows));
  return changes ? changes.getValue() : ArrayRef<Attribute>();
}

static unsigned countParams(ArrayRef<Attribute> changes) {
  unsigned count = 0;
  for (Attribute change : changes)
    count += cast<PolicyAttrInterface>(change).getParamSpecs().size();
  return count;
}

unsigned attn::detail::getNumScoreParams(AttentionOpInterface op) {
  unsigned loads = 0;
  for (LoadedRows rows : {LoadedRows::Query, LoadedRows::Key})
    loads += countParams(getRowChanges(op, rows));
  unsigned total = op.getParams().size();
  return total >= loads ? total - loads : 0;
}

ParamRange attn::detail::getRowChangeParams(AttentionOpInterface op,
                                            LoadedRows rows, unsigned change) {
  ArrayRef<Attribute> changes = getRowChanges(op, rows);
  unsigned first = getNumScoreParams(op);
  if (rows == LoadedRows::Key)
    first += countParams(getRowChanges(op, LoadedRows::Query));
  return {first + countParams(changes.take_front(change)),
          countParams(changes[change])};
}

/// A row is loaded once for all problem indices that its operand does not have,
/// so its params must not have them either. A tile has one index of them.
static LogicalResult
verifyParamMaps(AttentionOpInterface op, LoadedRows rows, unsigned change,
                function_ref<InFlightDiagnostic()> emitError) {
  ArrayRef<AffineExpr> known =
      op.getInputMap(rows == LoadedRows::Query ? 0 : 1).getResults();
  ParamRange params = op.getRowChangeParams(rows, change);
  for (unsigned i = 0; i < params.count; ++i) {
    AffineMap map = op.getParamMap(params.first + i);
    for (AffineExpr expr : map.getResults())
      if (!isa<AffineConstantExpr>(expr) && !llvm::is_contained(known, expr))
        return emitError() << "a param of loaded rows is indexed as the rows "
                              "are, found "
                           << AffineMapAttr::get(map);
  }
  return success();
}

LogicalResult
attn::verifyRowChanges(AttentionOpInterface op, int64_t headDim,
                       function_ref<InFlightDiagnostic()> emitError) {
  for (LoadedRows rows : {LoadedRows::Query, LoadedRows::Key}) {
    StringRef name = getRowChangesName(rows);
    auto changes = op->getAttrOfType<ArrayAttr>(name);
    if (changes && changes.empty())
      return emitError() << "without changes of rows there is no " << name;
    for (auto [i, change] : llvm::enumerate(op.getRowChanges(rows)))
      if (failed(cast<PolicyAttrInterface>(change).verifyPolicy(
              emitError, headDim, op.isCosine())) ||
          (op.getOrigin().empty() &&
           failed(verifyParamMaps(op, rows, i, emitError))))
        return failure();
  }
  if (op->hasAttr("packed") && !op.getRowChanges(LoadedRows::Query).empty())
    return emitError() << "a packed query is changed already";
  return success();
}

//===----------------------------------------------------------------------===//
// Parameters and text form
//===----------------------------------------------------------------------===//

RowNormAttr RowChangeAttrInterface::getNorm() const {
  return dyn_cast<RowNormAttr>(*this);
}

RotateAttr RowChangeAttrInterface::getRotation() const {
  return dyn_cast<RotateAttr>(*this);
}

LogicalResult RowNormAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  NormKind kind, Double eps, EpsMode mode,
                                  bool gamma, bool beta) {
  if (!getTraits(kind).isOfRow)
    return emitError() << "a row norm is layer, rms or l2, not "
                       << stringifyNormKind(kind);
  if (!(eps >= 0.0))
    return emitError() << "eps must not be negative, got " << double(eps);
  return success();
}

LogicalResult RotateAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 PairLayout pairs, int64_t dims) {
  if (dims < 0 || dims % 2 != 0)
    return emitError() << "dims counts the elements of whole pairs, got "
                       << dims;
  return success();
}

LogicalResult
RotateAttr::verifyPolicy(function_ref<InFlightDiagnostic()> emitError,
                         int64_t headDim, bool) const {
  if (!ShapedType::isDynamic(headDim) && getDims() > headDim)
    return emitError() << "a rotation of " << getDims()
                       << " elements of rows of " << headDim;
  return success();
}

/// `, mode = max_norm`, `, gamma` and `, beta`, each where it applies.
ParseResult attn::parseRowNormOptions(AsmParser &parser, EpsMode &mode,
                                      bool &gamma, bool &beta) {
  mode = EpsMode::RsqrtSum;
  gamma = beta = false;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    if (word == "gamma" || word == "beta") {
      (word == "gamma" ? gamma : beta) = true;
      continue;
    }
    if (word != "mode")
      return parser.emitError(loc, "expected mode, gamma or beta");
    StringRef value;
    if (parser.parseEqual() || parser.parseKeyword(&value))
      return failure();
    std::optional<EpsMode> parsed = symbolizeEpsMode(value);
    if (!parsed)
      return parser.emitError(loc, "expected rsqrt_sum or max_norm");
    mode = *parsed;
  }
  return success();
}

void attn::printRowNormOptions(AsmPrinter &printer, EpsMode mode, bool gamma,
                               bool beta) {
  if (mode != EpsMode::RsqrtSum)
    printer << ", mode = " << stringifyEpsMode(mode);
  if (gamma)
    printer << ", gamma";
  if (beta)
    printer << ", beta";
}
