//===- Alignment.cpp - Whether rows lie at multiples of bytes -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Alignment.h"
#include "MemRefMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;

namespace {

/// All distances of a memref together, in bytes: one that is no multiple leaves
/// a bit.
class DistanceBits {
public:
  DistanceBits(OpBuilder &builder, Location loc, Value memref, int64_t bytes)
      : b(builder), loc(loc),
        elementBytes(getElementBytes(getElementTypeOrSelf(memref))),
        bytes(bytes) {
    bits = arith::ConstantIndexOp::create(b, loc, 0);
  }

  /// Of the rows along the last dimension.
  void addRows(Value memref);
  /// Of the first element.
  void addStart(memref::ExtractStridedMetadataOp metadata);
  void add(const Distance &distance);
  /// Whether none of them leaves a bit; null where one always does.
  Value emitIsNone();

private:
  void addElements(OpFoldResult count);

  OpBuilder &b;
  Location loc;
  int64_t elementBytes, bytes;
  Value bits;
  bool isNever = false;
};

} // namespace

void DistanceBits::addElements(OpFoldResult count) {
  Value distance = b.createOrFold<arith::MulIOp>(
      loc, getValueOrCreateConstantIndexOp(b, loc, count),
      arith::ConstantIndexOp::create(b, loc, elementBytes));
  bits = b.createOrFold<arith::OrIOp>(loc, bits, distance);
}

void DistanceBits::addStart(memref::ExtractStridedMetadataOp metadata) {
  Value pointer = memref::ExtractAlignedPointerAsIndexOp::create(
      b, loc, metadata.getSource());
  bits = b.createOrFold<arith::OrIOp>(loc, bits, pointer);
  addElements(metadata.getConstifiedMixedOffset());
}

void DistanceBits::add(const Distance &distance) {
  std::optional<int64_t> size = getConstantIntValue(distance.size);
  std::optional<int64_t> stride = getConstantIntValue(distance.stride);
  // The stride of a single index is never used.
  if (size && *size <= 1)
    return;
  if (size && stride) {
    isNever |= *stride * elementBytes % bytes != 0;
    return;
  }
  auto value = [&](OpFoldResult result) {
    return getValueOrCreateConstantIndexOp(b, loc, result);
  };
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value isOne = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                              value(distance.size), one);
  addElements(OpFoldResult(b.createOrFold<arith::SelectOp>(
      loc, isOne, zero, value(distance.stride))));
}

void DistanceBits::addRows(Value memref) {
  // The offset of a part of aligned rows matters along them only. The other
  // ones may be numbers in device memory, which the host would wait for.
  auto part = memref.getDefiningOp<memref::SubViewOp>();
  if (part && part.getSourceType().isLastDimUnitStride() &&
      part.getSourceType().getRank() != 0) {
    addRows(part.getSource());
    addElements(part.getMixedOffsets().back());
    return;
  }
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
  addStart(metadata);
  if (metadata.getStrides().empty())
    return;
  auto sizes = metadata.getConstifiedMixedSizes();
  auto strides = metadata.getConstifiedMixedStrides();
  for (auto [size, stride] : llvm::zip_equal(ArrayRef(sizes).drop_back(),
                                             ArrayRef(strides).drop_back()))
    add({size, stride});
}

Value DistanceBits::emitIsNone() {
  if (isNever)
    return {};
  Value rest = b.createOrFold<arith::RemUIOp>(
      loc, bits, arith::ConstantIndexOp::create(b, loc, bytes));
  Value none = arith::ConstantIndexOp::create(b, loc, 0);
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, rest,
                                       none);
}

Value attn::emitIsAligned(OpBuilder &b, Location loc, Value memref,
                          int64_t bytes) {
  if (!cast<MemRefType>(memref.getType()).isLastDimUnitStride())
    return {};
  DistanceBits distances(b, loc, memref, bytes);
  distances.addRows(memref);
  return distances.emitIsNone();
}

Value attn::emitIsAligned(OpBuilder &b, Location loc, Value memref,
                          ArrayRef<Distance> distances, int64_t bytes) {
  DistanceBits all(b, loc, memref, bytes);
  all.addStart(memref::ExtractStridedMetadataOp::create(b, loc, memref));
  for (const Distance &distance : distances)
    all.add(distance);
  return all.emitIsNone();
}
