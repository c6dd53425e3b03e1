//===- PackTiles.cpp - Rows of terms for the tile unit --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackTiles.h"

#include "../Lanes/LaneMemory.h"
#include "../Lanes/Transpose.h"
#include "../Shared/ConvertFloat.h"
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

/// The part of a row before `end`, and zeros behind it up to the next tile.
static void emitRowElements(OpBuilder &builder, Location loc, Value rows,
                            Value scratch, Value row, Value end) {
  Type element = cast<MemRefType>(scratch.getType()).getElementType();
  emitLoop(builder, loc, createIndex(builder, loc, 0), end, 1,
           [&](OpBuilder &b, Value term) {
             Value number =
                 memref::LoadOp::create(b, loc, rows, ValueRange{row, term});
             memref::StoreOp::create(b, loc,
                                     convertFloat(b, loc, number, element),
                                     scratch, ValueRange{row, term});
           });
  emitLoop(
      builder, loc, end, alignToTerms(builder, loc, end), 1,
      [&](OpBuilder &b, Value term) {
        Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
        memref::StoreOp::create(b, loc, zero, scratch, ValueRange{row, term});
      });
}

static void emitRowVectors(OpBuilder &builder, Location loc, Value rows,
                           Value scratch, Value row, Value end) {
  auto type = VectorType::get({kTileTerms}, builder.getBF16Type());
  auto maskType = VectorType::get({kTileTerms}, builder.getI1Type());
  auto copy = [&](OpBuilder &b, Value term, Value mask) {
    Value vector = loadFloats(b, loc, type, rows, ValueRange{row, term}, mask);
    vector::StoreOp::create(b, loc, vector, scratch, ValueRange{row, term});
  };
  Value rest = arith::RemUIOp::create(builder, loc, end,
                                      createIndex(builder, loc, kTileTerms));
  Value full = arith::SubIOp::create(builder, loc, end, rest);
  emitLoop(builder, loc, createIndex(builder, loc, 0), full, kTileTerms,
           [&](OpBuilder &b, Value term) { copy(b, term, Value()); });
  // None, or one.
  Value mask = vector::CreateMaskOp::create(builder, loc, maskType, rest);
  emitLoop(builder, loc, full, emitEnd(builder, loc, end), kTileTerms,
           [&](OpBuilder &b, Value term) { copy(b, term, mask); });
}

void attn::emitTileRows(OpBuilder &builder, Location loc, Value rows,
                        Value scratch) {
  Value end = getSize(builder, loc, rows, 1);
  auto emitRow = hasUnitInnerStride(rows) ? emitRowVectors : emitRowElements;
  emitLoop(builder, loc, createIndex(builder, loc, 0),
           getSize(builder, loc, rows, 0), 1, [&](OpBuilder &b, Value row) {
             emitRow(b, loc, rows, scratch, row, end);
           });
}

namespace {

/// `lanes` rows of kTileTerms terms at a time.
class TileTransposer {
public:
  TileTransposer(Location loc, const RegisterTile &tile, Value terms,
                 Value scratch)
      : loc(loc), tile(tile), terms(terms), scratch(scratch),
        stored(VectorType::get(
            {tile.lanes}, cast<MemRefType>(terms.getType()).getElementType())) {
  }

  void emit(OpBuilder &builder);

private:
  void emitBlock(OpBuilder &builder, Value firstTerm, Value firstRow,
                 bool isWhole);
  Value load(OpBuilder &builder, Value term, Value firstRow, bool isWhole);

  Location loc;
  const RegisterTile &tile;
  Value terms, scratch;
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

void TileTransposer::emitBlock(OpBuilder &builder, Value firstTerm,
                               Value firstRow, bool isWhole) {
  StepArithmetic arithmetic(builder, loc, tile);
  SmallVector<Value> steps;
  for (int64_t term = 0; term < kTileTerms; term += tile.getTerms()) {
    SmallVector<Value> taken;
    for (int64_t i = 0; i < tile.getTerms(); ++i)
      taken.push_back(load(builder, addIndex(builder, loc, firstTerm, term + i),
                           firstRow, isWhole));
    steps.push_back(arithmetic.join(taken));
  }
  auto rowType = VectorType::get({kTileTerms}, builder.getBF16Type());
  for (auto [r, row] : llvm::enumerate(emitTranspose(builder, loc, steps)))
    vector::StoreOp::create(
        builder, loc, vector::BitCastOp::create(builder, loc, rowType, row),
        scratch, ValueRange{addIndex(builder, loc, firstRow, r), firstTerm});
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
