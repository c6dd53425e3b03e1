//===- TileRows.cpp - Rows of memory for the tile unit --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileRows.h"

#include "../Lanes/LaneMemory.h"
#include "PackTiles.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

/// Whether `size` is a multiple of `step`: null where it never is, a constant
/// where it always is.
static Value emitIsMultiple(OpBuilder &builder, Location loc, OpFoldResult size,
                            int64_t step) {
  if (std::optional<int64_t> known = getConstantIntValue(size)) {
    if (*known % step != 0)
      return {};
    return arith::ConstantIntOp::create(builder, loc, /*value=*/1,
                                        /*width=*/1);
  }
  Value rest = arith::RemUIOp::create(
      builder, loc, getValueOrCreateConstantIndexOp(builder, loc, size),
      createIndex(builder, loc, step));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rest,
                               createIndex(builder, loc, 0));
}

static Value transpose(OpBuilder &builder, Location loc, Value memref) {
  AffineMap swap = AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0},
                                                builder.getContext());
  return memref::TransposeOp::create(builder, loc, memref,
                                     AffineMapAttr::get(swap));
}

SmallVector<int64_t> attn::getTileRowsShape(int64_t rowBound, int64_t termBound,
                                            const RegisterTile &tile) {
  return {int64_t(llvm::alignTo(rowBound, tile.mr)) * tile.parts,
          int64_t(llvm::alignTo(termBound, kTileTerms))};
}

TileRows attn::emitTileRowsOf(OpBuilder &builder, Location loc, Value rows,
                              Value scratch, const RegisterTile &tile) {
  TileMemory copied = TileMemory::get(builder, loc, scratch);
  SmallVector<OpFoldResult> zeros(2, builder.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(2, builder.getIndexAttr(1));
  auto getCopy = [&]() -> TileRows {
    return {copied, memref::SubViewOp::create(
                        builder, loc, scratch, zeros,
                        memref::getMixedSizes(builder, loc, rows), ones)};
  };
  bool isNarrow = getElementTypeOrSelf(rows.getType()) == tile.getNarrow();
  bool hasParts = tile.parts > 1;
  if ((isNarrow || hasParts) && !hasUnitInnerStride(rows)) {
    Value terms = transpose(builder, loc, rows);
    if (hasUnitInnerStride(terms)) {
      emitTransposedTileRows(builder, loc, tile, terms, scratch);
      return hasParts ? TileRows{copied, rows} : getCopy();
    }
  }
  if (hasParts) {
    emitTileRows(builder, loc, tile, rows, scratch);
    return {copied, rows};
  }
  Value isWhole;
  if (isNarrow && hasUnitInnerStride(rows)) {
    Value areRows = emitIsMultiple(
        builder, loc, memref::getMixedSize(builder, loc, rows, 0), tile.mr);
    Value areTerms = emitIsMultiple(
        builder, loc, memref::getMixedSize(builder, loc, rows, 1), kTileTerms);
    if (areRows && areTerms)
      isWhole = arith::AndIOp::create(builder, loc, areRows, areTerms);
  }
  if (!isWhole) {
    emitTileRows(builder, loc, tile, rows, scratch);
    return getCopy();
  }
  auto branch = scf::IfOp::create(builder, loc, isWhole,
                                  /*withElseRegion=*/true);
  OpBuilder otherwise = branch.getElseBodyBuilder();
  emitTileRows(otherwise, loc, tile, rows, scratch);
  TileMemory direct = TileMemory::get(builder, loc, rows);
  auto select = [&](Value whole, Value other) -> Value {
    return arith::SelectOp::create(builder, loc, isWhole, whole, other);
  };
  return {{select(direct.address, copied.address),
           select(direct.stride, copied.stride), copied.elementBytes},
          rows};
}

Value attn::emitAreFinite(OpBuilder &builder, Location loc, FloatType narrow,
                          const TileMemory &memory, Value rows, Value terms) {
  constexpr int64_t noSign = 0x7fff;
  int64_t infinity = APFloat::getInf(narrow.getFloatSemantics())
                         .bitcastToAPInt()
                         .getSExtValue();
  auto type = VectorType::get({kTileTerms}, builder.getI16Type());
  auto splat = [&](int64_t bits) -> Value {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, builder.getI16IntegerAttr(int16_t(bits))));
  };
  Value zero = createIndex(builder, loc, 0), size = splat(noSign);
  auto emitRow = [&](OpBuilder &outer, Location, Value row, ValueRange found) {
    auto loop = scf::ForOp::create(
        outer, loc, zero, terms, createIndex(outer, loc, kTileTerms), found,
        [&](OpBuilder &b, Location, Value term, ValueRange largest) {
          Value bits = LLVM::LoadOp::create(
              b, loc, type, memory.getPointer(b, loc, row, term),
              /*alignment=*/memory.elementBytes);
          bits = arith::AndIOp::create(b, loc, bits, size);
          Value next = arith::MaxUIOp::create(b, loc, largest.front(), bits);
          scf::YieldOp::create(b, loc, next);
        });
    scf::YieldOp::create(outer, loc, loop.getResults());
  };
  auto loop =
      scf::ForOp::create(builder, loc, zero, rows, createIndex(builder, loc, 1),
                         splat(0), emitRow);
  Value largest = vector::ReductionOp::create(
      builder, loc, vector::CombiningKind::MAXUI, loop.getResult(0));
  return arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, largest,
      arith::ConstantOp::create(builder, loc,
                                builder.getI16IntegerAttr(infinity)));
}
