//===- Masks.cpp - Which keys each mask leaves to a row -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"

#include <limits>

using namespace mlir;
using namespace attn;

using Specs = SmallVector<ParamSpec>;
using Position = std::optional<int64_t>;

static SmallVector<DimRole, 4> allRoles() {
  return {DimRole::Batch, DimRole::Head, DimRole::Row, DimRole::Key};
}

//===----------------------------------------------------------------------===//
// All masks of an op
//===----------------------------------------------------------------------===//

KeyBand attn::getBand(ArrayAttr masks, Position position) {
  KeyBand band;
  for (auto mask : masks.getAsRange<MaskAttrInterface>())
    band.narrow(mask.getBand(position));
  return band;
}

std::optional<unsigned> attn::findSegmentParams(AttentionOpInterface op) {
  for (auto [i, mask] : llvm::enumerate(op.getMasks()))
    if (cast<MaskAttrInterface>(mask).hasSegments())
      return op.getMaskParams(i).first;
  return std::nullopt;
}

std::optional<unsigned> attn::findCountedSegments(AttentionOpInterface op) {
  LengthAttr length = op.getScale().getLength();
  if (!length || length.getKind() != LengthKind::Position)
    return std::nullopt;
  return findSegmentParams(op);
}

//===----------------------------------------------------------------------===//
// causal
//===----------------------------------------------------------------------===//

bool CausalAttr::usesPositions() const { return true; }
bool CausalAttr::isRange() const { return true; }
KeyBand CausalAttr::getBand(Position) const { return {std::nullopt, 0}; }

/// Keys up to the row's own.
static void narrowToPast(LaneBuilder &lanes, const ElementInputs &row,
                         Value &upper) {
  upper = lanes.min(upper, lanes.add(row.position, lanes.integer(1)));
}

void CausalAttr::narrowRange(LaneBuilder &lanes, const ElementInputs &row,
                             Value &, Value &upper) const {
  narrowToPast(lanes, row, upper);
}

Value CausalAttr::emitVisible(LaneBuilder &lanes,
                              const ElementInputs &where) const {
  return lanes.cmp(arith::CmpIPredicate::sle, where.column, where.position);
}

//===----------------------------------------------------------------------===//
// window
//===----------------------------------------------------------------------===//

LogicalResult WindowAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t left, int64_t right) {
  if (left < -1 || right < -1)
    return emitError() << "a window side is a count of keys, or -1 for open";
  return success();
}

bool WindowAttr::usesPositions() const { return true; }
bool WindowAttr::isRange() const { return true; }

/// A side that is so wide hides no key of any tensor, and may not be added to a
/// position in 32 bits.
static std::optional<int64_t> getSide(int64_t count) {
  constexpr int64_t widest = int64_t(1) << 30;
  return count == -1 || count >= widest ? std::nullopt : std::optional(count);
}

KeyBand WindowAttr::getBand(Position) const {
  return {getSide(getLeft()), getSide(getRight())};
}

void WindowAttr::narrowRange(LaneBuilder &lanes, const ElementInputs &row,
                             Value &lower, Value &upper) const {
  if (std::optional<int64_t> left = getSide(getLeft()))
    lower = lanes.max(lower, lanes.sub(row.position, lanes.integer(*left)));
  if (std::optional<int64_t> right = getSide(getRight()))
    upper =
        lanes.min(upper, lanes.add(row.position, lanes.integer(*right + 1)));
}

Value WindowAttr::emitVisible(LaneBuilder &lanes,
                              const ElementInputs &where) const {
  Value visible;
  if (std::optional<int64_t> left = getSide(getLeft()))
    visible = lanes.cmp(arith::CmpIPredicate::sge, where.column,
                        lanes.sub(where.position, lanes.integer(*left)));
  if (std::optional<int64_t> right = getSide(getRight())) {
    Value isInside =
        lanes.cmp(arith::CmpIPredicate::sle, where.column,
                  lanes.add(where.position, lanes.integer(*right)));
    visible = visible ? lanes.bitAnd(visible, isInside) : isInside;
  }
  return visible ? visible : lanes.boolean(true);
}

//===----------------------------------------------------------------------===//
// kv_lengths
//===----------------------------------------------------------------------===//

Specs KvLengthsAttr::getParamSpecs() const {
  return {{"kv_lengths", ParamElement::Integer, {DimRole::Batch}}};
}

bool KvLengthsAttr::isRange() const { return true; }
bool KvLengthsAttr::limitsKeys() const { return true; }

void KvLengthsAttr::narrowRange(LaneBuilder &lanes, const ElementInputs &row,
                                Value &, Value &upper) const {
  upper = lanes.min(upper, row.params[0]);
}

Value KvLengthsAttr::emitVisible(LaneBuilder &lanes,
                                 const ElementInputs &where) const {
  return lanes.cmp(arith::CmpIPredicate::slt, where.column, where.params[0]);
}

//===----------------------------------------------------------------------===//
// segment_ids
//===----------------------------------------------------------------------===//

Specs SegmentIdsAttr::getParamSpecs() const {
  return {{"query segment ids",
           ParamElement::Integer,
           {DimRole::Batch, DimRole::Row},
           /*rankOne=*/std::nullopt,
           /*isName=*/true},
          {"key segment ids",
           ParamElement::Integer,
           {DimRole::Batch, DimRole::Key},
           /*rankOne=*/std::nullopt,
           /*isName=*/true}};
}

bool SegmentIdsAttr::hasSegments() const { return true; }

Value SegmentIdsAttr::emitVisible(LaneBuilder &lanes,
                                  const ElementInputs &where) const {
  return lanes.cmp(arith::CmpIPredicate::eq, where.params[0], where.params[1]);
}

//===----------------------------------------------------------------------===//
// dense_mask and additive_mask
//===----------------------------------------------------------------------===//

Specs DenseMaskAttr::getParamSpecs() const {
  return {{"mask", ParamElement::Boolean, allRoles()}};
}

Value DenseMaskAttr::emitVisible(LaneBuilder &,
                                 const ElementInputs &where) const {
  return where.params[0];
}

Specs AdditiveMaskAttr::getParamSpecs() const {
  return {{"mask", ParamElement::Float, allRoles()}};
}

bool AdditiveMaskAttr::isAdditive() const { return true; }

/// NaN is not a mask: it reaches the output, as the addition says.
Value AdditiveMaskAttr::emitVisible(LaneBuilder &lanes,
                                    const ElementInputs &where) const {
  Value hidden = lanes.constant(-std::numeric_limits<double>::infinity());
  return lanes.cmp(arith::CmpFPredicate::UNE, where.params[0], hidden);
}

Value AdditiveMaskAttr::emitTerm(LaneBuilder &,
                                 const ElementInputs &where) const {
  return where.params[0];
}

//===----------------------------------------------------------------------===//
// chunked
//===----------------------------------------------------------------------===//

LogicalResult ChunkedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t size) {
  // Positions are i32 where they lie in lanes.
  if (size < 1 || size > std::numeric_limits<int32_t>::max())
    return emitError() << "a chunk has 1 to 2147483647 keys, not " << size;
  return success();
}

bool ChunkedAttr::usesPositions() const { return true; }
bool ChunkedAttr::isRange() const { return true; }

KeyBand ChunkedAttr::getBand(Position position) const {
  if (!position)
    return {getSize() - 1, 0};
  return {std::max<int64_t>(0, *position) % getSize(), 0};
}

/// The first key of the chunk that the row is in. A row before all keys, whose
/// quotient is 0 or less, sees none anyway: they are all ahead of it.
static Value emitChunkStart(LaneBuilder &lanes, Value position, int64_t size) {
  Value count = lanes.integer(size);
  return lanes.mul(lanes.div(position, count), count);
}

void ChunkedAttr::narrowRange(LaneBuilder &lanes, const ElementInputs &row,
                              Value &lower, Value &upper) const {
  lower = lanes.max(lower, emitChunkStart(lanes, row.position, getSize()));
  narrowToPast(lanes, row, upper);
}

Value ChunkedAttr::emitVisible(LaneBuilder &lanes,
                               const ElementInputs &where) const {
  Value start = emitChunkStart(lanes, where.position, getSize());
  return lanes.bitAnd(
      lanes.cmp(arith::CmpIPredicate::sle, where.column, where.position),
      lanes.cmp(arith::CmpIPredicate::sge, where.column, start));
}

//===----------------------------------------------------------------------===//
// prefix_lm
//===----------------------------------------------------------------------===//

Specs PrefixLMAttr::getParamSpecs() const {
  return {{"prefix lengths", ParamElement::Integer, {DimRole::Batch}}};
}

bool PrefixLMAttr::usesPositions() const { return true; }
bool PrefixLMAttr::isRange() const { return true; }

/// One past the last key that the row may see.
static Value emitPrefixEnd(LaneBuilder &lanes, const ElementInputs &row) {
  return lanes.max(lanes.add(row.position, lanes.integer(1)), row.params[0]);
}

void PrefixLMAttr::narrowRange(LaneBuilder &lanes, const ElementInputs &row,
                               Value &, Value &upper) const {
  upper = lanes.min(upper, emitPrefixEnd(lanes, row));
}

Value PrefixLMAttr::emitVisible(LaneBuilder &lanes,
                                const ElementInputs &where) const {
  return lanes.cmp(arith::CmpIPredicate::slt, where.column,
                   emitPrefixEnd(lanes, where));
}
