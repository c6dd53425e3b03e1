//===- PackTiles.cpp - Rows of terms for the tile unit --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackTiles.h"

#include "../Lanes/LaneMemory.h"
#include "../Lanes/Transpose.h"
#include "../Math/AVX512.h"
#include "../Shared/ConvertFloat.h"
#include "HalfParts.h"
#include "StepArithmetic.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

static Value getSize(OpBuilder &builder, Location loc, Value memref,
                     int64_t dim) {
  return getValueOrCreateConstantIndexOp(
      builder, loc, memref::getMixedSize(builder, loc, memref, dim));
}

/// Where zeros end behind `size` terms of a row: there is one tile at least.
static Value emitEnd(OpBuilder &builder, Location loc, Value size) {
  return arith::MaxUIOp::create(builder, loc, size,
                                createIndex(builder, loc, 1));
}

/// `size` rounded up to whole rows of tiles.
static Value alignToTerms(OpBuilder &builder, Location loc, Value size) {
  size = emitEnd(builder, loc, size);
  Value terms = createIndex(builder, loc, kTileTerms);
  Value chunks = arith::CeilDivUIOp::create(builder, loc, size, terms);
  return arith::MulIOp::create(builder, loc, chunks, terms);
}

namespace {

/// Rows of scratch, of each part of their terms.
class PartRows {
public:
  PartRows(Location loc, Value scratch, const RegisterTile &tile)
      : loc(loc), scratch(scratch), tile(tile),
        element(tile.parts == 1 ? tile.getNarrow() : tile.element) {}

  /// The tile's narrow numbers, or those of which there are parts.
  Type getElement() const { return element; }
  /// Then the code of a vector is long, and is to be there once: every vector
  /// may be the last one, which has a mask.
  bool hasParts() const { return tile.parts > 1; }
  /// A number or a vector of them.
  void store(OpBuilder &builder, Value number, Value row, Value term) const;

private:
  Location loc;
  Value scratch;
  const RegisterTile &tile;
  Type element;
};

} // namespace

/// The upper half of f32, which is a number of bf16.
static Value cut(OpBuilder &builder, Location loc, Value number) {
  auto vector = dyn_cast<VectorType>(number.getType());
  Type narrow = builder.getBF16Type();
  if (!vector) {
    Value bits =
        arith::BitcastOp::create(builder, loc, builder.getI32Type(), number);
    bits = arith::ShRUIOp::create(
        builder, loc, bits,
        arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), 16));
    bits = arith::TruncIOp::create(builder, loc, builder.getI16Type(), bits);
    return arith::BitcastOp::create(builder, loc, narrow, bits);
  }
  int64_t count = vector.getNumElements();
  auto halves = VectorType::get({2 * count}, builder.getI16Type());
  Value bits = vector::BitCastOp::create(builder, loc, halves, number);
  SmallVector<int64_t> upper;
  for (int64_t i = 0; i < count; ++i)
    upper.push_back(2 * i + 1);
  bits = vector::ShuffleOp::create(builder, loc, bits, bits, upper);
  return vector::BitCastOp::create(builder, loc, vector.clone(narrow), bits);
}

/// Vectors are rounded to bf16 by the target's instruction, two registers at a
/// time.
static Value round(OpBuilder &builder, Location loc, Value number,
                   Type narrow) {
  auto vector = dyn_cast<VectorType>(number.getType());
  if (!vector)
    return convertFloat(builder, loc, number, narrow);
  if (!vector.getElementType().isF32())
    return convertFloat(builder, loc, number, vector.clone(narrow));
  int64_t half = vector.getNumElements() / 2;
  auto take = [&](int64_t first) -> Value {
    return vector::ExtractStridedSliceOp::create(
        builder, loc, number, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{half},
        ArrayRef<int64_t>{1});
  };
  return avx512::emitRoundedToBF16(builder, loc, take(0), take(half));
}

void PartRows::store(OpBuilder &builder, Value number, Value row,
                     Value term) const {
  int64_t step = cast<MemRefType>(scratch.getType()).getDimSize(0) / tile.parts;
  bool isVector = isa<VectorType>(number.getType());
  for (int64_t part = 0; part < tile.parts; ++part) {
    Value rounded =
        tile.isCut(part)
            ? cut(builder, loc, number)
            : round(builder, loc, number,
                    cast<MemRefType>(scratch.getType()).getElementType());
    std::array<Value, 2> place = {addIndex(builder, loc, row, part * step),
                                  term};
    if (isVector)
      vector::StoreOp::create(builder, loc, rounded, scratch,
                              ValueRange(place));
    else
      memref::StoreOp::create(builder, loc, rounded, scratch,
                              ValueRange(place));
    if (part + 1 == tile.parts)
      return;
    number = tile.areHalves
                 ? emitSecondHalf(builder, loc, number)
                 : arith::SubFOp::create(
                       builder, loc, number,
                       convertFloat(builder, loc, rounded, number.getType()));
  }
}

/// The part of a row before `end`, and zeros behind it up to the next tile.
static void emitRowElements(OpBuilder &builder, Location loc, Value rows,
                            const PartRows &to, Value row, Value end) {
  Type element = to.getElement();
  emitLoop(builder, loc, createIndex(builder, loc, 0), end, 1,
           [&](OpBuilder &b, Value term) {
             Value number =
                 memref::LoadOp::create(b, loc, rows, ValueRange{row, term});
             to.store(b, convertFloat(b, loc, number, element), row, term);
           });
  emitLoop(builder, loc, end, alignToTerms(builder, loc, end), 1,
           [&](OpBuilder &b, Value term) {
             Value zero =
                 arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
             to.store(b, zero, row, term);
           });
}

static void emitRowVectors(OpBuilder &builder, Location loc, Value rows,
                           const PartRows &to, Value row, Value end) {
  auto type = VectorType::get({kTileTerms}, to.getElement());
  auto maskType = VectorType::get({kTileTerms}, builder.getI1Type());
  auto emitVectors = [&](Value first, Value limit, bool areWhole) {
    emitLoop(builder, loc, first, limit, kTileTerms,
             [&](OpBuilder &b, Value term) {
               Value mask;
               if (!areWhole) {
                 Value rest = arith::SubIOp::create(b, loc, end, term);
                 mask = vector::CreateMaskOp::create(b, loc, maskType, rest);
               }
               Value vector =
                   loadFloats(b, loc, type, rows, ValueRange{row, term}, mask);
               to.store(b, vector, row, term);
             });
  };
  Value whole = createIndex(builder, loc, 0);
  if (!to.hasParts()) {
    Value rest = arith::RemUIOp::create(builder, loc, end,
                                        createIndex(builder, loc, kTileTerms));
    whole = arith::SubIOp::create(builder, loc, end, rest);
    emitVectors(createIndex(builder, loc, 0), whole, /*areWhole=*/true);
  }
  emitVectors(whole, emitEnd(builder, loc, end), /*areWhole=*/false);
}

void attn::emitTileRows(OpBuilder &builder, Location loc,
                        const RegisterTile &tile, Value rows, Value scratch) {
  PartRows to(loc, scratch, tile);
  Value end = getSize(builder, loc, rows, 1);
  auto emitRow = hasUnitInnerStride(rows) ? emitRowVectors : emitRowElements;
  emitLoop(builder, loc, createIndex(builder, loc, 0),
           getSize(builder, loc, rows, 0), 1, [&](OpBuilder &b, Value row) {
             emitRow(b, loc, rows, to, row, end);
           });
}

namespace {

/// `lanes` rows of kTileTerms terms at a time.
class TileTransposer {
public:
  TileTransposer(Location loc, const RegisterTile &tile, Value terms,
                 Value scratch)
      : loc(loc), tile(tile), terms(terms), to(loc, scratch, tile),
        stored(VectorType::get(
            {tile.lanes}, cast<MemRefType>(terms.getType()).getElementType())) {
  }

  void emit(OpBuilder &builder);

private:
  void emitBlock(OpBuilder &builder, Value firstTerm, Value firstRow,
                 bool isWhole);
  /// Each vector has the terms of a row.
  SmallVector<Value> turn(OpBuilder &builder, ArrayRef<Value> loaded);
  Value load(OpBuilder &builder, Value term, Value firstRow, bool isWhole);

  Location loc;
  const RegisterTile &tile;
  Value terms;
  PartRows to;
  VectorType stored;
  Value termCount, rowCount;
};

} // namespace

/// Terms and rows that do not exist are 0.
Value TileTransposer::load(OpBuilder &builder, Value term, Value firstRow,
                           bool isWhole) {
  std::array<Value, 2> position = {term, firstRow};
  if (isWhole)
    return vector::LoadOp::create(builder, loc, stored, terms,
                                  ValueRange(position));
  Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       term, termCount);
  Value count = arith::SubIOp::create(builder, loc, rowCount, firstRow);
  count = arith::SelectOp::create(builder, loc, exists, count,
                                  createIndex(builder, loc, 0));
  Value mask = vector::CreateMaskOp::create(
      builder, loc, VectorType::get({tile.lanes}, builder.getI1Type()), count);
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(stored));
  return vector::MaskedLoadOp::create(builder, loc, stored, terms,
                                      ValueRange(position), mask, zeros);
}

/// Narrow numbers are turned as pairs.
SmallVector<Value> TileTransposer::turn(OpBuilder &builder,
                                        ArrayRef<Value> loaded) {
  SmallVector<Value> rows;
  if (tile.parts == 1) {
    StepArithmetic arithmetic(builder, loc, tile);
    SmallVector<Value> steps;
    for (size_t term = 0; term < loaded.size(); term += tile.getTerms())
      steps.push_back(arithmetic.join(loaded.slice(term, tile.getTerms())));
    auto rowType = VectorType::get({kTileTerms}, tile.getNarrow());
    for (Value row : emitTranspose(builder, loc, steps))
      rows.push_back(vector::BitCastOp::create(builder, loc, rowType, row));
    return rows;
  }
  auto turnHalf = [&](ArrayRef<Value> half) {
    return emitTranspose(builder, loc, llvm::map_to_vector(half, [&](Value x) {
                           return convertFloat(builder, loc, x,
                                               tile.getVectorType());
                         }));
  };
  SmallVector<int64_t> both =
      llvm::to_vector(llvm::seq<int64_t>(0, kTileTerms));
  for (auto [first, second] :
       llvm::zip_equal(turnHalf(loaded.take_front(tile.lanes)),
                       turnHalf(loaded.drop_front(tile.lanes))))
    rows.push_back(
        vector::ShuffleOp::create(builder, loc, first, second, both));
  return rows;
}

void TileTransposer::emitBlock(OpBuilder &builder, Value firstTerm,
                               Value firstRow, bool isWhole) {
  SmallVector<Value> loaded;
  for (int64_t term = 0; term < kTileTerms; ++term)
    loaded.push_back(load(builder, addIndex(builder, loc, firstTerm, term),
                          firstRow, isWhole));
  for (auto [r, row] : llvm::enumerate(turn(builder, loaded)))
    to.store(builder, row, addIndex(builder, loc, firstRow, r), firstTerm);
}

void TileTransposer::emit(OpBuilder &builder) {
  termCount = getSize(builder, loc, terms, 0);
  rowCount = getSize(builder, loc, terms, 1);
  Value zero = createIndex(builder, loc, 0);
  Value rest = arith::RemUIOp::create(builder, loc, rowCount,
                                      createIndex(builder, loc, tile.lanes));
  Value fullRows = arith::SubIOp::create(builder, loc, rowCount, rest);
  emitLoop(builder, loc, zero, termCount, kTileTerms,
           [&](OpBuilder &outer, Value term) {
             Value left = arith::SubIOp::create(outer, loc, termCount, term);
             Value isFull = arith::CmpIOp::create(
                 outer, loc, arith::CmpIPredicate::uge, left,
                 createIndex(outer, loc, kTileTerms));
             Value whole =
                 arith::SelectOp::create(outer, loc, isFull, fullRows, zero);
             if (to.hasParts())
               whole = zero;
             else
               emitLoop(outer, loc, zero, whole, tile.lanes,
                        [&](OpBuilder &b, Value row) {
                          emitBlock(b, term, row, /*isWhole=*/true);
                        });
             emitLoop(outer, loc, whole, rowCount, tile.lanes,
                      [&](OpBuilder &b, Value row) {
                        emitBlock(b, term, row, /*isWhole=*/false);
                      });
           });
}

void attn::emitTransposedTileRows(OpBuilder &builder, Location loc,
                                  const RegisterTile &tile, Value terms,
                                  Value scratch) {
  TileTransposer(loc, tile, terms, scratch).emit(builder);
}
