//===- ScoreEmitter.cpp - Scores, masks and scales as IR ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Score/ScoreEmitter.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace attn;

static constexpr double log2e = 1.4426950408889634;

ScoreEmitter::ScoreEmitter(LaneBuilder &rows, LaneBuilder &lanes,
                           AttentionOpInterface op, ValueRange sizes,
                           ParamLoader loadParam)
    : rows(rows), lanes(lanes), op(op), sizes(sizes),
      loadParam(std::move(loadParam)) {
  assert((!rows.isVector() || rows.getLanes() == lanes.getLanes()) &&
         "a row is a scalar, or rows are in the lanes");
}

Value ScoreEmitter::getOrigin(unsigned dim) {
  return op.getOrigin().empty() ? rows.index(0) : Value(op.getOrigin()[dim]);
}

Value ScoreEmitter::spread(Value value) {
  bool isVector = value && isa<VectorType>(value.getType());
  if (!value || isVector == lanes.isVector())
    return value;
  if (isa<FloatType>(value.getType()))
    return lanes.toFloatLanes(value);
  return value.getType().isInteger(1) ? lanes.toBoolLanes(value)
                                      : lanes.toIntLanes(value);
}

SmallVector<Value, 2> ScoreEmitter::loadParams(ParamRange range,
                                               const ScoreIndices &where) {
  SmallVector<Value, 2> values;
  for (unsigned i = 0; i < range.count; ++i) {
    // Nobody may ask for what varies with keys where there is none.
    unsigned param = range.first + i;
    bool needsKey = op.getParamMap(param).isFunctionOfDim(op.getKeyDim());
    Value value = needsKey && !where.key ? Value() : loadParam(param, where);
    values.push_back(where.key ? spread(value) : value);
  }
  return values;
}

ElementInputs ScoreEmitter::getInputs(const Row &row, const Column *column,
                                      ParamRange params) {
  ElementInputs inputs;
  ScoreIndices where = row.local;
  if (column) {
    where.key = column->local;
    inputs.column = column->absolute;
  }
  inputs.position = column ? spread(row.position) : row.position;
  inputs.head = column ? spread(row.head) : row.head;
  if (std::optional<unsigned> head = op.getDim(DimRole::Head))
    inputs.numHeads = sizes[*head];
  else
    inputs.numHeads = rows.index(1);
  if (!inputs.head)
    inputs.head = (column ? lanes : rows).integer(0);
  inputs.params = loadParams(params, where);
  return inputs;
}

//===----------------------------------------------------------------------===//
// Rows and columns
//===----------------------------------------------------------------------===//

ScoreEmitter::Row ScoreEmitter::prepareRow(ArrayRef<Value> batch,
                                           LaneIndex localRow) {
  return prepareRow({SmallVector<Value>(batch), std::move(localRow), {}});
}

ScoreEmitter::Row ScoreEmitter::prepareRow(ScoreIndices local) {
  Row row;
  row.local = std::move(local);
  ArrayRef<Value> batch = row.local.batch;
  unsigned rowDim = op.getRowDim(), keyDim = op.getKeyDim();
  row.absolute =
      rows.add(rows.toIntLanes(getOrigin(rowDim)), row.local.row.ints);
  if (std::optional<unsigned> head = op.getDim(DimRole::Head)) {
    Value absolute = arith::AddIOp::create(rows.getBuilder(), rows.getLoc(),
                                           getOrigin(*head), batch[*head]);
    row.head = rows.toIntLanes(absolute);
  }

  Value keys = rows.toIntLanes(sizes[keyDim]);
  row.keyCount = keys;
  for (auto [i, mask] : llvm::enumerate(op.getMasks()))
    if (cast<MaskAttrInterface>(mask).limitsKeys()) {
      // A length past the keys that exist is taken as all of them.
      Value length = loadParams(op.getMaskParams(i), row.local)[0];
      row.keyCount = rows.max(rows.min(length, keys), rows.integer(0));
    }
  if (std::optional<Alignment> align = op.getAlign()) {
    row.position = row.absolute;
    if (*align == Alignment::BottomRight)
      row.position = rows.add(
          row.absolute, rows.sub(row.keyCount, rows.toIntLanes(sizes[rowDim])));
  }

  row.lower = rows.integer(0);
  row.upper = row.keyCount;
  for (auto [i, mask] : llvm::enumerate(op.getMasks())) {
    auto typed = cast<MaskAttrInterface>(mask);
    if (!typed.isRange() || typed.limitsKeys())
      continue;
    ElementInputs inputs = getInputs(row, nullptr, op.getMaskParams(i));
    typed.narrowRange(rows, inputs, row.lower, row.upper);
  }
  return row;
}

ScoreEmitter::Column ScoreEmitter::prepareColumn(LaneIndex localKey) {
  Value absolute =
      lanes.add(lanes.toIntLanes(getOrigin(op.getKeyDim())), localKey.ints);
  return {std::move(localKey), absolute};
}

//===----------------------------------------------------------------------===//
// Scale
//===----------------------------------------------------------------------===//

/// n of the row as a float, at least 1; null for policies without n.
Value ScoreEmitter::emitLength(const Row &row) {
  LengthAttr length = op.getScale().getLength();
  if (!length)
    return {};
  if (std::optional<double> constant = length.getConstant())
    return rows.constant(*constant);
  Value one = rows.integer(1), count;
  switch (length.getKind()) {
  case LengthKind::Keys:
    count = row.keyCount;
    break;
  case LengthKind::Position:
    count = rows.add(row.position, one);
    if (segmentStart)
      count = rows.sub(count, segmentStart(row));
    break;
  case LengthKind::PositionOperand: {
    ParamRange params = op.getScaleParams();
    Value position = loadParam(params.first + params.count - 1, row.local);
    // The largest number has no next one.
    count = rows.add(rows.min(position, rows.integer(INT32_MAX - 1)), one);
    break;
  }
  case LengthKind::Visible:
    count = rows.sub(row.upper, row.lower);
    break;
  case LengthKind::Seen:
    llvm_unreachable("attn-count-seen-keys has counted them");
  case LengthKind::Constant:
  case LengthKind::HalfMax:
    llvm_unreachable("constants are handled above");
  }
  return rows.intToFloat(rows.max(count, one));
}

/// Rows without elements have similarity 0; their scale must be finite.
int64_t ScoreEmitter::getStaticHeadDim() {
  std::optional<int64_t> known = getConstantIntValue(sizes[op.getHeadDimDim()]);
  return known ? std::max<int64_t>(1, *known) : ShapedType::kDynamic;
}

/// Whatever is known now is computed now, in f64.
std::optional<double> ScoreEmitter::getKnownScale() {
  std::optional<double> number = 1.0;
  if (LengthAttr length = op.getScale().getLength()) {
    number = length.getConstant();
    if (length.getKind() == LengthKind::Keys &&
        llvm::none_of(op.getMasks(), [](Attribute mask) {
          return cast<MaskAttrInterface>(mask).limitsKeys();
        }))
      if (std::optional<int64_t> keys =
              getConstantIntValue(sizes[op.getKeyDim()]))
        number = std::max<double>(1.0, *keys);
  }
  int64_t headDim = getStaticHeadDim();
  if (!number || ShapedType::isDynamic(headDim))
    return std::nullopt;
  return op.getScale().evaluate(headDim, *number);
}

Value ScoreEmitter::emitScale(const Row &row) {
  if (row.scale)
    return row.scale;
  if (std::optional<double> lambda = getKnownScale())
    return rows.constant(*lambda);

  ScalePolicyAttrInterface scale = op.getScale();
  LengthAttr length = scale.getLength();
  ScaleInputs inputs;
  Value headDim = sizes[op.getHeadDimDim()];
  inputs.staticHeadDim = getStaticHeadDim();
  if (ShapedType::isDynamic(inputs.staticHeadDim))
    headDim = arith::MaxSIOp::create(rows.getBuilder(), rows.getLoc(), headDim,
                                     rows.index(1));
  inputs.headDim = rows.toFloatLanes(headDim);
  inputs.length = emitLength(row);
  ParamRange params = op.getScaleParams();
  if (length && length.getKind() == LengthKind::PositionOperand)
    --params.count;
  inputs.params = loadParams(params, row.local);
  return scale.emitScale(rows, inputs);
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// An absolute index as the region's block argument: index, or a vector of it.
static Value toIndexLanes(LaneBuilder &lanes, Value ints) {
  OpBuilder &builder = lanes.getBuilder();
  Type type = builder.getIndexType();
  if (lanes.isVector())
    type = VectorType::get({lanes.getLanes()}, type);
  if (ints.getType() == type)
    return ints;
  return arith::IndexCastOp::create(builder, lanes.getLoc(), type, ints);
}

/// A float scalar or vector with elements of another float type; booleans are
/// what they are.
static Value toElementType(LaneBuilder &lanes, Value value, Type element) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == element)
    return value;
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(element);
  if (from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(lanes.getBuilder(), lanes.getLoc(), type,
                                 value);
  return arith::TruncFOp::create(lanes.getBuilder(), lanes.getLoc(), type,
                                 value);
}

Value ScoreEmitter::emitRegion(Value score, const Row &row,
                               const Column &column) {
  Region *region = op.getScoreBody();
  if (!region)
    return score;
  OpBuilder &builder = lanes.getBuilder();
  Block &block = region->front();
  IRMapping mapping;
  ScoreIndices where = row.local;
  where.key = column.local;
  Value batch = lanes.integer(0);
  if (std::optional<unsigned> dim = op.getDim(DimRole::Batch))
    batch = lanes.toIntLanes(arith::AddIOp::create(
        builder, lanes.getLoc(), getOrigin(*dim), row.local.batch[*dim]));
  Value head = row.head ? spread(row.head) : lanes.integer(0);
  SmallVector<Value> arguments = {score, toIndexLanes(lanes, batch),
                                  toIndexLanes(lanes, head),
                                  toIndexLanes(lanes, spread(row.absolute)),
                                  toIndexLanes(lanes, column.absolute)};
  for (auto [value, argument] :
       llvm::zip_equal(loadParams(op.getRegionParams(), where),
                       block.getArguments().drop_front(arguments.size())))
    arguments.push_back(toElementType(lanes, value, argument.getType()));
  mapping.map(block.getArguments(), arguments);

  for (Operation &inner : block.without_terminator()) {
    Operation *clone = builder.clone(inner, mapping);
    if (!lanes.isVector())
      continue;
    // Constants are spread over the lanes; every other op is elementwise.
    if (clone->hasTrait<OpTrait::ConstantLike>()) {
      builder.setInsertionPointAfter(clone);
      Value scalar = clone->getResult(0);
      mapping.map(
          inner.getResult(0),
          Value(vector::BroadcastOp::create(
              builder, lanes.getLoc(),
              VectorType::get({lanes.getLanes()}, scalar.getType()), scalar)));
      continue;
    }
    for (OpResult result : clone->getResults())
      result.setType(VectorType::get({lanes.getLanes()}, result.getType()));
  }
  return mapping.lookup(cast<YieldOp>(block.getTerminator()).getScore());
}

/// What biases and the softcap's result are multiplied by: a region sees
/// natural units, without one everything is in log2 units from the start, or in
/// those of similarities.
double ScoreEmitter::getUnit() {
  if (similarityUnit)
    return *similarityUnit;
  return naturalUnits || op.getScoreBody() ? 1.0 : log2e;
}

void ScoreEmitter::prepareFactor(Row &row) {
  double next = similarityUnit ? log2e : getUnit();
  if (FloatAttr softcap = op.getSoftcapAttr())
    next = 1.0 / softcap.getValueAsDouble();
  row.factor = emitScale(row);
  if (next != 1.0)
    row.factor = rows.mul(row.factor, rows.constant(next));
  for (auto [i, bias] : llvm::enumerate(op.getBiases())) {
    ElementInputs inputs = getInputs(row, nullptr, op.getBiasParams(i));
    inputs.unit = getUnit();
    row.preparedBiases.push_back(
        cast<BiasAttrInterface>(bias).prepareBias(rows, inputs));
  }
}

/// |position - column|. Where lanes are apart from a first key, its distance is
/// one number of the row: an int becomes a float once, not for each lane, and
/// both are exact below 2^24.
Value ScoreEmitter::emitDistance(const Row &row, const Column &column) {
  if (!column.local.apart)
    return lanes.intToFloat(
        lanes.abs(lanes.sub(spread(row.position), column.absolute)));
  Value first = rows.add(rows.toIntLanes(getOrigin(op.getKeyDim())),
                         rows.toIntLanes(column.local.first));
  Value ahead = rows.intToFloat(rows.sub(row.position, first));
  Value distance = lanes.sub(spread(ahead), column.local.apart);
  // Where no row sees a later key, only hidden ones have another sign.
  std::optional<int64_t> right = getBand(op.getMasks()).right;
  return right && *right <= 0 ? distance : lanes.abs(distance);
}

Value ScoreEmitter::emitBias(unsigned bias, const Row &row,
                             const Column &column, double unit) {
  ElementInputs inputs = getInputs(row, &column, op.getBiasParams(bias));
  inputs.unit = unit;
  if (!row.preparedBiases.empty() && unit == getUnit())
    inputs.prepared = spread(row.preparedBiases[bias]);
  auto typed = cast<BiasAttrInterface>(op.getBiases()[bias]);
  if (cast<PolicyAttrInterface>(typed).usesPositions())
    inputs.distance = emitDistance(row, column);
  return typed.emitBias(lanes, inputs);
}

/// The sum of the additive masks; null without any.
Value ScoreEmitter::emitMaskTerms(const Row &row, const Column &column) {
  Value sum;
  for (auto [i, mask] : llvm::enumerate(op.getMasks())) {
    auto typed = cast<MaskAttrInterface>(mask);
    if (!typed.isAdditive())
      continue;
    Value term =
        typed.emitTerm(lanes, getInputs(row, &column, op.getMaskParams(i)));
    sum = sum ? lanes.add(sum, term) : term;
  }
  return sum;
}

Value ScoreEmitter::emitScore(Value similarity, const Row &row,
                              const Column &column) {
  Row prepared = row;
  if (!prepared.factor)
    prepareFactor(prepared);
  double unit = getUnit();
  SmallVector<Value> terms;
  for (unsigned i = 0, e = op.getBiases().size(); i < e; ++i)
    terms.push_back(emitBias(i, prepared, column, unit));
  Value masks = emitMaskTerms(prepared, column);
  if (masks && !op.getScoreBody())
    terms.push_back(lanes.mulFinite(masks, unit));

  Value score = similarity, factor = spread(prepared.factor);
  if (FloatAttr softcap = op.getSoftcapAttr()) {
    score = lanes.tanh(lanes.mul(score, factor));
    factor = lanes.constant(softcap.getValueAsDouble() * unit);
  }
  assert(!similarityUnit || (!op.getSoftcapAttr() && !op.getScoreBody()));
  if (similarityUnit)
    score = terms.empty() ? score : lanes.add(score, terms.front());
  else if (terms.empty())
    score = lanes.mul(score, factor);
  else
    score = lanes.fma(score, factor, terms.front());
  for (Value term : llvm::drop_begin(terms, std::min<size_t>(1, terms.size())))
    score = lanes.add(score, term);
  if (!op.getScoreBody())
    return score;
  score = emitRegion(score, prepared, column);
  if (masks)
    score = lanes.add(score, masks);
  return naturalUnits ? score : lanes.mulFinite(score, log2e);
}

Value ScoreEmitter::emitScaledScore(Value score, const Row &row,
                                    const Column &column) {
  if (FloatAttr softcap = op.getSoftcapAttr()) {
    double cap = softcap.getValueAsDouble();
    score = lanes.mul(lanes.tanh(lanes.mul(score, lanes.constant(1.0 / cap))),
                      lanes.constant(cap));
  }
  for (unsigned i = 0, e = op.getBiases().size(); i < e; ++i)
    score = lanes.add(score, emitBias(i, row, column, /*unit=*/1.0));
  score = emitRegion(score, row, column);
  if (Value masks = emitMaskTerms(row, column))
    score = lanes.add(score, masks);
  return score;
}

Value ScoreEmitter::emitVisible(const Row &row, const Column &column,
                                bool inRange) {
  Value visible;
  for (auto [i, mask] : llvm::enumerate(op.getMasks())) {
    auto typed = cast<MaskAttrInterface>(mask);
    if (inRange && typed.isRange())
      continue;
    Value one =
        typed.emitVisible(lanes, getInputs(row, &column, op.getMaskParams(i)));
    visible = visible ? lanes.bitAnd(visible, one) : one;
  }
  return visible;
}

Value ScoreEmitter::emitLogExtra(const Row &row) {
  return op.getNormalizer().emitLogExtra(
      rows, loadParams(op.getNormalizerParams(), row.local));
}
