//===- PartialReduction.cpp - Splitting keys and merging states ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// attn.online_attention over a range of keys may be cut into ranges that are
// computed side by side, each from the identity (0, -inf, 0), and merged: the
// state is a monoid. Partial states lie along a new first dimension.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/IR/Slicing.h"

#include "OpHelpers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace attn;

/// Only the keys can be split, into ranges side by side.
static LogicalResult checkSplit(OnlineAttentionOp online,
                                const SetVector<unsigned> &reductionDims) {
  auto op = cast<AttentionOpInterface>(online.getOperation());
  if (reductionDims.size() != 1 || reductionDims[0] != op.getKeyDim())
    return online.emitOpError("only keys can be a partial reduction");
  if (!op.getProbeKinds().empty())
    return online.emitOpError("statistics for probes cannot be split");
  return success();
}

FailureOr<SmallVector<Value>>
OnlineAttentionOp::generateInitialTensorForPartialReduction(
    OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> tileSizes,
    const SetVector<unsigned> &reductionDims) {
  if (failed(checkSplit(*this, reductionDims)))
    return failure();
  auto self = cast<AttentionOpInterface>(getOperation());
  FloatType type = self.getComputeType();
  SmallVector<Value> states;
  for (auto [i, output] : llvm::enumerate(getOutputs())) {
    SmallVector<OpFoldResult> shape = {tileSizes[getKeyDim()]};
    llvm::append_range(shape, tensor::getMixedSizes(builder, loc, output));
    Value init = tensor::EmptyOp::create(builder, loc, shape, type);
    APFloat identity = i == 1 ? APFloat::getInf(type.getFloatSemantics(), true)
                              : APFloat::getZero(type.getFloatSemantics());
    Value scalar = arith::ConstantFloatOp::create(builder, loc, type, identity);
    states.push_back(
        linalg::FillOp::create(builder, loc, scalar, init).getResult(0));
  }
  return states;
}

LogicalResult OnlineAttentionOp::getPartialResultTilePosition(
    OpBuilder &builder, unsigned result, ReductionTilingStrategy strategy,
    ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
    const SetVector<unsigned> &reductionDims,
    ArrayRef<OpFoldResult> splitReductionIvs,
    SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  auto self = cast<AttentionOpInterface>(getOperation());
  resultOffsets.push_back(splitReductionIvs[0]);
  resultSizes.push_back(builder.getIndexAttr(1));
  getSliceOfMap(builder, getLoc(), self.getOutputMap(result), offsets, sizes,
                resultOffsets, resultSizes);
  return success();
}

FailureOr<TilingResult> OnlineAttentionOp::tileToPartialReduction(
    OpBuilder &builder, Location loc, ReductionTilingStrategy strategy,
    ValueRange init, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, const SetVector<unsigned> &reductionDims,
    ArrayRef<OpFoldResult> splitReductionIvs) {
  if (failed(checkSplit(*this, reductionDims)))
    return failure();
  if (strategy != ReductionTilingStrategy::PartialReductionOuterParallel)
    return emitOpError("keys are split into ranges side by side, not "
                       "interleaved"),
           failure();
  auto self = cast<AttentionOpInterface>(getOperation());
  SmallVector<Value> outputs;
  SmallVector<Operation *> slices;
  for (unsigned i = 0, e = getOutputs().size(); i < e; ++i) {
    SmallVector<OpFoldResult> sliceOffsets, sliceSizes;
    if (failed(getPartialResultTilePosition(
            builder, i, strategy, offsets, sizes, reductionDims,
            splitReductionIvs, sliceOffsets, sliceSizes)))
      return failure();
    auto type = cast<RankedTensorType>(init[i].getType());
    SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
    auto whole = tensor::ExtractSliceOp::inferResultType(type, sliceSizes);
    auto reduced = RankedTensorType::get(whole.getShape().drop_front(),
                                         type.getElementType());
    auto slice = tensor::ExtractSliceOp::create(
        builder, loc, reduced, init[i], sliceOffsets, sliceSizes, strides);
    slices.push_back(slice);
    outputs.push_back(slice);
  }
  FailureOr<TilingResult> result =
      createTile(builder, self, offsets, sizes, outputs);
  if (succeeded(result))
    llvm::append_range(result->generatedSlices, slices);
  return result;
}

/// 2^(from - to), 0 where `from` is -inf (also when `to` is).
static Value emitRescale(OpBuilder &builder, Location loc, Value from,
                         Value to) {
  auto type = cast<FloatType>(from.getType());
  LaneBuilder lanes(builder, loc, type);
  Value hidden = lanes.constant(-std::numeric_limits<double>::infinity());
  Value isHidden = lanes.cmp(arith::CmpFPredicate::OEQ, from, hidden);
  return lanes.select(isHidden, lanes.constant(0.0),
                      lanes.exp2(lanes.sub(from, to)));
}

/// The sum over splits of `partial` times 2^(its max - max), added to `state`
/// rescaled alike. `rowMap` maps the state's indices to those of max.
static Value mergeSum(OpBuilder &builder, Location loc, Value partial,
                      Value partialMax, Value state, Value stateMax, Value max,
                      AffineMap rowMap) {
  MLIRContext *context = builder.getContext();
  int64_t rank = cast<RankedTensorType>(state.getType()).getRank();
  SmallVector<utils::IteratorType> parallel(rank,
                                            utils::IteratorType::parallel);
  AffineMap identity = AffineMap::getMultiDimIdentityMap(rank, context);
  Value scaled = linalg::GenericOp::create(
                     builder, loc, state.getType(),
                     ValueRange{state, stateMax, max}, ValueRange{state},
                     ArrayRef{identity, rowMap, rowMap, identity}, parallel,
                     [](OpBuilder &b, Location l, ValueRange args) {
                       Value factor = emitRescale(b, l, args[1], args[2]);
                       Value product =
                           arith::MulFOp::create(b, l, args[0], factor);
                       linalg::YieldOp::create(b, l, product);
                     })
                     .getResult(0);

  // The split is iterated last, so that sums run in the order of the keys.
  SmallVector<utils::IteratorType> iterators = parallel;
  iterators.push_back(utils::IteratorType::reduction);
  auto withSplit = [&](AffineMap map, bool split) {
    SmallVector<AffineExpr> results;
    if (split)
      results.push_back(getAffineDimExpr(rank, context));
    llvm::append_range(results, map.getResults());
    return AffineMap::get(rank + 1, 0, results, context);
  };
  SmallVector<AffineMap> maps = {
      withSplit(identity, true), withSplit(rowMap, true),
      withSplit(rowMap, false), withSplit(identity, false)};
  return linalg::GenericOp::create(
             builder, loc, state.getType(),
             ValueRange{partial, partialMax, max}, ValueRange{scaled}, maps,
             iterators,
             [](OpBuilder &b, Location l, ValueRange args) {
               Value factor = emitRescale(b, l, args[1], args[2]);
               Value product = arith::MulFOp::create(b, l, args[0], factor);
               Value sum = arith::AddFOp::create(b, l, args[3], product);
               linalg::YieldOp::create(b, l, sum);
             })
      .getResult(0);
}

FailureOr<MergeResult>
OnlineAttentionOp::mergeReductions(OpBuilder &builder, Location loc,
                                   ValueRange partial,
                                   const SetVector<unsigned> &reductionDims) {
  if (failed(checkSplit(*this, reductionDims)))
    return failure();
  auto self = cast<AttentionOpInterface>(getOperation());
  auto reduce = linalg::ReduceOp::create(
      builder, loc, ValueRange{partial[1]}, ValueRange{getMax()},
      ArrayRef<int64_t>{0}, [](OpBuilder &b, Location l, ValueRange args) {
        Value max = arith::MaximumFOp::create(b, l, args[0], args[1]);
        linalg::YieldOp::create(b, l, max);
      });
  Value max = reduce->getResult(0);

  // For each of max's dimensions, the place of the same dimension in acc.
  AffineMap accMap = self.getOutputMap(0), maxMap = self.getOutputMap(1);
  SmallVector<AffineExpr> places;
  for (AffineExpr expr : maxMap.getResults()) {
    std::optional<unsigned> place = accMap.getResultPosition(expr);
    if (!place)
      return emitOpError("acc does not have every dimension of max"), failure();
    places.push_back(builder.getAffineDimExpr(*place));
  }
  AffineMap rowMap =
      AffineMap::get(accMap.getNumResults(), 0, places, builder.getContext());
  MergeResult result;
  Value acc = mergeSum(builder, loc, partial[0], partial[1], getAcc(), getMax(),
                       max, rowMap);
  AffineMap identity = AffineMap::getMultiDimIdentityMap(maxMap.getNumResults(),
                                                         builder.getContext());
  Value sum = mergeSum(builder, loc, partial[2], partial[1], getSum(), getMax(),
                       max, identity);
  result.mergeOps = {acc.getDefiningOp(), reduce, sum.getDefiningOp()};
  result.replacements = {acc, max, sum};
  return result;
}
