//===- TileProduct.cpp - Register tiles on the tile unit ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileProduct.h"

#include "../Lanes/LaneMemory.h"
#include "../Math/AMX.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

static Value toInteger(OpBuilder &builder, Location loc, Value index) {
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
}

static Value multiply(OpBuilder &builder, Location loc, Value a, int64_t b) {
  if (b == 1)
    return a;
  Value factor =
      arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(b));
  return arith::MulIOp::create(builder, loc, a, factor);
}

TileMemory TileMemory::get(OpBuilder &builder, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  auto toBytes = [&](Value index) {
    return multiply(builder, loc, toInteger(builder, loc, index), bytes);
  };
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memref);
  Value address =
      arith::AddIOp::create(builder, loc, toInteger(builder, loc, base),
                            toBytes(metadata.getOffset()));
  int64_t known = type.getStridesAndOffset().first.front();
  Value stride = ShapedType::isStatic(known)
                     ? createIndex(builder, loc, known)
                     : Value(metadata.getStrides().front());
  return {address, toBytes(stride), bytes};
}

Value TileMemory::getAddress(OpBuilder &builder, Location loc, Value row,
                             Value column) const {
  Value offset =
      arith::MulIOp::create(builder, loc, toInteger(builder, loc, row), stride);
  offset = arith::AddIOp::create(
      builder, loc, offset,
      multiply(builder, loc, toInteger(builder, loc, column), elementBytes));
  return arith::AddIOp::create(builder, loc, address, offset);
}

Value TileMemory::getPointer(OpBuilder &builder, Location loc, Value row,
                             Value column) const {
  Value at = getAddress(builder, loc, row, column);
  auto pointerType = LLVM::LLVMPointerType::get(builder.getContext());
  return LLVM::IntToPtrOp::create(builder, loc, pointerType, at);
}

namespace {

/// Tile registers by their part in a product: sums first, row by row, then
/// those of the left and the right operand.
class TileEmitter {
public:
  TileEmitter(OpBuilder &builder, Location loc, const RegisterTile &tile,
              const TileOperands &operands, Value row, const TileSums &sums)
      : loc(loc), sums(sums), narrow(tile.getNarrow()),
        rows(tile.mr / kTileRows), columns(tile.nr), parts(tile.parts),
        lhsPartBytes(operands.lhsPartBytes),
        rhsPartBytes(operands.rhsPartBytes), isWhole(operands.isWhole),
        rowBytes(operands.lhs.stride), stepBytes(operands.rhs.stride),
        prefetches(operands.prefetchesRhs) {
    Value zero = createIndex(builder, loc, 0), step = zero;
    if (operands.rhsBegin)
      step = arith::DivUIOp::create(builder, loc, operands.rhsBegin,
                                    createIndex(builder, loc, tile.getTerms()));
    for (int64_t i = 0; i < rows; ++i)
      lhs.push_back(operands.lhs.getPointer(
          builder, loc, addIndex(builder, loc, row, i * kTileRows), zero));
    for (int64_t j = 0; j < columns; ++j)
      rhs.push_back(operands.rhs.getPointer(
          builder, loc, step,
          addIndex(builder, loc, operands.column, j * tile.lanes)));
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        results.push_back(sums.memory.getPointer(
            builder, loc, addIndex(builder, loc, sums.row, i * kTileRows),
            addIndex(builder, loc, sums.column, j * tile.lanes)));
  }

  void emitStart(OpBuilder &builder);
  void emitSteps(OpBuilder &builder, Value chunk);
  void emitEnd(OpBuilder &builder);

private:
  void emitPrefetches(OpBuilder &builder, Value pointer, Value ahead);
  /// The pointer `chunk` times so many bytes further.
  Value advance(OpBuilder &builder, Value pointer, Value chunk, Value bytes) {
    Value offset = arith::MulIOp::create(builder, loc,
                                         toInteger(builder, loc, chunk), bytes);
    return LLVM::GEPOp::create(builder, loc, pointer.getType(),
                               builder.getI8Type(), pointer,
                               ValueRange(offset));
  }

  Location loc;
  const TileSums &sums;
  FloatType narrow;
  int64_t rows, columns, parts, lhsPartBytes, rhsPartBytes;
  bool isWhole;
  Value rowBytes, stepBytes;
  bool prefetches;
  SmallVector<Value> lhs, rhs, results;
};

} // namespace

void TileEmitter::emitStart(OpBuilder &builder) {
  auto load = [&](OpBuilder &b) {
    for (auto [i, pointer] : llvm::enumerate(results))
      amx::emitLoad(b, loc, i, pointer, sums.memory.stride);
  };
  auto clear = [&](OpBuilder &b) {
    for (size_t i = 0; i < results.size(); ++i)
      amx::emitZero(b, loc, i);
  };
  if (!sums.isFirst)
    return sums.accumulates ? load(builder) : clear(builder);
  auto branch = scf::IfOp::create(builder, loc, sums.isFirst,
                                  /*withElseRegion=*/true);
  OpBuilder first = branch.getThenBodyBuilder(),
            more = branch.getElseBodyBuilder();
  clear(first);
  load(more);
}

/// Asks for the tile `ahead` bytes behind a pointer. There may be none.
void TileEmitter::emitPrefetches(OpBuilder &builder, Value pointer,
                                 Value ahead) {
  for (int64_t r = 0; r < kTileRows; ++r) {
    Value offset = arith::AddIOp::create(builder, loc, ahead,
                                         multiply(builder, loc, stepBytes, r));
    Value at =
        LLVM::GEPOp::create(builder, loc, pointer.getType(),
                            builder.getI8Type(), pointer, ValueRange(offset));
    LLVM::Prefetch::create(builder, loc, at, /*rw=*/0, /*hint=*/3, /*cache=*/1);
  }
}

/// kTileTerms terms: a row of each tile of the left operand, all rows of each
/// tile of the right one. Of parts i and j the products with i + j below their
/// number count, or all.
void TileEmitter::emitSteps(OpBuilder &builder, Value chunk) {
  int64_t firstRow = rows * columns, firstColumn = firstRow + rows;
  Value bytes = arith::ConstantOp::create(
      builder, loc, builder.getI64IntegerAttr(kTileBytes));
  Value chunkBytes = multiply(builder, loc, stepBytes, kTileRows);
  auto getPart = [&](Value pointer, int64_t offset) -> Value {
    if (offset == 0)
      return pointer;
    Value distance = arith::ConstantOp::create(
        builder, loc, builder.getI64IntegerAttr(offset));
    return LLVM::GEPOp::create(builder, loc, pointer.getType(),
                               builder.getI8Type(), pointer,
                               ValueRange(distance));
  };
  for (int64_t part = 0; part < parts; ++part) {
    for (int64_t j = 0; j < columns; ++j) {
      Value at = getPart(advance(builder, rhs[j], chunk, chunkBytes),
                         part * rhsPartBytes);
      if (prefetches)
        emitPrefetches(builder, at, chunkBytes);
      amx::emitLoad(builder, loc, firstColumn + j, at, stepBytes);
    }
    for (int64_t other = 0; other < (isWhole ? parts : parts - part); ++other)
      for (int64_t i = 0; i < rows; ++i) {
        Value at = advance(builder, lhs[i], chunk, bytes);
        amx::emitLoad(builder, loc, firstRow + i,
                      getPart(at, other * lhsPartBytes), rowBytes);
        for (int64_t j = 0; j < columns; ++j)
          amx::emitDot(builder, loc, narrow, i * columns + j, firstRow + i,
                       firstColumn + j);
      }
  }
}

void TileEmitter::emitEnd(OpBuilder &builder) {
  for (auto [i, pointer] : llvm::enumerate(results))
    amx::emitStore(builder, loc, i, pointer, sums.memory.stride);
}

void attn::emitTileProduct(OpBuilder &builder, Location loc,
                           const RegisterTile &tile,
                           const TileOperands &operands, Value row,
                           const TileSums &sums, TileCompanion companion) {
  TileEmitter emitter(builder, loc, tile, operands, row, sums);
  emitter.emitStart(builder);
  Value chunks = arith::CeilDivUIOp::create(
      builder, loc, operands.depth, createIndex(builder, loc, kTileTerms));
  emitLoop(builder, loc, createIndex(builder, loc, 0), chunks, 1,
           [&](OpBuilder &b, Value chunk) {
             emitter.emitSteps(b, chunk);
             if (companion)
               companion(b, chunk);
           });
  emitter.emitEnd(builder);
}

Value attn::emitAnyNaN(OpBuilder &builder, Location loc,
                       const RegisterTile &tile, Value sums, Value count) {
  auto type = VectorType::get({tile.lanes}, builder.getI1Type());
  Value none =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  auto loop = scf::ForOp::create(
      builder, loc, createIndex(builder, loc, 0), count,
      createIndex(builder, loc, 1), none,
      [&](OpBuilder &b, Location, Value row, ValueRange found) {
        Value isNaN = found.front();
        for (int64_t c = 0; c < tile.nr; ++c) {
          Value sum = vector::LoadOp::create(
              b, loc, tile.getVectorType(), sums,
              ValueRange{row, createIndex(b, loc, c * tile.lanes)});
          isNaN = arith::OrIOp::create(
              b, loc, isNaN,
              arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, sum,
                                    sum));
        }
        scf::YieldOp::create(b, loc, isNaN);
      });
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR,
                                     loop.getResult(0));
}
