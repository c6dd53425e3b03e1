//===- AttentionProblem.cpp - Sizes, places and policies of an op ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionProblem.h"

using namespace mlir;

namespace attn::reference::detail {

AttentionProblem::AttentionProblem(Evaluator &evaluator,
                                   AttentionOpInterface op)
    : evaluator(evaluator), op(op), batchDims(op.getNumBatchDims()),
      isBottomRight(op.getAlign() == Alignment::BottomRight),
      scaleParams(op.getScaleParams()), extraParams(op.getNormalizerParams()) {}

/// The extent of each iteration dimension, from every operand that is indexed
/// by it. In a tile a `floordiv` result says nothing: the tile may hold fewer
/// heads than a group.
LogicalResult AttentionProblem::findExtents() {
  extents.assign(op.getNumDims(), -1);
  auto read = [&](const Tensor &tensor, AffineMap map) -> LogicalResult {
    for (auto [expr, size] : llvm::zip_equal(map.getResults(), tensor.shape)) {
      int64_t extent = size;
      AffineExpr indexed = expr;
      if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
        if (!origin.empty())
          continue;
        indexed = binary.getLHS();
        extent *= cast<AffineConstantExpr>(binary.getRHS()).getValue();
      }
      auto dim = dyn_cast<AffineDimExpr>(indexed);
      if (!dim)
        continue;
      int64_t &known = extents[dim.getPosition()];
      // Tiles have static row bounds; the operand of true size counts.
      if (known >= 0 && !origin.empty() && dim.getPosition() == getRowDim())
        extent = std::min(known, extent);
      else if (known >= 0 && known != extent)
        return op->emitError("dimension d") << dim.getPosition() << " has size "
                                            << known << " and " << extent;
      known = extent;
    }
    return success();
  };
  for (auto [index, value] : llvm::enumerate(op.getShapedInputs()))
    if (failed(read(*evaluator.get(value), op.getInputMap(index))))
      return failure();
  for (auto [index, value] : llvm::enumerate(op.getParams()))
    if (failed(read(*evaluator.get(value), op.getParamMap(index))))
      return failure();
  for (auto [index, value] : llvm::enumerate(op.getShapedOutputs()))
    if (failed(read(*evaluator.get(value), op.getOutputMap(index))))
      return failure();
  // What nothing indexes (the keys of a finalised tile) does not matter.
  for (auto [dim, extent] : llvm::enumerate(extents))
    if (extent < 0)
      extent = sizes.empty() ? 1 : sizes[dim];
  // The heads of keys are enough for those of queries.
  for (auto [index, value] : llvm::enumerate(op.getShapedInputs()))
    for (auto [expr, size] :
         llvm::zip_equal(op.getInputMap(index).getResults(),
                         ArrayRef(evaluator.get(value)->shape))) {
      auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
      if (!binary)
        continue;
      int64_t factor = cast<AffineConstantExpr>(binary.getRHS()).getValue();
      int64_t heads =
          extents[cast<AffineDimExpr>(binary.getLHS()).getPosition()];
      if (size * factor < heads)
        return op->emitError("operand ")
               << index << " has " << size << " heads for " << heads
               << " in groups of " << factor;
    }
  return success();
}

LogicalResult AttentionProblem::findPolicies() {
  auto unknown = [&](Attribute policy) {
    return op->emitError("the reference has no function for ") << policy;
  };
  scale = getScaleFunction(op.getScale(), getTotal(getHeadDimDim()));
  if (!scale)
    return unknown(op.getScale());
  length = op.getScale().getLength();
  for (auto [index, policy] : llvm::enumerate(op.getBiases())) {
    biases.push_back({getBiasFunction(policy), op.getBiasParams(index)});
    if (!biases.back().term)
      return unknown(policy);
  }
  for (auto [index, policy] : llvm::enumerate(op.getMasks())) {
    masks.push_back({getMaskFunction(policy), op.getMaskParams(index),
                     limitsVisible(policy)});
    if (!masks.back().term)
      return unknown(policy);
    if (isa<KvLengthsAttr>(policy))
      lengthsParam = masks.back().params.first;
    if (isa<SegmentIdsAttr>(policy))
      segmentsParam = masks.back().params.first;
  }
  extra = getExtraFunction(op.getNormalizer());
  return extra ? success() : unknown(op.getNormalizer());
}

LogicalResult AttentionProblem::prepare() {
  for (Value value : op.getOrigin())
    origin.push_back(evaluator.getIndex(value));
  for (Value value : op.getSizes())
    sizes.push_back(evaluator.getIndex(value));
  if (failed(findExtents()))
    return failure();
  auto add = [&](SmallVector<Operand> &list, Value value, AffineMap map) {
    TensorRef tensor = evaluator.get(value);
    AffineAccess access(map, tensor->getStrides());
    list.push_back({std::move(tensor), access});
  };
  for (auto [index, value] : llvm::enumerate(op.getShapedInputs()))
    add(inputs, value, op.getInputMap(index));
  for (auto [index, value] : llvm::enumerate(op.getParams()))
    add(params, value, op.getParamMap(index));
  if (failed(findPolicies()))
    return failure();
  if (!origin.empty() && segmentsParam && length &&
      length.getKind() == LengthKind::Position)
    return op->emitError("the reference finds where a segment starts only in "
                         "a whole problem, not in a tile");
  return success();
}

AffineAccess AttentionProblem::getOutputAccess(unsigned i,
                                               const Tensor &output) const {
  return AffineAccess(op.getOutputMap(i), output.getStrides());
}

SmallVector<double, 4>
AttentionProblem::loadParams(ParamRange range, ArrayRef<int64_t> point) const {
  SmallVector<double, 4> values;
  for (unsigned i = range.first; i < range.first + range.count; ++i)
    values.push_back(params[i].load(point));
  return values;
}

/// How many keys the batch has: its kv length, or all.
int64_t AttentionProblem::getKeyCount(ArrayRef<int64_t> point) const {
  int64_t all = getTotal(getKeyDim());
  if (!lengthsParam)
    return all;
  // As a number of keys only then: lengths may be larger than any integer.
  return int64_t(
      std::clamp(params[*lengthsParam].load(point), 0.0, double(all)));
}

/// The position among the keys that the row is aligned with.
int64_t AttentionProblem::getPosition(ArrayRef<int64_t> point) const {
  int64_t row = getAbsolute(getRowDim(), point);
  if (!isBottomRight)
    return row;
  return row + getKeyCount(point) - getTotal(getRowDim());
}

/// Keys that causal, window and kv lengths leave to the row.
int64_t AttentionProblem::countVisible(ArrayRef<int64_t> point) const {
  unsigned keyDim = getKeyDim();
  SmallVector<int64_t> at(point);
  ElementPlace row = placeRow(point);
  int64_t count = 0;
  for (int64_t key = 0; key < getTotal(keyDim); ++key) {
    at[keyDim] = key - (origin.empty() ? 0 : origin[keyDim]);
    count += llvm::all_of(masks, [&](const Policy &mask) {
      return !mask.limitsVisible || evaluateTerm(mask, row, at) == 0.0;
    });
  }
  return count;
}

/// Keys that no mask hides from the row.
int64_t AttentionProblem::countSeen(ArrayRef<int64_t> point) const {
  SmallVector<int64_t> at(point);
  ElementPlace row = placeRow(point);
  int64_t count = 0, &key = at[getKeyDim()];
  for (key = 0; key < getExtent(getKeyDim()); ++key)
    count += getMaskTerm(row, at) != -std::numeric_limits<double>::infinity();
  return count;
}

/// The first key of the row's segment, from which its positions count; the
/// row's own position when no key is in its segment.
int64_t AttentionProblem::getSegmentStart(ArrayRef<int64_t> point) const {
  unsigned keyDim = getKeyDim();
  double id = params[*segmentsParam].load(point);
  SmallVector<int64_t> at(point);
  for (at[keyDim] = 0; at[keyDim] < getExtent(keyDim); ++at[keyDim])
    if (params[*segmentsParam + 1].load(at) == id)
      return at[keyDim];
  return getPosition(point);
}

double AttentionProblem::getLength(ArrayRef<int64_t> point) const {
  switch (length.getKind()) {
  case LengthKind::Keys:
    return getKeyCount(point);
  case LengthKind::Position:
    return getPosition(point) + 1 -
           (segmentsParam ? getSegmentStart(point) : 0);
  case LengthKind::PositionOperand: {
    // The position follows the policy's own params.
    double position =
        params[scaleParams.first + scaleParams.count - 1].load(point);
    return std::clamp<double>(position, INT32_MIN, INT32_MAX) + 1;
  }
  case LengthKind::Visible:
    return countVisible(point);
  case LengthKind::Seen:
    return countSeen(point);
  case LengthKind::Constant:
    return length.getValue();
  case LengthKind::HalfMax:
    return length.getValue() / 2.0;
  }
  llvm_unreachable("all sources of n are handled");
}

double AttentionProblem::getLambda(ArrayRef<int64_t> point) const {
  double n = length ? std::max(1.0, getLength(point)) : 1.0;
  SmallVector<double, 4> own = loadParams(scaleParams, point);
  // A scale takes d as at least 1: similarities of rows without elements are 0.
  int64_t d = std::max<int64_t>(1, getTotal(getHeadDimDim()));
  return scale({d, n, own});
}

ElementPlace AttentionProblem::placeRow(ArrayRef<int64_t> point) const {
  ElementPlace place;
  place.head = batchDims ? getAbsolute(batchDims - 1, point) : 0;
  place.numHeads = batchDims ? getTotal(batchDims - 1) : 1;
  place.position = getPosition(point);
  place.column = 0;
  return place;
}

double AttentionProblem::evaluateTerm(const Policy &policy, ElementPlace place,
                                      ArrayRef<int64_t> point) const {
  place.column = getAbsolute(getKeyDim(), point);
  SmallVector<double, 4> own = loadParams(policy.params, point);
  place.params = own;
  return policy.term(place);
}

void AttentionProblem::getBiasTerms(const ElementPlace &row,
                                    ArrayRef<int64_t> point,
                                    SmallVectorImpl<double> &terms) const {
  terms.clear();
  for (const Policy &bias : biases)
    terms.push_back(evaluateTerm(bias, row, point));
}

double AttentionProblem::getMaskTerm(const ElementPlace &row,
                                     ArrayRef<int64_t> point) const {
  double sum = 0.0;
  for (const Policy &mask : masks) {
    double term = evaluateTerm(mask, row, point);
    if (term == -std::numeric_limits<double>::infinity())
      return term;
    sum += term;
  }
  return sum;
}

double AttentionProblem::getLogExtra(ArrayRef<int64_t> point) const {
  return extra(loadParams(extraParams, point));
}

std::array<int64_t, 4>
AttentionProblem::getPlace(ArrayRef<int64_t> point) const {
  return {batchDims ? getAbsolute(0, point) : 0,
          batchDims ? getAbsolute(batchDims - 1, point) : 0,
          getAbsolute(getRowDim(), point), getAbsolute(getKeyDim(), point)};
}

} // namespace attn::reference::detail
