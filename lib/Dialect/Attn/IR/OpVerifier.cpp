//===- OpVerifier.cpp - Constraints of the attention ops, labelled as in
// docs/Spec.md ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

#include "attn/Dialect/Attn/IR/ScheduleLimits.h"
#include "attn/Support/Sizes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace attn;

namespace {

/// Checks one op; each method is one labelled constraint.
class OpVerifier {
public:
  explicit OpVerifier(AttentionOpInterface op) : op(op) {}

  LogicalResult verify();

private:
  LogicalResult verifyShaped();  // attention_c1
  LogicalResult verifyMaps();    // attention_c2, attention_c3
  LogicalResult verifyExtents(); // attention_c4
  LogicalResult reportExtent(unsigned dim, unsigned operand, int64_t size,
                             unsigned first, int64_t firstSize);
  LogicalResult verifyRoles();    // attention_c5
  LogicalResult verifyElements(); // attention_c6
  LogicalResult verifyParams();   // attention_c7, attention_c8, attention_c16
  LogicalResult verifyPolicies(); // attention_c9 .. c11, attention_c16
  LogicalResult verifyRegion();   // attention_c12
  LogicalResult verifyTile();     // attention_c13
  LogicalResult verifyResults();  // attention_c14
  LogicalResult verifyProbes();   // attention_c15
  LogicalResult verifySchedule(); // attention_c17

  InFlightDiagnostic error(StringRef label) {
    return op->emitOpError() << label << ": ";
  }
  /// All operands that have an indexing map.
  SmallVector<Value> getMapped() {
    SmallVector<Value> values(op.getShapedInputs());
    llvm::append_range(values, op.getParams());
    llvm::append_range(values, op.getShapedOutputs());
    return values;
  }

  AttentionOpInterface op;
};

} // namespace

LogicalResult OpVerifier::verifyShaped() {
  bool tensors = isa<RankedTensorType>(op.getShapedInputs()[0].getType());
  SmallVector<Value> values(op.getShapedInputs());
  llvm::append_range(values, op.getShapedOutputs());
  for (Value value : values) {
    auto type = dyn_cast<ShapedType>(value.getType());
    if (!type || !type.hasRank() || !isa<FloatType>(type.getElementType()) ||
        isa<RankedTensorType>(type) != tensors)
      return error("attention_c1")
             << "inputs and outputs must all be ranked tensors or all memrefs "
                "of floats, found "
             << value.getType();
  }
  for (Value param : op.getParams()) {
    auto type = dyn_cast<ShapedType>(param.getType());
    if (type && (!type.hasRank() || isa<RankedTensorType>(type) != tensors))
      return error("attention_c1")
             << "params must be ranked " << (tensors ? "tensors" : "memrefs")
             << " or scalars, found " << type;
  }
  return success();
}

/// dimension, dimension floordiv positive 32-bit constant, or 0.
static bool isLegalIndex(AffineExpr expr) {
  if (isa<AffineDimExpr>(expr))
    return true;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() == 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || binary.getKind() != AffineExprKind::FloorDiv)
    return false;
  auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return isa<AffineDimExpr>(binary.getLHS()) && divisor &&
         divisor.getValue() > 0 && divisor.getValue() <= kMostIndices;
}

LogicalResult OpVerifier::verifyMaps() {
  SmallVector<Value> values = getMapped();
  SmallVector<AffineMap> maps = op.getMaps();
  if (maps.size() != values.size())
    return error("attention_c2")
           << "expected one indexing map per input, param and output ("
           << values.size() << "), found " << maps.size();
  for (auto [value, map] : llvm::zip_equal(values, maps)) {
    auto type = dyn_cast<ShapedType>(value.getType());
    unsigned rank = type ? type.getRank() : 0;
    if (map.getNumSymbols() != 0 || map.getNumDims() < 4 ||
        map.getNumDims() != maps[0].getNumDims())
      return error("attention_c2")
             << "maps must have the same dimensions (batch..., m, n, d, dv) "
                "and no symbols, found "
             << AffineMapAttr::get(map);
    if (map.getNumResults() != rank)
      return error("attention_c2")
             << "map " << AffineMapAttr::get(map) << " has "
             << map.getNumResults() << " results for " << value.getType();
    if (!llvm::all_of(map.getResults(), isLegalIndex))
      return error("attention_c3")
             << "a map result must be a dimension, a dimension floordiv a "
                "constant, or 0; found "
             << AffineMapAttr::get(map);
  }
  return success();
}

LogicalResult OpVerifier::verifyExtents() {
  // The size of each dimension, and the operand that it was found in first.
  struct Extent {
    int64_t size = ShapedType::kDynamic;
    unsigned operand = 0;
  };
  SmallVector<Extent> extents(op.getNumDims());
  for (auto [i, value, map] : llvm::enumerate(getMapped(), op.getMaps())) {
    auto type = dyn_cast<ShapedType>(value.getType());
    if (!type)
      continue;
    for (auto [expr, size] :
         llvm::zip_equal(map.getResults(), type.getShape())) {
      if (ShapedType::isDynamic(size))
        continue;
      if (isa<AffineConstantExpr>(expr)) {
        if (size != 1)
          return error("attention_c4")
                 << "a dimension indexed by 0 must have size 1, found " << type;
        continue;
      }
      auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
      int64_t factor =
          binary ? cast<AffineConstantExpr>(binary.getRHS()).getValue() : 1;
      unsigned dim =
          cast<AffineDimExpr>(binary ? binary.getLHS() : expr).getPosition();
      // A tile may hold fewer heads than a group has, and its packed query and
      // state have room for more rows than it may have.
      bool tile = !op.getOrigin().empty();
      if (tile && (binary || dim == op.getRowDim()))
        continue;
      Extent &extent = extents[dim];
      int64_t whole = multiplySaturating(size, factor);
      if (ShapedType::isDynamic(extent.size))
        extent = {whole, static_cast<unsigned>(i)};
      else if (extent.size != whole)
        return reportExtent(dim, i, whole, extent.operand, extent.size);
    }
  }
  return success();
}

LogicalResult OpVerifier::reportExtent(unsigned dim, unsigned operand,
                                       int64_t size, unsigned first,
                                       int64_t firstSize) {
  SmallVector<ParamSpec> specs;
  for (Attribute policy : getPolicies(op->getAttrDictionary()))
    if (auto typed = dyn_cast_or_null<PolicyAttrInterface>(policy))
      llvm::append_range(specs, typed.getParamSpecs());
  // The params of a region stand among the others, without names.
  if (op.getScoreBody())
    specs.clear();
  return error("attention_c4")
         << getDimName(op, dim) << " of " << getOperandName(op, operand, specs)
         << " is " << size << ", of " << getOperandName(op, first, specs) << " "
         << firstSize;
}

LogicalResult OpVerifier::verifyRoles() {
  unsigned m = op.getRowDim(), n = op.getKeyDim(), d = op.getHeadDimDim(),
           dv = op.getValueDim();
  auto check = [&](AffineMap map, StringRef name,
                   ArrayRef<unsigned> needed) -> LogicalResult {
    for (unsigned dim : {m, n, d, dv}) {
      unsigned uses = llvm::count_if(map.getResults(), [&](AffineExpr expr) {
        return expr.isFunctionOfDim(dim);
      });
      unsigned wanted = llvm::is_contained(needed, dim) ? 1 : 0;
      if (uses != wanted)
        return error("attention_c5")
               << name << " map " << AffineMapAttr::get(map)
               << " must index dimension d" << dim << " " << wanted << " times";
    }
    return success();
  };
  Operation *raw = op.getOperation();
  if (isa<PackQueryOp>(raw))
    return success(succeeded(check(op.getInputMap(0), "query", {m, d})) &&
                   succeeded(check(op.getOutputMap(0), "output", {m, d})) &&
                   succeeded(check(op.getOutputMap(1), "row output", {m})));
  if (isa<FinalizeOp>(raw)) {
    // States of several ranges of keys lie along n.
    SmallVector<unsigned> acc = {m, dv}, row = {m};
    if (op.getInputMap(0).isFunctionOfDim(n)) {
      acc.push_back(n);
      row.push_back(n);
    }
    if (failed(check(op.getInputMap(0), "acc", acc)) ||
        failed(check(op.getInputMap(1), "max", row)) ||
        failed(check(op.getInputMap(2), "sum", row)))
      return failure();
    for (unsigned i = 3, e = op.getShapedInputs().size(); i < e; ++i)
      if (failed(check(op.getInputMap(i), "statistic", row)))
        return failure();
  } else if (failed(check(op.getInputMap(0), "query", {m, d})) ||
             failed(check(op.getInputMap(1), "key", {n, d})) ||
             failed(check(op.getInputMap(2), "value", {n, dv}))) {
    return failure();
  }
  for (unsigned i = 0, e = op.getShapedOutputs().size(); i < e; ++i)
    if (failed(i == 0 ? check(op.getOutputMap(i), "output", {m, dv})
                      : check(op.getOutputMap(i), "row output", {m})))
      return failure();
  return success();
}

LogicalResult OpVerifier::verifyElements() {
  auto element = [](Value value) {
    return cast<ShapedType>(value.getType()).getElementType();
  };
  auto outputs = op.getShapedOutputs();
  auto inputs = op.getShapedInputs();
  Type compute = op.getComputeType();
  unsigned probes = op.getProbeKinds().size();
  unsigned statistics = op.getStatisticKinds().size();
  if (isa<AttentionOp>(op.getOperation())) {
    if (outputs.size() < 1 + probes || outputs.size() > 2 + probes)
      return error("attention_c6") << "expected the outputs o and, optionally, "
                                      "lse, and one per probe; found "
                                   << outputs.size();
    for (Value value : {inputs[1], inputs[2], outputs[0]})
      if (element(value) != element(inputs[0]))
        return error("attention_c6")
               << "query, key, value and o must have one element type, found "
               << element(inputs[0]) << " and " << element(value);
    for (Value value : outputs.drop_front())
      if (element(value) != compute)
        return error("attention_c6") << "lse and probes must be of " << compute;
    return success();
  }
  unsigned expected = isa<OnlineAttentionOp>(op.getOperation()) ? 3 + statistics
                      : isa<PackQueryOp>(op.getOperation())     ? 2
                                                                : 0;
  if (expected ? outputs.size() != expected
               : outputs.size() < 1 + probes || outputs.size() > 2 + probes)
    return error("attention_c6") << "wrong number of outputs";
  if (expected == 0 && inputs.size() != 3 + statistics)
    return error("attention_c6") << "the probes take " << statistics
                                 << " statistics, found " << inputs.size() - 3;
  if (expected != 0)
    for (Value value : outputs)
      if (element(value) != compute)
        return error("attention_c6")
               << "states, packed queries and their scales must be of "
               << compute;
  return success();
}

static bool hasElement(Type type, ParamElement kind) {
  Type element = getElementTypeOrSelf(type);
  switch (kind) {
  case ParamElement::Float:
    return isa<FloatType>(element);
  case ParamElement::Integer:
    return isa<IndexType>(element) ||
           (isa<IntegerType>(element) && !element.isInteger(1));
  case ParamElement::Boolean:
    return element.isInteger(1) || element.isInteger(8);
  }
  llvm_unreachable("all kinds are handled");
}

LogicalResult OpVerifier::verifyParams() {
  auto emitError = [&] { return op->emitOpError(); };
  FailureOr<SmallVector<ParamSpec>> specs =
      collectParamSpecs(op->getAttrDictionary(), op.getParams().size(),
                        op.getScoreBody() != nullptr, emitError);
  if (failed(specs))
    return failure();
  if (op.getParams().size() != specs->size())
    return error("attention_c7") << describeParams(
               getPolicies(op->getAttrDictionary()), op.getParams().size());
  ParamRange region = op.getRegionParams();
  for (auto [i, spec] : llvm::enumerate(*specs)) {
    Type type = op.getParams()[i].getType();
    bool isOfRegion = i >= region.first && i - region.first < region.count;
    if (isOfRegion && getElementTypeOrSelf(type).isInteger(1))
      spec.element = ParamElement::Boolean;
    if (!hasElement(type, spec.element))
      return error("attention_c8")
             << "param '" << spec.name << "' must hold "
             << (spec.element == ParamElement::Float     ? "floats"
                 : spec.element == ParamElement::Integer ? "integers"
                                                         : "booleans")
             << ", found " << type;
    AffineMap map = op.getParamMap(i);
    bool row = llvm::is_contained(spec.dims, DimRole::Row);
    bool key = llvm::is_contained(spec.dims, DimRole::Key);
    bool headDim = llvm::is_contained(spec.dims, DimRole::HeadDim);
    if (headDim && !llvm::is_contained(
                       map.getResults(),
                       getAffineDimExpr(op.getHeadDimDim(), op.getContext())))
      return error("attention_c16")
             << "param '" << spec.name << "' must vary with the head dimension";
    bool illegal = (!headDim && map.isFunctionOfDim(op.getHeadDimDim())) ||
                   map.isFunctionOfDim(op.getValueDim()) ||
                   (!row && map.isFunctionOfDim(op.getRowDim())) ||
                   (!key && map.isFunctionOfDim(op.getKeyDim()));
    if (illegal)
      return error("attention_c8")
             << "param '" << spec.name << "' must not vary as its map "
             << AffineMapAttr::get(map) << " says";
  }
  return success();
}

LogicalResult OpVerifier::verifyPolicies() {
  bool positions = op.getScale().usesPositions();
  auto uses = [](Attribute policy) {
    return cast<PolicyAttrInterface>(policy).usesPositions();
  };
  positions |= llvm::any_of(op.getBiases(), uses);
  positions |= llvm::any_of(op.getMasks(), uses);
  if (positions && !op.getAlign())
    return error("attention_c9")
           << "a policy uses positions: state align(top_left) or "
              "align(bottom_right)";
  if (FloatAttr cap = op.getSoftcapAttr())
    if (!(cap.getValueAsDouble() > 0) ||
        (op.getComputeType().isF32() &&
         cap.getValueAsDouble() > std::numeric_limits<float>::max()))
      return error("attention_c10")
             << "softcap must be positive and a number of "
             << op.getComputeType();
  if (!isa<DotAttr, CosineAttr>(op.getSimilarity()))
    return error("attention_c11") << "similarity must be #attn.dot or "
                                     "#attn.cosine, found "
                                  << op.getSimilarity();
  auto counts = [&](auto kind) {
    return llvm::count_if(op.getMasks(), [](Attribute mask) {
      return isa<decltype(kind)>(mask);
    });
  };
  if (counts(KvLengthsAttr()) > 1 || counts(SegmentIdsAttr()) > 1)
    return error("attention_c11") << "kv_lengths and segment_ids may each "
                                     "stand once among the masks";
  // The head dimension, as far as query or key tell it.
  int64_t headDim = ShapedType::kDynamic;
  for (auto [value, map] : llvm::zip(op.getShapedInputs(), op.getMaps()))
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (expr == getAffineDimExpr(op.getHeadDimDim(), op.getContext()))
        if (int64_t size = cast<ShapedType>(value.getType()).getDimSize(i);
            !ShapedType::isDynamic(size))
          headDim = size;
  // A finalised tile has no head dimension left to check.
  if (isa<FinalizeOp>(op.getOperation()))
    return success();
  if (failed(verifyRowChanges(op, headDim,
                              [&] { return error("attention_c16"); })))
    return failure();
  auto emitError = [&] { return error("attention_c11"); };
  return op.getScale().verifyPolicy(emitError, headDim, op.isCosine());
}

LogicalResult OpVerifier::verifyRegion() {
  Region *region = op.getScoreBody();
  if (!region)
    return success();
  if (op->getNumRegions() != 1 || !region->hasOneBlock())
    return error("attention_c12") << "there is at most one score region, of "
                                     "one block";
  Block &block = region->front();
  ParamRange params = op.getRegionParams();
  if (block.getNumArguments() != 5 + params.count)
    return error("attention_c12")
           << "the score region takes score, batch, head, row, column and "
           << params.count << " params; found " << block.getNumArguments()
           << " arguments";
  Type compute = op.getComputeType();
  for (auto [i, argument] : llvm::enumerate(block.getArguments())) {
    Type expected = i == 0 ? compute
                    : i < 5
                        ? Type(IndexType::get(op.getContext()))
                        : getElementTypeOrSelf(
                              op.getParams()[params.first + i - 5].getType());
    if (argument.getType() != expected)
      return error("attention_c12")
             << "argument " << i << " must be of " << expected << ", found "
             << argument.getType();
  }
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getScore().getType() != compute)
    return error("attention_c12")
           << "the score region must attn.yield one " << compute;
  for (Operation &inner : block.without_terminator()) {
    bool constant = inner.hasTrait<OpTrait::ConstantLike>();
    if (!constant &&
        (!OpTrait::hasElementwiseMappableTraits(&inner) || !isPure(&inner)))
      return error("attention_c12")
             << "ops in the score region must be pure and elementwise, found "
             << inner.getName();
    for (Value operand : inner.getOperands())
      if (operand.getParentRegion() != region)
        return error("attention_c12")
               << "the score region must not capture values: pass a param";
  }
  return success();
}

LogicalResult OpVerifier::verifyTile() {
  size_t dims = op.getNumDims();
  bool whole = op.getOrigin().empty() && op.getSizes().empty();
  if (!whole && (op.getOrigin().size() != dims || op.getSizes().size() != dims))
    return error("attention_c13")
           << "origin and sizes need one index per iteration dimension ("
           << dims << ")";
  if (whole && !isa<AttentionOp>(op.getOperation()))
    return error("attention_c13") << "a tile needs origin and sizes";
  LengthAttr length = op.getScale().getLength();
  bool isPlanned = !whole || op->hasAttr("schedule") ||
                   !isa<RankedTensorType>(op.getShapedInputs()[0].getType());
  if (isPlanned && length && length.getKind() == LengthKind::Seen)
    return error("attention_c13")
           << "n = seen goes with a whole attention on tensors that has no "
              "schedule: attn-count-seen-keys comes before";
  return success();
}

LogicalResult OpVerifier::verifyResults() {
  auto outputs = op.getShapedOutputs();
  bool tensors = isa<RankedTensorType>(outputs[0].getType());
  if (!tensors && op->getNumResults() != 0)
    return error("attention_c14") << "an op on memrefs has no results";
  if (tensors && outputs.getTypes() != op->getResultTypes())
    return error("attention_c14") << "results must have the outputs' types, "
                                  << TypeRange(outputs.getTypes()) << ", found "
                                  << TypeRange(op->getResultTypes());
  return success();
}

LogicalResult OpVerifier::verifyProbes() {
  auto probes = op->getAttrOfType<ArrayAttr>("probes");
  if (probes && probes.empty())
    return error("attention_c15") << "without probes there is no list of them";
  SmallVector<Probe> seen;
  for (Probe probe : op.getProbeKinds()) {
    if (llvm::is_contained(seen, probe))
      return error("attention_c15")
             << "probe " << stringifyProbe(probe) << " stands twice";
    seen.push_back(probe);
  }
  return success();
}

LogicalResult OpVerifier::verifySchedule() {
  return attn::verifySchedule(cast<ScheduledOpInterface>(op.getOperation()));
}

LogicalResult OpVerifier::verify() {
  return success(succeeded(verifyShaped()) && succeeded(verifyMaps()) &&
                 succeeded(verifyTile()) && succeeded(verifyElements()) &&
                 succeeded(verifyRoles()) && succeeded(verifyExtents()) &&
                 succeeded(verifyParams()) && succeeded(verifyPolicies()) &&
                 succeeded(verifyRegion()) && succeeded(verifyResults()) &&
                 succeeded(verifyProbes()) && succeeded(verifySchedule()));
}

static LogicalResult verifyOp(Operation *op) {
  return OpVerifier(cast<AttentionOpInterface>(op)).verify();
}

LogicalResult AttentionOp::verify() { return verifyOp(*this); }
LogicalResult OnlineAttentionOp::verify() { return verifyOp(*this); }
LogicalResult PackQueryOp::verify() { return verifyOp(*this); }
LogicalResult FinalizeOp::verify() { return verifyOp(*this); }
