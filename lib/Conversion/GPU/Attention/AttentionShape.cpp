//===- AttentionShape.cpp - What an attention kernel is made for ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionShape.h"

using namespace mlir;
using namespace attn;

/// 32-bit registers of a thread that a query may take: there are 255, and
/// accumulators take twice as many as it, and scores 32.
static constexpr int64_t kMostQueryRegisters = 32;
static constexpr int64_t kChunk = 16;
/// Keys of a tile in the kernel that stands in for the one with roles.
static constexpr int64_t kLongHead = 128, kManyKeys = 64, kFewKeys = 32;

/// The extent of dimension `dim` in the operand with `map`.
static int64_t getExtent(Value shaped, AffineMap map, unsigned dim) {
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (expr == getAffineDimExpr(dim, map.getContext()))
      return cast<ShapedType>(shaped.getType()).getDimSize(i);
  return ShapedType::kDynamic;
}

/// Query heads whose rows can follow each other in a tile.
static int64_t getTileHeads(AttentionOp op) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  int64_t group = getHeadGroup(op);
  if (group == 1)
    return 1;
  // The query's heads are one distance apart.
  unsigned head = op.getNumBatchDims() - 1;
  bool isPlain =
      llvm::all_of(self.getInputMap(0).getResults(), [&](AffineExpr expr) {
        return isa<AffineDimExpr>(expr) || !expr.isFunctionOfDim(head);
      });
  return isPlain ? group : 1;
}

FailureOr<AttentionShape> AttentionShape::get(AttentionOp op) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  AttentionShape shape;
  shape.schedule = cast<GPUAttentionAttr>(op.getScheduleAttr());
  shape.compute = self.getComputeType();
  shape.element =
      dyn_cast<FloatType>(getElementTypeOrSelf(op.getQuery().getType()));
  if (!shape.element || (!shape.usesMatrices() && !shape.element.isF32() &&
                         !shape.element.isF64()))
    return op.emitOpError("has no kernel on a GPU for elements of ")
           << getElementTypeOrSelf(op.getQuery().getType());
  for (Value other : {op.getKey(), op.getValue()})
    if (getElementTypeOrSelf(other.getType()) != shape.element)
      return op.emitOpError("has no kernel on a GPU for keys and values of "
                            "another type than the query");
  if (op.getLoadQueryAttr() || op.getLoadKeyAttr())
    return op.emitOpError("has no kernel on a GPU that changes rows when they "
                          "are loaded");
  shape.isCosine = self.isCosine();
  shape.hides = llvm::any_of(op.getMasks(), [](Attribute mask) {
    auto typed = cast<MaskAttrInterface>(mask);
    return !typed.isRange() || !typed.limitsKeys();
  });
  shape.headGroup = shape.splitsKeys() ? getTileHeads(op) : 1;
  shape.headDim =
      getExtent(op.getQuery(), self.getInputMap(0), op.getHeadDimDim());
  shape.valueDim =
      getExtent(op.getValue(), self.getInputMap(2), op.getValueDim());
  if (shape.hasRoles() && !shape.takesRoles())
    return op.emitOpError("has no kernel with several stages for this type or "
                          "these heads");
  return shape;
}

bool AttentionShape::takesRoles() const {
  return usesMatrices() && headDim % kFragmentSize == 0 &&
         valueDim % kFragmentSize == 0 && valueDim <= kMostFragmentHeadDim;
}

AttentionShape AttentionShape::withoutRoles() const {
  AttentionShape shape = *this;
  // Long heads leave fewer registers for scores.
  bool isLong = std::max(headDim, valueDim) > kLongHead;
  shape.schedule = GPUAttentionAttr::get(
      schedule.getContext(), getRows(), isLong ? kFewKeys : kManyKeys,
      getWarps(), /*blocks=*/1, /*stages=*/1, /*splitKeys=*/0, /*items=*/1);
  return shape;
}

bool AttentionShape::keepsQuery() const {
  int64_t registers = getPaddedHead() * getRowsPerWarp() * getElementBytes() /
                      (32 * int64_t(sizeof(uint32_t)));
  return usesMatrices() && registers <= kMostQueryRegisters;
}

bool AttentionShape::fillsChunks() const {
  return headDim * getElementBytes() % kChunk == 0 &&
         valueDim * getElementBytes() % kChunk == 0;
}

int64_t AttentionShape::getQueryBytes() const {
  // Weights may lie where a query was that is in registers by now.
  int64_t columns = std::max(getPaddedHead(), getPaddedValue());
  if (keepsQuery())
    columns = std::max(columns, getKeys());
  return getRows() * columns * getElementBytes();
}

int64_t AttentionShape::getKeyFactorsOffset() const {
  int64_t tiles = getQueryBytes() + getKeyBytes() + getValueBytes();
  return keepsQuery() ? tiles
                      : tiles + getRows() * getKeys() * getElementBytes();
}

int64_t AttentionShape::getSharedBytes() const {
  int64_t factors =
      isCosine ? getKeys() * compute.getIntOrFloatBitWidth() / 8 : 0;
  return getKeyFactorsOffset() + factors;
}
