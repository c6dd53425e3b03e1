//===- TileBuilder.cpp - The parts of a tiled attention ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileBuilder.h"

#include "attn/Dialect/Attn/IR/Slicing.h"
#include "attn/Dialect/Attn/Score/ParamSource.h"
#include "attn/Dialect/Attn/Score/SoftmaxState.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;

TileBuilder::TileBuilder(RewriterBase &rewriter, AttentionOp op)
    : rewriter(rewriter), op(op), self(op.getOperation()),
      schedule(cast<ScheduleAttr>(op.getScheduleAttr())), loc(op.getLoc()),
      domain(getIterationSizes(rewriter, loc, self)),
      offsets(domain.size(), rewriter.getIndexAttr(0)), sizes(domain) {}

Value TileBuilder::toValue(OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(rewriter, loc, value);
}

Value TileBuilder::constant(int64_t value) {
  return arith::ConstantIndexOp::create(rewriter, loc, value);
}

AffineMap TileBuilder::mapOf(ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> results;
  for (unsigned dim : dims)
    results.push_back(rewriter.getAffineDimExpr(dim));
  return AffineMap::get(op.getNumDims(), 0, results, rewriter.getContext());
}

//===----------------------------------------------------------------------===//
// Blocks of rows
//===----------------------------------------------------------------------===//

scf::ForallOp TileBuilder::createBlockLoop() {
  SmallVector<OpFoldResult> counts(domain.begin(),
                                   domain.begin() + op.getNumBatchDims());
  AffineExpr d0 = rewriter.getAffineDimExpr(0);
  counts.push_back(affine::makeComposedFoldedAffineApply(
      rewriter, loc, AffineMap::get(1, 0, d0.ceilDiv(schedule.getRows())),
      {domain[op.getRowDim()]}));
  return scf::ForallOp::create(rewriter, loc, counts, op.getOutputs(),
                               std::nullopt);
}

void TileBuilder::enterBlock(scf::ForallOp forall) {
  unsigned row = op.getRowDim();
  for (unsigned i = 0; i < row; ++i) {
    offsets[i] = forall.getInductionVars()[i];
    sizes[i] = rewriter.getIndexAttr(1);
  }
  int64_t rows = schedule.getRows();
  AffineExpr block = rewriter.getAffineDimExpr(0),
             count = rewriter.getAffineDimExpr(1);
  SmallVector<OpFoldResult> operands = {forall.getInductionVars()[row],
                                        domain[row]};
  auto mapOfTwo = [&](int64_t bound, AffineExpr expr) {
    return AffineMap::get(2, 0, {rewriter.getAffineConstantExpr(bound), expr},
                          rewriter.getContext());
  };
  AffineExpr begin = block * rows;
  if (showsLaterRowsMore()) {
    // The block that is not full is the first one: a partial block takes as
    // long as a full one, and the first sees the fewest keys.
    begin = begin + count - count.ceilDiv(rows) * rows;
    offsets[row] = affine::makeComposedFoldedAffineMax(
        rewriter, loc, mapOfTwo(0, begin), operands);
    sizes[row] = affine::makeComposedFoldedAffineMin(
        rewriter, loc, mapOfTwo(rows, begin + rows), operands);
    return;
  }
  offsets[row] = affine::makeComposedFoldedAffineApply(
      rewriter, loc, AffineMap::get(2, 0, begin), operands);
  sizes[row] = affine::makeComposedFoldedAffineMin(
      rewriter, loc, mapOfTwo(rows, count - begin), operands);
}

bool TileBuilder::showsLaterRowsMore() {
  return llvm::any_of(op.getMasks(), [](Attribute mask) {
    return cast<MaskAttrInterface>(mask).isRange() &&
           cast<PolicyAttrInterface>(mask).usesPositions();
  });
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

void TileBuilder::getSlice(AffineMap map,
                           SmallVectorImpl<OpFoldResult> &sliceOffsets,
                           SmallVectorImpl<OpFoldResult> &sliceSizes,
                           SmallVectorImpl<OpFoldResult> &sliceStrides) {
  getSliceOfMap(rewriter, loc, map, offsets, sizes, sliceOffsets, sliceSizes);
  sliceStrides.assign(map.getNumResults(), rewriter.getIndexAttr(1));
}

/// Whether a dimension has no element, not even the one at its static offset,
/// which extract_slice refuses.
static bool isEmptyAt(RankedTensorType type, ArrayRef<OpFoldResult> offsets) {
  return llvm::any_of(llvm::zip_equal(type.getShape(), offsets), [](auto dim) {
    auto [size, offset] = dim;
    return size == 0 && getConstantIntValue(offset);
  });
}

TileBuilder::Slice TileBuilder::slice(Value operand, AffineMap map,
                                      bool dropBatch) {
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type)
    return {operand, map};
  SmallVector<OpFoldResult> sliceOffsets, sliceSizes, sliceStrides;
  getSlice(map, sliceOffsets, sliceSizes, sliceStrides);
  auto result = tensor::ExtractSliceOp::inferResultType(type, sliceSizes);
  if (dropBatch) {
    // Row, key and head dimensions stay; batch dimensions have size 1 here.
    SmallVector<int64_t> shape;
    SmallVector<AffineExpr> results;
    for (auto [size, expr] : llvm::zip(result.getShape(), map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr);
          dim && dim.getPosition() >= op.getRowDim()) {
        shape.push_back(size);
        results.push_back(expr);
      }
    result = RankedTensorType::get(shape, type.getElementType());
    map = AffineMap::get(map.getNumDims(), 0, results, map.getContext());
  } else if (isEmptyAt(type, sliceOffsets)) {
    return {tensor::EmptyOp::create(rewriter, loc, sliceSizes,
                                    type.getElementType()),
            map};
  }
  Value value = tensor::ExtractSliceOp::create(
      rewriter, loc, result, operand, sliceOffsets, sliceSizes, sliceStrides);
  return {value, map};
}

//===----------------------------------------------------------------------===//
// Policies of the tile ops
//===----------------------------------------------------------------------===//

void TileBuilder::addParams(Policies &policies, ParamRange range) {
  for (unsigned i = 0; i < range.count; ++i)
    policies.params.push_back(range.first + i);
}

void TileBuilder::addRowChanges(Policies &policies, LoadedRows rows) {
  bool isQuery = rows == LoadedRows::Query;
  (isQuery ? policies.loadQuery : policies.loadKey) =
      isQuery ? op.getLoadQueryAttr() : op.getLoadKeyAttr();
  for (unsigned i = 0, e = self.getRowChanges(rows).size(); i < e; ++i)
    addParams(policies, self.getRowChangeParams(rows, i));
}

/// The scale needs the range masks too: n may count visible keys; and segments
/// where n is a position, which restarts in each of them.
TileBuilder::Policies TileBuilder::getPackPolicies() {
  Policies policies;
  LengthAttr length = op.getScale().getLength();
  bool positions = length && length.getKind() == LengthKind::Position;
  policies.scale = op.getScale();
  policies.similarity = op.getSimilarity();
  policies.normalizer = SoftmaxNormAttr::get(op.getContext());
  addParams(policies, self.getScaleParams());
  for (auto [i, mask] : llvm::enumerate(op.getMasks())) {
    auto typed = cast<MaskAttrInterface>(mask);
    if (typed.isRange() || (positions && typed.hasSegments())) {
      policies.masks.push_back(mask);
      addParams(policies, self.getMaskParams(i));
    }
  }
  return policies;
}

TileBuilder::Policies TileBuilder::getOnlinePolicies(bool edge) {
  Policies policies;
  policies.packed = true;
  policies.scale =
      OperandScaleAttr::get(op.getContext(), op.getScale().isNonNegative());
  // The packed query is normalised, the keys are not.
  policies.similarity = op.getSimilarity();
  policies.normalizer = SoftmaxNormAttr::get(op.getContext());
  policies.softcap = op.getSoftcapAttr();
  llvm::append_range(policies.biases, op.getBiases());
  for (unsigned i = 0, e = op.getBiases().size(); i < e; ++i)
    addParams(policies, self.getBiasParams(i));
  policies.probes = op.getProbesAttr();
  policies.region = self.getScoreBody() != nullptr;
  addParams(policies, self.getRegionParams());
  for (auto [i, mask] : llvm::enumerate(op.getMasks()))
    if (edge || !cast<MaskAttrInterface>(mask).isRange()) {
      policies.masks.push_back(mask);
      addParams(policies, self.getMaskParams(i));
    }
  return policies;
}

SmallVector<APFloat> TileBuilder::getIdentity() {
  SmallVector<APFloat> identity;
  for (double part : getStateIdentity(self))
    identity.push_back(
        rewriter.getFloatAttr(self.getComputeType(), part).getValue());
  return identity;
}

Operation *TileBuilder::createTileOp(StringRef name, const Policies &policies,
                                     ArrayRef<Slice> inputs,
                                     ArrayRef<Slice> outputs) {
  OperationState state(loc, name);
  SmallVector<AffineMap> maps;
  auto add = [&](const Slice &operand) {
    state.operands.push_back(operand.value);
    maps.push_back(operand.map);
  };
  for (const Slice &input : inputs)
    add(input);
  unsigned numParams = policies.params.size();
  if (policies.scales) {
    add({policies.scales, mapOf({op.getRowDim()})});
    ++numParams;
  }
  for (unsigned i : policies.params)
    add(slice(op.getParams()[i], self.getParamMap(i), false));
  for (const Slice &output : outputs) {
    add(output);
    state.types.push_back(output.value.getType());
  }
  for (OpFoldResult offset : offsets)
    state.operands.push_back(toValue(offset));
  for (auto [dim, size] : llvm::enumerate(domain))
    state.operands.push_back(
        policies.packed && keyCount && dim == op.getKeyDim() ? keyCount
                                                             : toValue(size));

  SmallVector<int32_t> segments(inputs.size(), 1);
  if (name == FinalizeOp::getOperationName()) {
    segments.truncate(3);
    segments.push_back(inputs.size() - 3);
  }
  llvm::append_range(segments,
                     ArrayRef<int32_t>{static_cast<int32_t>(numParams),
                                       static_cast<int32_t>(outputs.size()),
                                       static_cast<int32_t>(offsets.size()),
                                       static_cast<int32_t>(domain.size())});
  state.addAttribute("operandSegmentSizes",
                     rewriter.getDenseI32ArrayAttr(segments));
  state.addAttribute("scale", policies.scale);
  state.addAttribute("similarity", policies.similarity);
  state.addAttribute("normalizer", policies.normalizer);
  if (op.getAlignAttr())
    state.addAttribute("align", op.getAlignAttr());
  state.addAttribute("biases", rewriter.getArrayAttr(policies.biases));
  state.addAttribute("masks", rewriter.getArrayAttr(policies.masks));
  if (policies.softcap)
    state.addAttribute("softcap", policies.softcap);
  if (policies.probes)
    state.addAttribute("probes", policies.probes);
  if (policies.loadQuery)
    state.addAttribute("load_query", policies.loadQuery);
  if (policies.loadKey)
    state.addAttribute("load_key", policies.loadKey);
  state.addAttribute("schedule", schedule);
  state.addAttribute("indexing_maps", rewriter.getAffineMapArrayAttr(maps));
  if (policies.packed)
    state.addAttribute("packed", rewriter.getUnitAttr());
  IRMapping mapping;
  if (policies.region)
    self.getScoreBody()->cloneInto(state.addRegion(), mapping);
  return rewriter.create(state);
}

TileBuilder::PackedQuery TileBuilder::createPackedQuery() {
  unsigned headDim = op.getHeadDimDim(), row = op.getRowDim();
  int64_t d = *getConstantIntValue(domain[headDim]);
  auto empty = [&](ArrayRef<int64_t> shape) -> Value {
    return tensor::EmptyOp::create(rewriter, loc, shape, self.getComputeType());
  };
  int64_t rows = schedule.getRows();
  Slice query = slice(op.getQuery(), self.getInputMap(0), true);
  Policies policies = getPackPolicies();
  // Which similarities may overflow depends on what becomes of them.
  policies.softcap = op.getSoftcapAttr();
  addRowChanges(policies, LoadedRows::Query);
  Operation *pack =
      createTileOp(PackQueryOp::getOperationName(), policies, {query},
                   {{empty({d, rows}), mapOf({headDim, row})},
                    {empty({rows}), mapOf({row})}});
  scales = pack->getResult(1);
  return {pack->getResult(0), scales};
}

//===----------------------------------------------------------------------===//
// Loops over keys
//===----------------------------------------------------------------------===//

KeyRanges TileBuilder::getKeyRanges() {
  LaneBuilder lanes(rewriter, loc, self.getComputeType());
  SmallVector<Value> problem;
  for (OpFoldResult size : domain)
    problem.push_back(toValue(size));
  unsigned rowDim = op.getRowDim();
  ParamSource params(lanes, self, LaneAxis::None);
  ScoreEmitter emitter(lanes, self, problem,
                       [&](unsigned i, const ScoreIndices &where) {
                         return params.load(i, where);
                       });
  SmallVector<Value> batch;
  for (unsigned i = 0; i < rowDim; ++i)
    batch.push_back(toValue(offsets[i]));
  Value firstRow = toValue(offsets[rowDim]);
  Value lastRow =
      lanes.sub(lanes.add(firstRow, toValue(sizes[rowDim])), lanes.integer(1));
  KeyRanges ranges = emitKeyRanges(lanes, emitter, batch, firstRow, lastRow);
  // Without its mask, a full tile knows the batch's length as the problem's.
  keyCount = ranges.keyCount;
  return ranges;
}

bool TileBuilder::hidesEarlyKeys() {
  return llvm::any_of(op.getMasks(), [](Attribute mask) {
    auto typed = cast<MaskAttrInterface>(mask);
    return typed.isRange() && typed.hidesEarlyKeys();
  });
}

SmallVector<Value> TileBuilder::createKeyLoop(KeyRange range, bool edge,
                                              const PackedQuery &packed,
                                              ValueRange state) {
  unsigned key = op.getKeyDim(), row = op.getRowDim(), dv = op.getValueDim();
  auto loop = scf::ForOp::create(rewriter, loc, range.lower, range.upper,
                                 constant(schedule.getKeys()), state);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  AffineExpr d0 = rewriter.getAffineDimExpr(0),
             d1 = rewriter.getAffineDimExpr(1);
  AffineMap rest = AffineMap::get(
      2, 0, {rewriter.getAffineConstantExpr(schedule.getKeys()), d1 - d0},
      rewriter.getContext());
  OpFoldResult oldOffset = offsets[key], oldSize = sizes[key];
  offsets[key] = loop.getInductionVar();
  sizes[key] = affine::makeComposedFoldedAffineMin(
      rewriter, loc, rest,
      {OpFoldResult(loop.getInductionVar()), OpFoldResult(range.upper)});

  SmallVector<Slice> inputs = {{packed.rows, mapOf({op.getHeadDimDim(), row})},
                               slice(op.getKey(), self.getInputMap(1), true),
                               slice(op.getValue(), self.getInputMap(2), true)};
  SmallVector<Slice> outputs = {{loop.getRegionIterArg(0), mapOf({dv, row})}};
  for (Value rowState : loop.getRegionIterArgs().drop_front())
    outputs.push_back({rowState, mapOf({row})});
  Policies policies = getOnlinePolicies(edge);
  policies.scales = packed.scales;
  addRowChanges(policies, LoadedRows::Key);
  Operation *online = createTileOp(OnlineAttentionOp::getOperationName(),
                                   policies, inputs, outputs);
  scf::YieldOp::create(rewriter, loc, online->getResults());
  offsets[key] = oldOffset;
  sizes[key] = oldSize;
  return SmallVector<Value>(loop.getResults());
}

/// The left edge, what every row sees, the right edge. A loop over the sides
/// has the edges' code once: the other side has no keys that every row sees.
SmallVector<Value> TileBuilder::createSides(const KeyRange &some,
                                            const KeyRange &every,
                                            const PackedQuery &packed,
                                            ValueRange state) {
  auto sides = scf::ForOp::create(rewriter, loc, constant(0), constant(2),
                                  constant(1), state);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(sides.getBody());
  Value isLeft = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                       sides.getInductionVar(), constant(0));
  auto choose = [&](Value left, Value right) -> Value {
    return arith::SelectOp::create(rewriter, loc, isLeft, left, right);
  };
  KeyRange edge = {choose(some.lower, every.upper),
                   choose(every.lower, some.upper)};
  SmallVector<Value> next =
      createKeyLoop(edge, true, packed, sides.getRegionIterArgs());
  next = createKeyLoop({every.lower, choose(every.upper, every.lower)}, false,
                       packed, next);
  scf::YieldOp::create(rewriter, loc, next);
  return SmallVector<Value>(sides.getResults());
}

SmallVector<Value> TileBuilder::createKeyLoops(const PackedQuery &packed) {
  FloatType type = self.getComputeType();
  int64_t rows = schedule.getRows();
  int64_t dv = *getConstantIntValue(domain[op.getValueDim()]);
  auto filled = [&](ArrayRef<int64_t> shape, APFloat value) -> Value {
    Value init = tensor::EmptyOp::create(rewriter, loc, shape, type);
    Value scalar = arith::ConstantFloatOp::create(rewriter, loc, type, value);
    return linalg::FillOp::create(rewriter, loc, scalar, init).getResult(0);
  };
  SmallVector<APFloat> identity = getIdentity();
  SmallVector<Value> state = {filled({dv, rows}, identity[0])};
  for (const APFloat &value : ArrayRef(identity).drop_front())
    state.push_back(filled({rows}, value));

  if (!hasRangeMask(self)) {
    KeyRange all = {constant(0), toValue(domain[op.getKeyDim()])};
    return createKeyLoop(all, false, packed, state);
  }
  // Keys that only some rows see stand at the two ends of the range.
  KeyRanges ranges = getKeyRanges();
  auto &[some, every, count] = ranges;
  LaneBuilder lanes(rewriter, loc, type);
  bool leftEdge = hidesEarlyKeys();
  // Parts are whole register tiles.
  roundKeyRanges(lanes, ranges, schedule.getMr(), schedule.getKeys(),
                 toValue(domain[op.getKeyDim()]), leftEdge);
  if (leftEdge)
    return createSides(some, every, packed, state);
  state = createKeyLoop(every, false, packed, state);
  return createKeyLoop({every.upper, some.upper}, true, packed, state);
}

void TileBuilder::createResults(scf::ForallOp forall, ArrayRef<Value> state) {
  unsigned row = op.getRowDim(), dv = op.getValueDim();
  SmallVector<Slice> inputs = {{state[0], mapOf({dv, row})}};
  for (Value rowState : state.drop_front())
    inputs.push_back({rowState, mapOf({row})});
  Policies policies = getFinalizePolicies();
  // The packed scales may have parts of the packed rows' factors.
  bool holdsFactors =
      op.getSoftcapAttr() ||
      (self.isCosine() && schedule.getInstruction() != Instruction::FMA);
  if (needsScales() && !holdsFactors) {
    policies.scale =
        OperandScaleAttr::get(op.getContext(), op.getScale().isNonNegative());
    policies.similarity = op.getSimilarity();
    policies.scales = scales;
  } else if (needsScales()) {
    addScale(policies);
  }
  SmallVector<Slice> outputs;
  for (auto [i, output] : llvm::enumerate(forall.getRegionOutArgs()))
    outputs.push_back(slice(output, self.getOutputMap(i), true));
  Operation *rows =
      createTileOp(FinalizeOp::getOperationName(), policies, inputs, outputs);
  SmallVector<SmallVector<OpFoldResult>> insertOffsets(outputs.size()),
      insertSizes(outputs.size()), insertStrides(outputs.size());
  for (unsigned i = 0, e = outputs.size(); i < e; ++i)
    getSlice(self.getOutputMap(i), insertOffsets[i], insertSizes[i],
             insertStrides[i]);
  rewriter.setInsertionPointToStart(forall.getTerminator().getBody());
  for (unsigned i = 0, e = outputs.size(); i < e; ++i)
    tensor::ParallelInsertSliceOp::create(
        rewriter, loc, rows->getResult(i), forall.getRegionOutArgs()[i],
        insertOffsets[i], insertSizes[i], insertStrides[i]);
}
