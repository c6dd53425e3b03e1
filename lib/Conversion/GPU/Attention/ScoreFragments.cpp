//===- ScoreFragments.cpp - Scores on the fragments of a warp -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreFragments.h"
#include "../../Shared/MemRefMemory.h"
#include "OperandRows.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace attn;

static constexpr LaneOptions kDeviceLanes = {/*narrowInts=*/true,
                                             /*numericExtrema=*/true};
/// A factor of 0 would turn the -inf of hidden keys into NaN; this one leaves
/// every weight at 1, too.
static constexpr double kLeastFactor = std::numeric_limits<float>::min();
/// Lanes side by side that have the same rows.
static constexpr int64_t kRowLanes = 4;

static bool isAdditive(Attribute mask) {
  return cast<MaskAttrInterface>(mask).isAdditive();
}

/// Whether numbers that are loaded are added to scores, or a region changes
/// them.
static bool addsLoadedTerms(AttentionOpInterface op) {
  auto isLoaded = [](Attribute bias) {
    return !cast<PolicyAttrInterface>(bias).getParamSpecs().empty();
  };
  return op.getScoreBody() || llvm::any_of(op.getMasks(), isAdditive) ||
         llvm::any_of(op.getBiases(), isLoaded);
}

bool attn::hidesEarlyKeys(AttentionOpInterface op) {
  return llvm::any_of(op.getMasks(), [](Attribute mask) {
    auto typed = cast<MaskAttrInterface>(mask);
    return typed.isRange() && typed.hidesEarlyKeys();
  });
}

/// Scales that biases can be divided by: far from the ends of the numbers.
static constexpr double kLeastScale = 0x1p-32, kLargestScale = 0x1p32;

/// Whether all that is added to scores is computed of positions, so that it may
/// be added to similarities, divided by a scale that is one number.
static bool addsPositionsOnly(AttentionOpInterface op) {
  auto isOfPositions = [](Attribute bias) {
    auto policy = cast<PolicyAttrInterface>(bias);
    return policy.usesPositions() && policy.getParamSpecs().empty();
  };
  return !op.getSoftcapAttr() && !op.getScoreBody() && !op.isCosine() &&
         llvm::none_of(op.getMasks(), isAdditive) &&
         llvm::all_of(op.getBiases(), isOfPositions);
}

ScoreFragments::ScoreFragments(KernelBuilder &kernel, AttentionOpInterface op,
                               int64_t lanes, ArrayRef<Value> sizes, Value lane,
                               bool aligned, bool startsAtLane)
    : kernel(kernel), op(op), rowLanes(kernel.getBuilder(), kernel.getLoc(),
                                       op.getComputeType(), 0, kDeviceLanes),
      elementLanes(kernel.getBuilder(), kernel.getLoc(), op.getComputeType(),
                   lanes, kDeviceLanes),
      lane(lane), startsAtLane(startsAtLane), sizes(sizes),
      emitter(rowLanes, elementLanes, op, sizes,
              [this](unsigned index, const ScoreIndices &where) {
                return loadParam(index, where);
              }),
      linear(op.isScoreLinear()) {
  std::optional<double> scale = emitter.getKnownScale();
  if (!linear && addsPositionsOnly(op) && scale && *scale >= kLeastScale &&
      *scale <= kLargestScale) {
    emitter.keepSimilarities(*scale);
    linear = addsTerms = true;
  }
  natural = !linear && addsLoadedTerms(op);
  if (natural)
    emitter.useNaturalUnits();
  for (unsigned i = 0, e = op.getParams().size(); i < e; ++i)
    pairs.push_back(aligned && getPairedParam(op, i));
  if (std::optional<unsigned> segments = findCountedSegments(op))
    emitter.setSegmentStart([this, segments](const ScoreEmitter::Row &row) {
      return emitSegmentStart(row, *segments);
    });
}

//===----------------------------------------------------------------------===//
// Params
//===----------------------------------------------------------------------===//

Value ScoreFragments::loadScalar(unsigned index, const ScoreIndices &where,
                                 Value key) {
  Value param = op.getParams()[index];
  if (isa<MemRefType>(param.getType()))
    param = memref::LoadOp::create(kernel.getBuilder(), kernel.getLoc(), param,
                                   getPosition(index, where, key));
  return toLanes(rowLanes, getParamElement(op, index), param);
}

SmallVector<Value> ScoreFragments::getPosition(unsigned index,
                                               const ScoreIndices &where,
                                               Value key) {
  SmallVector<Value> dims(where.batch);
  dims.resize(op.getNumDims());
  dims[op.getRowDim()] = where.row.first;
  dims[op.getKeyDim()] = key;
  return emitPosition(kernel.getBuilder(), kernel.getLoc(),
                      op.getParamMap(index), dims);
}

/// The lane's keys are pairs of neighbours, one in each eight: their addresses
/// differ by constants.
Value ScoreFragments::loadPairs(unsigned index, const ScoreIndices &where) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Value memory = op.getParams()[index];
  Type element = getElementTypeOrSelf(memory.getType());
  auto pair = VectorType::get({2}, element);
  Value first = kernel.toIndex(kernel.unpack(where.key.ints).front());
  SmallVector<Value> elements;
  for (int64_t i = 0, e = elementLanes.getLanes() / 2; i < e; ++i) {
    Value apart = arith::ConstantIndexOp::create(b, loc, 8 * i);
    Value key = b.createOrFold<arith::AddIOp>(loc, first, apart);
    Value loaded = vector::LoadOp::create(
        b, loc, pair, memory, getPosition(index, where, key),
        /*nontemporal=*/false, llvm::MaybeAlign(2 * getElementBytes(element)));
    for (Value scalar : kernel.unpack(loaded))
      elements.push_back(toLanes(rowLanes, getParamElement(op, index), scalar));
  }
  return kernel.pack(elements);
}

Value ScoreFragments::loadParam(unsigned index, const ScoreIndices &where) {
  bool ofKey = op.getParamMap(index).isFunctionOfDim(op.getKeyDim());
  if (!ofKey || !where.key)
    return loadScalar(index, where, {});
  if (!isa<VectorType>(where.key.ints.getType()))
    return loadScalar(index, where, where.key.first);
  // Without a limit all keys are there.
  if (pairs[index] && where.key.active == where.key.ints)
    return loadPairs(index, where);
  // `active` holds the keys' numbers, cut to those that there are.
  SmallVector<Value> elements;
  for (Value key : kernel.unpack(where.key.active))
    elements.push_back(loadScalar(index, where, kernel.toIndex(key)));
  return kernel.pack(elements);
}

LaneIndex ScoreFragments::toLaneIndex(Value row) {
  return {row, kernel.toIndex(row)};
}

/// The first key of the row's segment; a row whose segment has no key counts
/// from itself. The lanes of a row share the keys.
Value ScoreFragments::emitSegmentStart(const ScoreEmitter::Row &row,
                                       unsigned segments) {
  Value none = kernel.constant(std::numeric_limits<int32_t>::max());
  Value count = rowLanes.toIntLanes(sizes[op.getKeyDim()]);
  Value start =
      kernel.emitLoop(kernel.bitAnd(lane, kRowLanes - 1), count, kRowLanes,
                      none, [&](Value key, ValueRange before) {
                        ScoreIndices where = row.local;
                        where.key = toLaneIndex(key);
                        Value same =
                            kernel.equal(loadParam(segments, where),
                                         loadParam(segments + 1, where));
                        Value found = kernel.select(same, where.key.ints, none);
                        return SmallVector<Value>{kernel.min(before[0], found)};
                      })[0];
  for (int64_t mask = 1; mask < kRowLanes; mask *= 2)
    start = kernel.min(start, kernel.shuffleXor(start, mask));
  return kernel.select(kernel.equal(start, none), row.position, start);
}

//===----------------------------------------------------------------------===//
// Rows and columns
//===----------------------------------------------------------------------===//

Value ScoreFragments::keepAboveZero(Value factor) {
  Value isZero =
      rowLanes.cmp(arith::CmpFPredicate::OEQ, factor, rowLanes.constant(0.0));
  return rowLanes.select(isZero, rowLanes.constant(kLeastFactor), factor);
}

void ScoreFragments::scaleRow(unsigned row, Value factor) {
  Value &whole = rows[row].factor;
  whole = rowLanes.mul(whole, factor);
  if (linear)
    whole = keepAboveZero(whole);
}

Value ScoreFragments::addRow(ArrayRef<Value> batch, Value number) {
  ScoreEmitter::Row row = emitter.prepareRow(batch, toLaneIndex(number));
  row.scale = emitter.emitScale(row);
  emitter.prepareFactor(row);
  Value isNegative;
  APFloat scale(0.0);
  bool isKnown = matchPattern(row.scale, m_ConstantFloat(&scale)) &&
                 scale.isFiniteNonZero() && !scale.isNegative();
  if (linear && !isKnown) {
    // The largest similarity shall have the largest score. NaN stays.
    Value zero = rowLanes.constant(0.0);
    isNegative = rowLanes.cmp(arith::CmpFPredicate::OLT, row.factor, zero);
    Value positive =
        rowLanes.select(isNegative, rowLanes.neg(row.factor), row.factor);
    row.factor = keepAboveZero(positive);
  }
  rows.push_back(std::move(row));
  return isNegative;
}

KeyRanges ScoreFragments::getKeyRanges(ArrayRef<Value> batch, Value firstRow,
                                       Value lastRow) {
  return emitKeyRanges(rowLanes, emitter, batch, toLaneIndex(firstRow),
                       toLaneIndex(lastRow));
}

ScoreEmitter::Column ScoreFragments::getColumn(Value first, Value columns,
                                               Value limit) {
  Value start = first, apart = columns;
  if (startsAtLane) {
    // LLVM takes the sum away again: what is left are constants.
    Value lanesFirst = kernel.unpack(columns).front();
    apart = elementLanes.sub(columns, elementLanes.toIntLanes(lanesFirst));
    start = kernel.add(first, lanesFirst);
  }
  LaneIndex key(elementLanes.add(elementLanes.toIntLanes(start), apart),
                kernel.toIndex(start));
  key.active = key.ints;
  key.apart = elementLanes.intToFloat(apart);
  if (limit) {
    Value last = kernel.sub(limit, 1);
    key.active = elementLanes.min(key.ints, elementLanes.toIntLanes(last));
  }
  return emitter.prepareColumn(std::move(key));
}

/// A bit for each of the lane's keys, which count from its first one: whether
/// `bound` is at most the key. Numbers of no more than 28 bits, lowest first.
SmallVector<Value> ScoreFragments::emitBitsFrom(Value bound) {
  constexpr int64_t kMostBits = 28;
  int64_t keys = elementLanes.getLanes();
  int64_t size = llvm::divideCeil(keys, llvm::divideCeil(keys, kMostBits));
  // Two keys in each eight.
  Value end = kernel.max(bound, 0);
  Value before = kernel.add(kernel.mul(kernel.shiftRight(end, 3), 2),
                            kernel.min(kernel.bitAnd(end, 7), 2));
  SmallVector<Value> bits;
  for (int64_t first = 0; first < keys; first += size) {
    Value here = first ? kernel.max(kernel.sub(before, first), 0) : before;
    bits.push_back(arith::ShLIOp::create(kernel.getBuilder(), kernel.getLoc(),
                                         kernel.constant(-1),
                                         kernel.min(here, size)));
  }
  return bits;
}

/// Whether the lane's keys, which count from `start`, lie between both bounds
/// of a row: one test of a key's bit instead of two comparisons and two
/// selections.
Value ScoreFragments::emitBetween(const ScoreEmitter::Row &row, Value start) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  SmallVector<Value> hidden = emitBitsFrom(kernel.sub(row.upper, start));
  SmallVector<Value> late = emitBitsFrom(kernel.sub(row.lower, start));
  for (auto [bits, seen] : llvm::zip_equal(hidden, late)) {
    Value early = arith::XOrIOp::create(b, loc, seen, kernel.constant(-1));
    bits = arith::OrIOp::create(b, loc, bits, early);
  }
  int64_t keys = elementLanes.getLanes();
  int64_t size = llvm::divideCeil(keys, hidden.size());
  SmallVector<Value> numbers;
  SmallVector<int32_t> places;
  for (int64_t key = 0; key < keys; ++key) {
    numbers.push_back(hidden[key / size]);
    places.push_back(int32_t(1) << (key % size));
  }
  Value all = kernel.pack(numbers);
  auto type = cast<ShapedType>(all.getType());
  Value place = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, ArrayRef(places)));
  return elementLanes.cmp(arith::CmpIPredicate::eq,
                          elementLanes.bitAnd(all, place),
                          elementLanes.integer(0));
}

// A range mask shows the keys between a row's bounds, which lie before the
// limit.
Value ScoreFragments::emitVisible(unsigned row,
                                  const ScoreEmitter::Column &column,
                                  bool edge) {
  Value visible = emitter.emitVisible(rows[row], column, /*inRange=*/true);
  if (!edge)
    return visible;
  Value keys = column.local.ints, start;
  if (startsAtLane) {
    start = kernel.toI32(column.local.first);
    keys = elementLanes.sub(keys, elementLanes.toIntLanes(start));
  }
  auto demand = [&](Value one) {
    visible = visible ? elementLanes.bitAnd(visible, one) : one;
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value bound) {
    Value limit = start ? kernel.sub(bound, start) : bound;
    demand(elementLanes.cmp(predicate, keys, elementLanes.toIntLanes(limit)));
  };
  bool hidesEarly = hidesEarlyKeys(op);
  if (hidesEarly && startsAtLane) {
    demand(emitBetween(rows[row], start));
    return visible;
  }
  compare(arith::CmpIPredicate::slt, rows[row].upper);
  if (hidesEarly)
    compare(arith::CmpIPredicate::sge, rows[row].lower);
  return visible;
}

Value ScoreFragments::emitScores(Value similarities, unsigned row,
                                 const ScoreEmitter::Column &column,
                                 Value limit, Value &visible) {
  Value score = similarities;
  if (!linear || addsTerms)
    score = emitter.emitScore(similarities, rows[row], column);
  visible = emitVisible(row, column, /*edge=*/limit != nullptr);
  if (!visible)
    return score;
  Value hidden =
      elementLanes.constant(-std::numeric_limits<double>::infinity());
  return elementLanes.select(visible, score, hidden);
}
