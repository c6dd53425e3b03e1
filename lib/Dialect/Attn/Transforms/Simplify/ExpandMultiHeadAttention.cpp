//===- ExpandMultiHeadAttention.cpp - Projections around an attention -----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No tensor is transposed: queries, keys, values and outputs keep the layout
// [batch..., rows, heads, dimension] in which a projection leaves and takes
// them, and the attention reads that through its indexing maps. Only what goes
// to a cache is moved, into the place where it stays.
//
//===----------------------------------------------------------------------===//

#include "CacheBuilder.h"
#include "LayerBuilder.h"

#include "attn/Dialect/Attn/Transforms/ExpandBlocks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attn;

namespace {

/// Expands one op.
class Expander {
public:
  Expander(RewriterBase &rewriter, MultiHeadAttentionOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()), layers(rewriter, op),
        batch(cast<ShapedType>(op.getInput().getType()).getRank() - 2) {}

  void run();

private:
  Value createEmpty(ArrayRef<OpFoldResult> sizes) {
    return tensor::EmptyOp::create(rewriter, loc, sizes,
                                   getElementTypeOrSelf(op.getInput()));
  }
  SmallVector<ReassociationIndices> getHeadGroups();
  Value project(Value rows, Value weight, Value bias, int64_t heads);
  Value normalise(Value heads, Value gain);
  Value rotate(Value heads);
  Value attend(Value query, Value key, Value value,
               std::optional<Value> lengths);

  RewriterBase &rewriter;
  MultiHeadAttentionOp op;
  Location loc;
  LayerBuilder layers;
  int64_t batch;
};

} // namespace

/// [batch..., rows, heads * dimension] against [batch..., rows, heads,
/// dimension].
SmallVector<ReassociationIndices> Expander::getHeadGroups() {
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i <= batch; ++i)
    groups.push_back({i});
  groups.push_back({batch + 1, batch + 2});
  return groups;
}

Value Expander::project(Value rows, Value weight, Value bias, int64_t heads) {
  Value flat = layers.create(rows, weight, bias);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, flat);
  sizes.back() = rewriter.getIndexAttr(heads);
  sizes.push_back(rewriter.getIndexAttr(op.getWidth(weight) / heads));
  SmallVector<int64_t> shape(
      cast<ShapedType>(flat.getType()).getShape().drop_back());
  shape.append({heads, op.getWidth(weight) / heads});
  auto type = RankedTensorType::get(shape, getElementTypeOrSelf(flat));
  return tensor::ExpandShapeOp::create(rewriter, loc, type, flat,
                                       getHeadGroups(), sizes);
}

Value Expander::normalise(Value heads, Value gain) {
  if (!op.getQkNorm())
    return heads;
  Value init = createEmpty(tensor::getMixedSizes(rewriter, loc, heads));
  auto norm = NormOp::create(rewriter, loc, heads, gain, /*beta=*/Value(), init,
                             *op.getQkNorm(), {batch + 2},
                             op.getQkEps()->convertToDouble());
  return norm.getResults().front();
}

Value Expander::rotate(Value heads) {
  if (!op.getRope())
    return heads;
  Value init = createEmpty(tensor::getMixedSizes(rewriter, loc, heads));
  Value offset = op.getPositions() ? Value() : op.getPast();
  return RopeOp::create(rewriter, loc, heads.getType(), heads, offset,
                        op.getPositions(), /*cosines=*/Value(),
                        /*sines=*/Value(), init, op.getRopeAttr(),
                        op.getBaseAttr(), op.getPositionScaleAttr(),
                        op.getRotaryDimAttr(),
                        rewriter.getI64IntegerAttr(batch),
                        /*schedule=*/PositionScheduleAttr())
      .getResult();
}

/// `lengths` are the rows in use of each sequence, where they differ.
Value Expander::attend(Value query, Value key, Value value,
                       std::optional<Value> lengths) {
  SmallVector<Attribute> masks(op.getMaskList().getValue());
  SmallVector<AffineMap> maps = *op.getAttentionMaps();
  SmallVector<Value> params(op.getParams());
  if (lengths) {
    // The normaliser's params follow those of the masks.
    size_t at = params.size() - op.getNormalizer().getParamSpecs().size();
    params.insert(params.begin() + at, *lengths);
    maps.insert(maps.begin() + 3 + at,
                AffineMap::get(batch + 5, 0, rewriter.getAffineDimExpr(0)));
    masks.push_back(KvLengthsAttr::get(op.getContext()));
  }
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, query);
  sizes.back() = rewriter.getIndexAttr(op.getValueDim());
  Value init = createEmpty(sizes);
  SmallVector<Value> operands = {query, key, value};
  llvm::append_range(operands, params);
  operands.push_back(init);
  NamedAttrList attributes;
  auto set = [&](StringRef name, Attribute attribute) {
    if (attribute)
      attributes.set(name, attribute);
  };
  set("scale", op.getScaleAttr());
  set("similarity", op.getSimilarityOrDot());
  set("normalizer", op.getNormalizerAttr());
  set("align", op.getAlignAttr());
  set("biases", op.getBiasList());
  set("masks", rewriter.getArrayAttr(masks));
  set("softcap", op.getSoftcapAttr());
  set("indexing_maps", rewriter.getAffineMapArrayAttr(maps));
  set("operandSegmentSizes",
      rewriter.getDenseI32ArrayAttr(
          {1, 1, 1, static_cast<int32_t>(params.size()), 1, 0, 0}));
  auto attention = AttentionOp::create(rewriter, loc, TypeRange(init.getType()),
                                       operands, attributes, 0);
  return attention->getResult(0);
}

void Expander::run() {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  auto heads = static_cast<int64_t>(op.getHeads());
  int64_t groups = op.getNumKeyHeads();
  Value query = rotate(normalise(
      project(op.getInput(), op.getQueryWeight(), op.getQueryBias(), heads),
      op.getQueryGain()));
  Value key = op.getKeyCache(), value = op.getValueCache();
  SmallVector<Value> results(1);
  std::optional<Value> lengths;
  Value newKey, newValue;
  if (Value source = op.getSource()) {
    newKey = rotate(
        normalise(project(source, op.getKeyWeight(), op.getKeyBias(), groups),
                  op.getKeyGain()));
    newValue = project(source, op.getValueWeight(), op.getValueBias(), groups);
  }
  if (!op.getKeyCache()) {
    key = newKey;
    value = newValue;
  } else {
    CacheBuilder cache(rewriter, loc, op.getPast(), batch);
    if (newKey) {
      std::tie(key, value) = cache.append(key, value, newKey, newValue);
      results.append({key, value});
    }
    if (op.hasPastPerSequence())
      lengths = cache.getLengths(key, value, newKey);
    else
      std::tie(key, value) = cache.getUsedRows(key, value, newKey);
  }
  Value output = attend(query, key, value, lengths);
  Value flat =
      tensor::CollapseShapeOp::create(rewriter, loc, output, getHeadGroups());
  results[0] = layers.create(flat, op.getOutputWeight(), op.getOutputBias());
  Type type = op.getResults().front().getType();
  if (results[0].getType() != type)
    results[0] = tensor::CastOp::create(rewriter, loc, type, results[0]);
  rewriter.replaceOp(op, results);
}

void attn::expandMultiHeadAttention(RewriterBase &rewriter,
                                    MultiHeadAttentionOp op) {
  Expander(rewriter, op).run();
}
