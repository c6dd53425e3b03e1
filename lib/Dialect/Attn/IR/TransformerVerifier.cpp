//===- TransformerVerifier.cpp - Constraints of the composite ops --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Labelled as in docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/TransformerOps.h"

#include "BlockOpHelpers.h"
#include "OpHelpers.h"

#include <cmath>

using namespace mlir;
using namespace attn;

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Whether two sizes may be equal.
static bool agree(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

/// Whether a value has this shape as far as sizes are known, of which -1 fits
/// any.
static bool hasShape(Value value, ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> own = getTensor(value).getShape();
  if (own.size() != shape.size())
    return false;
  for (auto [a, b] : llvm::zip_equal(own, shape))
    if (!agree(a, b))
      return false;
  return true;
}

namespace {

/// A projection and the sizes of its rows.
struct Layer {
  StringRef name;
  Value weight, bias;
};

/// What the two ops have in common. `name` is the prefix of the labels.
template <typename OpTy> class CompositeVerifier {
public:
  CompositeVerifier(OpTy op, StringRef name) : op(op), name(name) {}

  InFlightDiagnostic error(StringRef label) {
    return op->emitOpError(name) << label << ": ";
  }

  /// `_c1`: element types.
  LogicalResult verifyElements(ValueRange same, ValueRange wide) {
    Type element = getElementTypeOrSelf(op.getInput().getType());
    Type sums = getSumType(element);
    for (Value value : same)
      if (value && (getElementTypeOrSelf(value.getType()) != element ||
                    !isBlockFloat(element)))
        return error("_c1") << "the tensors of rows and the weights share one "
                               "of f16, bf16, f32 and f64";
    for (Value value : wide)
      if (value && getElementTypeOrSelf(value.getType()) != element &&
          getElementTypeOrSelf(value.getType()) != sums)
        return error("_c1") << "biases and gains have the input's element type "
                               "or "
                            << sums;
    return success();
  }

  /// `_c2`: a layer takes `in` numbers and gives `out`, either of which may be
  /// unknown.
  LogicalResult verifyLayer(const Layer &layer, int64_t in, int64_t out) {
    SmallVector<int64_t> shape = {in, out};
    if (op.getWeightLayout() == WeightLayout::OutIn)
      std::swap(shape[0], shape[1]);
    if (layer.weight && !hasShape(layer.weight, shape))
      return error("_c2") << "the weight of '" << layer.name
                          << "' does not fit: " << layer.weight.getType();
    if (layer.bias) {
      int64_t width = getOut(layer.weight);
      if (!hasShape(layer.bias, {width}) || !hasShape(layer.bias, {out}))
        return error("_c2") << "the bias of '" << layer.name
                            << "' does not fit: " << layer.bias.getType();
    }
    return success();
  }

  /// The numbers that a layer gives; unknown where its weight is no matrix.
  int64_t getOut(Value weight) {
    if (getTensor(weight).getRank() != 2)
      return ShapedType::kDynamic;
    return getTensor(weight).getDimSize(
        op.getWeightLayout() == WeightLayout::InOut ? 1 : 0);
  }

  /// The rows of `value` are those of the input, of `width` numbers.
  bool hasInputRows(Value value, int64_t width) {
    SmallVector<int64_t> shape(getTensor(op.getInput()).getShape());
    shape.back() = width;
    return hasShape(value, shape);
  }

private:
  OpTy op;
  StringRef name;
};

/// Checks attn.multi_head_attention; each method is one labelled constraint.
class AttentionVerifier : public CompositeVerifier<MultiHeadAttentionOp> {
public:
  explicit AttentionVerifier(MultiHeadAttentionOp op)
      : CompositeVerifier(op, "mha"), op(op) {}

  LogicalResult verify();

private:
  LogicalResult verifySources();
  LogicalResult verifyHeads();
  LogicalResult verifyLayers();
  LogicalResult verifyCache();
  LogicalResult verifyResults();
  LogicalResult verifyRope();
  LogicalResult verifyNorm();
  LogicalResult verifyPolicies();
  LogicalResult verifyParams();

  MultiHeadAttentionOp op;
};

} // namespace

/// mha_c3
LogicalResult AttentionVerifier::verifySources() {
  int64_t rank = getTensor(op.getInput()).getRank();
  if (rank < 2 ||
      (op.getMemory() &&
       (getTensor(op.getMemory()).getRank() != rank ||
        !hasShape(
            op.getMemory(),
            [&] {
              SmallVector<int64_t> shape(getTensor(op.getInput()).getShape());
              shape[rank - 2] = shape[rank - 1] = ShapedType::kDynamic;
              return shape;
            }()))))
    return error("_c3") << "the input is [batch..., rows, width], and memory "
                           "has the same batch";
  if (bool(op.getKeyWeight()) != bool(op.getValueWeight()))
    return error("_c3") << "'key' and 'value' stand together";
  if (!op.getKeyWeight() && (!op.getKeyCache() || op.getMemory()))
    return error("_c3") << "without 'key' and 'value' there is a cache and no "
                           "memory";
  return success();
}

/// mha_c4
LogicalResult AttentionVerifier::verifyHeads() {
  auto heads = static_cast<int64_t>(op.getHeads());
  int64_t groups = op.getNumKeyHeads();
  if (heads < 1 || groups < 1 || heads % groups != 0)
    return error("_c4") << "heads and kv_heads are positive, and kv_heads "
                           "divides heads";
  auto divides = [&](Value weight, int64_t count) {
    int64_t width = getOut(weight);
    return !ShapedType::isDynamic(width) && width % count == 0;
  };
  if (!divides(op.getQueryWeight(), heads) ||
      (op.getKeyWeight() && (!divides(op.getKeyWeight(), groups) ||
                             !divides(op.getValueWeight(), groups))))
    return error("_c4") << "what query, key and value give is of a static "
                           "width that their heads divide";
  if (op.getKeyWeight() &&
      getOut(op.getKeyWeight()) / groups != op.getHeadDim())
    return error("_c4") << "heads of query and key have one dimension, found "
                        << op.getHeadDim() << " and "
                        << getOut(op.getKeyWeight()) / groups;
  return success();
}

/// mha_c2
LogicalResult AttentionVerifier::verifyLayers() {
  int64_t width = getTensor(op.getInput()).getShape().back();
  auto heads = static_cast<int64_t>(op.getHeads());
  if (failed(verifyLayer({"query", op.getQueryWeight(), op.getQueryBias()},
                         width, ShapedType::kDynamic)))
    return failure();
  if (Value source = op.getSource()) {
    int64_t from = getTensor(source).getShape().back();
    if (failed(verifyLayer({"key", op.getKeyWeight(), op.getKeyBias()}, from,
                           ShapedType::kDynamic)) ||
        failed(verifyLayer({"value", op.getValueWeight(), op.getValueBias()},
                           from, ShapedType::kDynamic)))
      return failure();
  }
  return verifyLayer({"output", op.getOutputWeight(), op.getOutputBias()},
                     heads * op.getValueDim(), ShapedType::kDynamic);
}

/// mha_c5
LogicalResult AttentionVerifier::verifyCache() {
  bool has = bool(op.getKeyCache());
  if (has != bool(op.getValueCache()) || has != bool(op.getPast()))
    return error("_c5") << "the caches of keys and values and 'past' stand "
                           "together";
  if (!has)
    return success();
  SmallVector<int64_t> shape(getTensor(op.getInput()).getShape().drop_back(2));
  shape.append({op.getNumKeyHeads(), ShapedType::kDynamic, op.getHeadDim()});
  bool fits = hasShape(op.getKeyCache(), shape);
  shape.back() = op.getValueWeight() ? op.getValueDim() : ShapedType::kDynamic;
  fits &= hasShape(op.getValueCache(), shape);
  if (!fits ||
      ShapedType::isDynamic(getTensor(op.getValueCache()).getShape().back()))
    return error("_c5") << "caches are [batch..., kv heads, room, dimension], "
                           "found "
                        << op.getKeyCache().getType() << " and "
                        << op.getValueCache().getType();
  auto past = dyn_cast<ShapedType>(op.getPast().getType());
  if (!getElementTypeOrSelf(op.getPast().getType()).isIntOrIndex() ||
      (past && past.getRank() != 0 &&
       (!isa<RankedTensorType>(past) || past.getRank() != 1 ||
        getTensor(op.getInput()).getRank() != 3 ||
        !agree(past.getDimSize(0), getTensor(op.getInput()).getDimSize(0)))))
    return error("_c5") << "past is one integer, or one for each index of a "
                           "single batch dimension";
  return success();
}

/// mha_c6
LogicalResult AttentionVerifier::verifyResults() {
  SmallVector<Type> types(TypeRange(op->getResultTypes()).take_front(1));
  if (op.appends())
    types.append({op.getKeyCache().getType(), op.getValueCache().getType()});
  if (types.empty() || TypeRange(op->getResultTypes()) != TypeRange(types))
    return error("_c6") << "the results are y and, where rows are appended, "
                           "the caches";
  Value output = op.getResults().front();
  if (!hasInputRows(output, getOut(op.getOutputWeight())) ||
      getElementTypeOrSelf(output.getType()) !=
          getElementTypeOrSelf(op.getInput().getType()))
    return error("_c6") << "y has the input's rows and elements, of the "
                           "output's width, not "
                        << output.getType();
  return success();
}

/// mha_c7
LogicalResult AttentionVerifier::verifyRope() {
  double base = op.getBase().convertToDouble();
  double scale = op.getPositionScale().convertToDouble();
  if (!op.getRope()) {
    if (op.getPositions() || op.getRotaryDim() || base != 10000.0 ||
        scale != 1.0)
      return error("_c7") << "only with rope are there positions, base, "
                             "position_scale and rotary_dim";
    return success();
  }
  if (op.getSource() != op.getInput())
    return error("_c7") << "rope needs rows of self attention";
  int64_t dim = op.getHeadDim();
  auto rotated = static_cast<int64_t>(op.getRotaryDim().value_or(dim));
  if (rotated < 0 || rotated > dim || rotated % 2 != 0 || !(base > 0.0) ||
      std::isinf(base) || !std::isfinite(scale))
    return error("_c7") << "rotary_dim is even and at most the head dimension, "
                           "base positive and finite, position_scale finite";
  if (!op.getPositions())
    return success();
  auto input = getTensor(op.getInput());
  int64_t rank = input.getRank(), rows = input.getDimSize(rank - 2);
  bool fits =
      hasShape(op.getPositions(), {rows}) ||
      (rank > 2 && hasShape(op.getPositions(), {input.getDimSize(0), rows}));
  if (!fits || !getTensor(op.getPositions()).getElementType().isIntOrIndex())
    return error("_c7") << "positions are integers [rows] or [first dimension, "
                           "rows]";
  return success();
}

/// mha_c8
LogicalResult AttentionVerifier::verifyNorm() {
  std::optional<NormKind> kind = op.getQkNorm();
  if (bool(kind) != bool(op.getQkEps()) ||
      bool(op.getQueryGain()) != bool(op.getKeyGain()) ||
      (op.getQueryGain() && !kind))
    return error("_c8") << "gains of query and key stand together, and with "
                           "qk_norm, which has an eps";
  if (!kind)
    return success();
  double eps = op.getQkEps()->convertToDouble();
  if (!(eps >= 0.0) || std::isinf(eps) || !getTraits(*kind).isOfRow)
    return error("_c8") << "qk_norm is rms, layer or l2, and its eps finite "
                           "and not negative";
  for (Value gain : {op.getQueryGain(), op.getKeyGain()})
    if (gain && !hasShape(gain, {op.getHeadDim()}))
      return error("_c8") << "a gain has one number for each of a head's";
  return success();
}

/// mha_c9
LogicalResult AttentionVerifier::verifyPolicies() {
  auto uses = [](Attribute policy) {
    return cast<PolicyAttrInterface>(policy).usesPositions();
  };
  bool positions = op.getScale().usesPositions() ||
                   llvm::any_of(op.getBiasList(), uses) ||
                   llvm::any_of(op.getMaskList(), uses);
  if (positions && !op.getAlign())
    return error("_c9") << "a policy uses positions: state align(top_left) or "
                           "align(bottom_right)";
  auto count = [&](auto kind) {
    return llvm::count_if(op.getMaskList(), [](Attribute mask) {
      return isa<decltype(kind)>(mask);
    });
  };
  if (count(KvLengthsAttr()) > (op.getKeyCache() ? 0 : 1) ||
      count(SegmentIdsAttr()) > 1)
    return error("_c9") << "kv_lengths and segment_ids stand once, and "
                           "kv_lengths not beside a cache, which has 'past'";
  if (op.getSoftcap() && !(op.getSoftcap()->convertToDouble() > 0.0))
    return error("_c9") << "softcap must be positive";
  Attribute similarity = op.getSimilarityOrDot();
  if (!isa<DotAttr, CosineAttr>(similarity))
    return error("_c9") << "similarity must be #attn.dot or #attn.cosine";
  return op.getScale().verifyPolicy([&] { return error("_c9"); },
                                    op.getHeadDim(),
                                    isa<CosineAttr>(similarity));
}

/// mha_c10
LogicalResult AttentionVerifier::verifyParams() {
  FailureOr<SmallVector<ParamSpec>> specs = op.getParamSpecs();
  if (failed(specs))
    return failure();
  if (specs->size() != op.getParams().size())
    return error("_c10") << describeParams(getPolicies(op->getAttrDictionary()),
                                           op.getParams().size());
  auto fits = [](Type element, ParamElement kind) {
    switch (kind) {
    case ParamElement::Float:
      return isa<FloatType>(element);
    case ParamElement::Integer:
      return element.isIntOrIndex() && !element.isInteger(1);
    case ParamElement::Boolean:
      return element.isInteger(1) || element.isInteger(8);
    }
    llvm_unreachable("all kinds are handled");
  };
  for (auto [spec, param] : llvm::zip_equal(*specs, op.getParams())) {
    auto type = dyn_cast<ShapedType>(param.getType());
    if ((type && !isa<RankedTensorType>(type)) ||
        !fits(getElementTypeOrSelf(param.getType()), spec.element))
      return error("_c10") << "param '" << spec.name << "' must hold "
                           << (spec.element == ParamElement::Float ? "floats"
                               : spec.element == ParamElement::Integer
                                   ? "integers"
                                   : "booleans")
                           << ", found " << param.getType();
  }
  return success(succeeded(op.getAttentionMaps()));
}

LogicalResult AttentionVerifier::verify() {
  SmallVector<Value> rows = {op.getInput(),       op.getMemory(),
                             op.getQueryWeight(), op.getKeyWeight(),
                             op.getValueWeight(), op.getOutputWeight(),
                             op.getKeyCache(),    op.getValueCache()};
  SmallVector<Value> wide = {op.getQueryBias(), op.getKeyBias(),
                             op.getValueBias(), op.getOutputBias(),
                             op.getQueryGain(), op.getKeyGain()};
  return success(succeeded(verifyElements(rows, wide)) &&
                 succeeded(verifySources()) && succeeded(verifyHeads()) &&
                 succeeded(verifyCache()) && succeeded(verifyLayers()) &&
                 succeeded(verifyResults()) && succeeded(verifyRope()) &&
                 succeeded(verifyNorm()) && succeeded(verifyPolicies()) &&
                 succeeded(verifyParams()));
}

LogicalResult MultiHeadAttentionOp::verify() {
  return AttentionVerifier(*this).verify();
}

LogicalResult FeedForwardOp::verify() {
  CompositeVerifier<FeedForwardOp> check(*this, "ffn");
  if (failed(check.verifyElements({getInput(), getGateWeight(), getUpWeight(),
                                   getDownWeight(), getResult()},
                                  {getGateBias(), getUpBias(), getDownBias()})))
    return failure();
  if (getTensor(getInput()).getRank() < 1)
    return check.error("_c3") << "the input has rows";
  int64_t width = getTensor(getInput()).getShape().back();
  int64_t hidden = check.getOut(getUpWeight());
  Layer gate = {"gate", getGateWeight(), getGateBias()};
  if (failed(check.verifyLayer({"up", getUpWeight(), getUpBias()}, width,
                               ShapedType::kDynamic)) ||
      (gate.weight && failed(check.verifyLayer(gate, width, hidden))) ||
      failed(check.verifyLayer({"down", getDownWeight(), getDownBias()}, hidden,
                               ShapedType::kDynamic)))
    return failure();
  if (!check.hasInputRows(getResult(), check.getOut(getDownWeight())))
    return check.error("_c3") << "y has the input's rows, of the width that "
                                 "'down' gives, not "
                              << getResult().getType();
  if (!getFunction() && (getCentered() || getUnitMoment()))
    return check.error("_c4") << "centered and unit_moment are of an "
                                 "activation function";
  return success();
}
