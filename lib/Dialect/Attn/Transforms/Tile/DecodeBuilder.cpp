//===- DecodeBuilder.cpp - The parts of a split attention -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecodeBuilder.h"

#include "attn/Dialect/Attn/IR/ScheduleLimits.h"
#include "attn/Dialect/Attn/Transforms/Transforms.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;

DecodeBuilder::DecodeBuilder(RewriterBase &rewriter, AttentionOp op)
    : TileBuilder(rewriter, op), parts(getKeyParts(op)),
      group(getHeadGroup(op)), hasHead(op.getNumBatchDims() != 0) {}

//===----------------------------------------------------------------------===//
// Work items
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> DecodeBuilder::getItemCounts() {
  SmallVector<OpFoldResult> counts(domain.begin(),
                                   domain.begin() + op.getNumBatchDims());
  AffineExpr d0 = rewriter.getAffineDimExpr(0);
  if (hasHead)
    counts.back() = affine::makeComposedFoldedAffineApply(
        rewriter, loc, AffineMap::get(1, 0, d0.floorDiv(group)),
        {counts.back()});
  return counts;
}

Value DecodeBuilder::createSplitCount() {
  Value items = constant(1);
  for (OpFoldResult count : getItemCounts())
    items = rewriter.createOrFold<arith::MulIOp>(loc, items, toValue(count));
  return emitRangeCount(rewriter, loc, toValue(domain[op.getKeyDim()]), items,
                        schedule.getSplitKeys(), schedule.getItems());
}

void DecodeBuilder::enterItem(ValueRange ivs) {
  unsigned batchDims = op.getNumBatchDims();
  item.assign(ivs.begin(), ivs.begin() + batchDims);
  for (unsigned i = 0; i < batchDims; ++i) {
    offsets[i] = ivs[i];
    sizes[i] = rewriter.getIndexAttr(1);
  }
  if (!hasHead)
    return;
  AffineExpr d0 = rewriter.getAffineDimExpr(0);
  offsets[batchDims - 1] = affine::makeComposedFoldedAffineApply(
      rewriter, loc, AffineMap::get(1, 0, d0 * group), {item.back()});
  sizes[batchDims - 1] = rewriter.getIndexAttr(group);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> DecodeBuilder::getSizesOf(ArrayRef<unsigned> dims) {
  return llvm::map_to_vector(dims, [&](unsigned dim) { return sizes[dim]; });
}

SmallVector<unsigned> DecodeBuilder::getStateDims(unsigned number) {
  SmallVector<unsigned> dims;
  if (hasHead)
    dims.push_back(op.getNumBatchDims() - 1);
  dims.push_back(op.getRowDim());
  if (number == 0)
    dims.push_back(op.getValueDim());
  return dims;
}

TileBuilder::Slice DecodeBuilder::sliceRows(Value operand, AffineMap map) {
  auto type = cast<RankedTensorType>(operand.getType());
  SmallVector<OpFoldResult> sliceOffsets, sliceSizes, sliceStrides;
  getSlice(map, sliceOffsets, sliceSizes, sliceStrides);
  auto whole = tensor::ExtractSliceOp::inferResultType(type, sliceSizes);
  unsigned firstKept = op.getRowDim() - (hasHead ? 1 : 0);
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> results;
  for (auto [size, expr] : llvm::zip(whole.getShape(), map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && dim.getPosition() >= firstKept) {
      shape.push_back(size);
      results.push_back(expr);
    }
  auto kept = RankedTensorType::get(shape, type.getElementType());
  Value value = tensor::ExtractSliceOp::create(
      rewriter, loc, kept, operand, sliceOffsets, sliceSizes, sliceStrides);
  return {value,
          AffineMap::get(map.getNumDims(), 0, results, map.getContext())};
}

void DecodeBuilder::getStateSlice(unsigned number, Value range,
                                  SmallVectorImpl<OpFoldResult> &stateOffsets,
                                  SmallVectorImpl<OpFoldResult> &stateSizes,
                                  SmallVectorImpl<OpFoldResult> &strides) {
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  stateOffsets.assign(item.begin(), item.end());
  stateSizes.assign(item.size(), one);
  stateOffsets.push_back(range ? OpFoldResult(range) : zero);
  stateSizes.push_back(range ? one : getAsOpFoldResult(splits));
  SmallVector<unsigned> dims = getStateDims(number);
  stateOffsets.append(dims.size(), zero);
  llvm::append_range(stateSizes, getSizesOf(dims));
  strides.assign(stateSizes.size(), one);
}

TileBuilder::Slice DecodeBuilder::sliceState(Value states, unsigned number,
                                             Value range) {
  SmallVector<OpFoldResult> stateOffsets, stateSizes, strides;
  getStateSlice(number, range, stateOffsets, stateSizes, strides);
  auto type = cast<RankedTensorType>(states.getType());
  auto whole = tensor::ExtractSliceOp::inferResultType(type, stateSizes);
  size_t dropped = item.size() + (range ? 1 : 0);
  auto kept = RankedTensorType::get(whole.getShape().drop_front(dropped),
                                    type.getElementType());
  Value value = tensor::ExtractSliceOp::create(
      rewriter, loc, kept, states, stateOffsets, stateSizes, strides);
  SmallVector<unsigned> dims = getStateDims(number);
  // The states of consecutive ranges of keys lie along the key dimension.
  if (!range)
    dims.insert(dims.begin(), op.getKeyDim());
  return {value, mapOf(dims)};
}

//===----------------------------------------------------------------------===//
// States of ranges
//===----------------------------------------------------------------------===//

bool DecodeBuilder::needsMasks() {
  auto usesPositions = [](Attribute bias) {
    return cast<PolicyAttrInterface>(bias).usesPositions();
  };
  LengthAttr length = op.getScale().getLength();
  return (length && !length.getConstant()) ||
         llvm::any_of(op.getBiases(), usesPositions);
}

TileBuilder::Policies DecodeBuilder::getPolicies(bool masked) {
  Policies policies = getOnlinePolicies(masked || needsMasks());
  // The query is used as it lies: the scale is applied to the scores.
  policies.packed = false;
  policies.scale = op.getScale();
  SmallVector<unsigned> params;
  ParamRange range = self.getScaleParams();
  for (unsigned i = 0; i < range.count; ++i)
    params.push_back(range.first + i);
  llvm::append_range(params, policies.params);
  policies.params = params;
  addRowChanges(policies, LoadedRows::Query);
  addRowChanges(policies, LoadedRows::Key);
  return policies;
}

SmallVector<Value> DecodeBuilder::createPart(const KeyPart &part,
                                             OpFoldResult begin, KeyRange keys,
                                             bool masked, ValueRange state) {
  unsigned key = op.getKeyDim();
  OpFoldResult oldOffset = offsets[key], oldSize = sizes[key];
  sizes[key] =
      Value(arith::SubIOp::create(rewriter, loc, keys.upper, keys.lower));
  // Rows are where the part has them, positions those of all keys.
  offsets[key] = keys.lower;
  if (!isZeroInteger(begin))
    offsets[key] =
        Value(arith::SubIOp::create(rewriter, loc, keys.lower, toValue(begin)));
  SmallVector<Slice> inputs = {sliceRows(op.getQuery(), self.getInputMap(0)),
                               slice(part.key, self.getInputMap(1), true),
                               slice(part.value, self.getInputMap(2), true)};
  offsets[key] = keys.lower;
  SmallVector<Slice> outputs;
  for (auto [i, value] : llvm::enumerate(state))
    outputs.push_back({value, mapOf(getStateDims(i))});
  Operation *online = createTileOp(OnlineAttentionOp::getOperationName(),
                                   getPolicies(masked), inputs, outputs);
  offsets[key] = oldOffset;
  sizes[key] = oldSize;
  return SmallVector<Value>(online->getResults());
}

SmallVector<Value> DecodeBuilder::createAttention(KeyRange keys, bool masked,
                                                  ValueRange state) {
  if (parts.size() == 1)
    return createPart(parts[0], rewriter.getIndexAttr(0), keys, masked, state);
  SmallVector<Value> result(state);
  unsigned keyDim = getKeyAxis();
  Value begin = constant(0);
  for (const KeyPart &part : parts) {
    Value length = rewriter.createOrFold<tensor::DimOp>(loc, part.key, keyDim);
    Value end = rewriter.createOrFold<arith::AddIOp>(loc, begin, length);
    auto clamp = [&](Value number) -> Value {
      Value least = arith::MaxSIOp::create(rewriter, loc, number, begin);
      return arith::MinSIOp::create(rewriter, loc, least, end);
    };
    KeyRange inside = {clamp(keys.lower), clamp(keys.upper)};
    result = createPart(part, getAsOpFoldResult(begin), inside, masked, result);
    begin = end;
  }
  return result;
}

unsigned DecodeBuilder::getKeyAxis() {
  return *self.getInputMap(1).getResultPosition(
      rewriter.getAffineDimExpr(op.getKeyDim()));
}

/// Ranges are whole vectors of keys but for the last one.
KeyRange DecodeBuilder::getSplit(KeyRange keys, Value number) {
  Value count = arith::SubIOp::create(rewriter, loc, keys.upper, keys.lower);
  Value vectors = arith::CeilDivSIOp::create(rewriter, loc, count,
                                             constant(schedule.getLanes()));
  Value part = arith::CeilDivSIOp::create(rewriter, loc, vectors, splits);
  Value length =
      arith::MulIOp::create(rewriter, loc, part, constant(schedule.getLanes()));
  Value begin = arith::AddIOp::create(
      rewriter, loc, keys.lower,
      arith::MulIOp::create(rewriter, loc, number, length));
  Value end = arith::AddIOp::create(rewriter, loc, begin, length);
  return {arith::MinSIOp::create(rewriter, loc, begin, keys.upper),
          arith::MinSIOp::create(rewriter, loc, end, keys.upper)};
}

SmallVector<Value> DecodeBuilder::createRangeState(Value split,
                                                   ValueRange state) {
  if (!hasRangeMask(self)) {
    KeyRange all = {constant(0), toValue(domain[op.getKeyDim()])};
    return createAttention(getSplit(all, split), false, state);
  }
  // What one row sees, it sees whole. For several rows one op with masks serves
  // all keys: testing them costs little beside reading them.
  bool oneRow = isConstantIntValue(sizes[op.getRowDim()], 1);
  KeyRange some = getKeyRanges().some;
  return createAttention(getSplit(some, split), !oneRow, state);
}

SmallVector<Value> DecodeBuilder::createPartialStates() {
  splits = createSplitCount();
  FloatType type = self.getComputeType();
  SmallVector<OpFoldResult> counts = getItemCounts();
  if (hasHead)
    sizes[op.getNumBatchDims() - 1] = rewriter.getIndexAttr(group);
  counts.push_back(getAsOpFoldResult(splits));
  SmallVector<APFloat> identity = getIdentity();
  unsigned parts = identity.size();
  SmallVector<Value> init;
  for (unsigned i = 0; i < parts; ++i) {
    SmallVector<OpFoldResult> shape = counts;
    llvm::append_range(shape, getSizesOf(getStateDims(i)));
    init.push_back(tensor::EmptyOp::create(rewriter, loc, shape, type));
  }
  auto forall =
      scf::ForallOp::create(rewriter, loc, counts, init, std::nullopt);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(forall.getBody());
  SmallVector<Value> ivs = forall.getInductionVars();
  enterItem(ivs);
  SmallVector<Value> state;
  for (unsigned i = 0; i < parts; ++i) {
    Value scalar =
        arith::ConstantFloatOp::create(rewriter, loc, type, identity[i]);
    Value slot = sliceState(forall.getRegionIterArgs()[i], i, ivs.back()).value;
    state.push_back(
        linalg::FillOp::create(rewriter, loc, scalar, slot).getResult(0));
  }
  state = createRangeState(ivs.back(), state);
  SmallVector<SmallVector<OpFoldResult>> at(parts), extents(parts),
      strides(parts);
  for (unsigned i = 0; i < parts; ++i)
    getStateSlice(i, ivs.back(), at[i], extents[i], strides[i]);
  rewriter.setInsertionPointToStart(forall.getTerminator().getBody());
  for (unsigned i = 0; i < parts; ++i)
    tensor::ParallelInsertSliceOp::create(rewriter, loc, state[i],
                                          forall.getRegionIterArgs()[i], at[i],
                                          extents[i], strides[i]);
  return SmallVector<Value>(forall.getResults());
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

ValueRange DecodeBuilder::createMerge(ValueRange states) {
  auto forall = scf::ForallOp::create(rewriter, loc, getItemCounts(),
                                      op.getOutputs(), std::nullopt);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(forall.getBody());
  enterItem(forall.getInductionVars());
  SmallVector<Slice> inputs, outputs;
  for (auto [i, state] : llvm::enumerate(states))
    inputs.push_back(sliceState(state, i, Value()));
  for (auto [i, output] : llvm::enumerate(forall.getRegionIterArgs()))
    outputs.push_back(sliceRows(output, self.getOutputMap(i)));
  Policies policies = getFinalizePolicies();
  if (needsScales())
    addScale(policies);
  Operation *rows =
      createTileOp(FinalizeOp::getOperationName(), policies, inputs, outputs);
  unsigned count = outputs.size();
  SmallVector<SmallVector<OpFoldResult>> at(count), extents(count),
      strides(count);
  for (unsigned i = 0; i < count; ++i)
    getSlice(self.getOutputMap(i), at[i], extents[i], strides[i]);
  rewriter.setInsertionPointToStart(forall.getTerminator().getBody());
  for (unsigned i = 0; i < count; ++i)
    tensor::ParallelInsertSliceOp::create(rewriter, loc, rows->getResult(i),
                                          forall.getRegionIterArgs()[i], at[i],
                                          extents[i], strides[i]);
  return forall.getResults();
}
