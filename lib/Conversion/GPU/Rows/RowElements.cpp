//===- RowElements.cpp - What a GPU reads and writes of rows --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Shared/ConvertFloat.h"
#include "../../Shared/MemRefMemory.h"
#include "../Fragment/KernelBuilder.h"
#include "RowKernel.h"
#include "attn/Conversion/Math/ExpandMath.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

/// What one access takes at most.
constexpr int64_t kAccessBytes = 16;

/// What `read` gives where the piece is on; else 0.
static Value emitMasked(const RowPiece &piece, Type type,
                        llvm::function_ref<Value()> read) {
  using Values = KernelBuilder::Values;
  if (!piece.mask)
    return read();
  KernelBuilder kernel(piece.lanes.getBuilder(), piece.lanes.getLoc());
  return kernel.emitChoice(
      piece.mask, [&] { return Values{read()}; },
      [&] { return Values{kernel.zero(type)}; })[0];
}

/// The type of a piece in memory, a vector or an element, and how it is
/// aligned.
static std::pair<Type, llvm::MaybeAlign> getAccess(const RowPiece &piece,
                                                   Value memref) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  if (!piece.lanes.isVector())
    return {element, {}};
  int64_t bytes = piece.lanes.getLanes() * getElementBytes(element);
  return {VectorType::get({piece.lanes.getLanes()}, element),
          llvm::Align(std::min(bytes, kAccessBytes))};
}

static Value read(const RowPiece &piece, Value memref, ValueRange indices) {
  OpBuilder &b = piece.lanes.getBuilder();
  Location loc = piece.lanes.getLoc();
  auto [type, align] = getAccess(piece, memref);
  Value element;
  if (auto vector = dyn_cast<VectorType>(type))
    element = vector::LoadOp::create(b, loc, vector, memref, indices,
                                     /*nontemporal=*/false, align);
  else
    element = memref::LoadOp::create(b, loc, memref, indices);
  return convertFloat(b, loc, element, piece.lanes.getFloatType());
}

static void write(const RowPiece &piece, Value value, Value memref,
                  ValueRange indices) {
  OpBuilder &b = piece.lanes.getBuilder();
  Location loc = piece.lanes.getLoc();
  auto [type, align] = getAccess(piece, memref);
  value = convertFloat(b, loc, value, type);
  if (piece.lanes.isVector())
    vector::StoreOp::create(b, loc, value, memref, indices,
                            /*nontemporal=*/false, align);
  else
    memref::StoreOp::create(b, loc, value, memref, indices);
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

Value RowKernel::load(const RowPiece &piece, Value memref, ValueRange indices) {
  Value element = emitMasked(piece, piece.lanes.getFloatType(),
                             [&] { return read(piece, memref, indices); });
  if (schedule.getPieces() != 0)
    loaded[{memref, current}] = element;
  return element;
}

Value RowKernel::loadAgain(const RowPiece &piece, Value memref,
                           ValueRange indices) {
  if (schedule.getPieces() != 0)
    if (Value element = loaded.lookup({memref, current}))
      return element;
  return load(piece, memref, indices);
}

Value RowKernel::loadSame(const RowPiece &piece, Value memref,
                          ValueRange indices) {
  LaneBuilder scalars(piece.lanes.getBuilder(), loc, type, /*lanes=*/0,
                      kRowLaneOptions);
  return piece.lanes.toFloatLanes(emitMasked(
      piece, type, [&] { return loadNumber(scalars, memref, indices); }));
}

void RowKernel::store(const RowPiece &piece, Value value, Value memref,
                      ValueRange indices) {
  KernelBuilder(piece.lanes.getBuilder(), loc).emitIf(piece.mask, [&] {
    write(piece, value, memref, indices);
  });
}

//===----------------------------------------------------------------------===//
// Numbers of a row
//===----------------------------------------------------------------------===//

void RowKernel::emitOnce(LaneBuilder &scalars,
                         llvm::function_ref<void()> body) {
  KernelBuilder kernel(scalars.getBuilder(), loc);
  Value isFirst = kernel.equal(thread, 0);
  kernel.emitIf(exists ? kernel.both(isFirst, exists) : isFirst, body);
}

void RowKernel::storeOnce(LaneBuilder &scalars, Value value, Value memref,
                          ValueRange indices) {
  emitOnce(scalars, [&] { write({scalars, {}}, value, memref, indices); });
}

/// Nobody else reads the number, which may be another one by then.
void RowKernel::updateOnce(LaneBuilder &scalars, Value memref,
                           ValueRange indices, RowUpdate update) {
  emitOnce(scalars, [&] {
    Value old = loadNumber(scalars, memref, indices);
    write({scalars, {}}, update(scalars, old), memref, indices);
  });
}

//===----------------------------------------------------------------------===//
// What rows keep
//===----------------------------------------------------------------------===//

void RowKernel::allocateKept(OpBuilder &b) {
  SmallVector<int64_t> shape;
  Values dynamic, sizes(space->counts);
  // Neighbours in a warp are neighbours here.
  sizes.insert(schedule.getStrided() ? sizes.begin() : sizes.end(),
               space->sizes.begin(), space->sizes.end());
  for (Value size : sizes) {
    std::optional<int64_t> known = getConstantIntValue(size);
    shape.push_back(known.value_or(ShapedType::kDynamic));
    if (!known)
      dynamic.push_back(size);
  }
  keptMemory =
      memref::AllocOp::create(b, loc, MemRefType::get(shape, type), dynamic);
}

RowKernel::Values RowKernel::getKeptIndices(const RowPiece &piece) {
  Values indices(number);
  indices.insert(schedule.getStrided() ? indices.begin() : indices.end(),
                 piece.position.begin(), piece.position.end());
  return indices;
}

void RowKernel::keep(const RowPiece &piece, Value value) {
  if (!keptMemory) {
    keptPieces[current] = value;
    return;
  }
  store(piece, value, keptMemory, getKeptIndices(piece));
}

Value RowKernel::getKept(const RowPiece &piece) {
  if (!keptMemory)
    return keptPieces[current];
  return emitMasked(piece, piece.lanes.getFloatType(), [&] {
    return read(piece, keptMemory, getKeptIndices(piece));
  });
}

// Distances to the largest number, or scores that are small: what rounding them
// loses is far below the largest weight, as in attention.
Value RowKernel::emitWeight(LaneBuilder &lanes, Value x) {
  if (!lanes.getElementType().isF32())
    return lanes.exp(x);
  Value inLog2 = lanes.mul(x, lanes.constant(llvm::numbers::log2e));
  return emitDeviceExp2(lanes.getBuilder(), lanes.getLoc(), inLog2);
}
