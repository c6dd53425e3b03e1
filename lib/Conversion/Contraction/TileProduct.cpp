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

Value TileMemory::getPointer(OpBuilder &builder, Location loc, Value row,
                             Value column) const {
  Value offset =
      arith::MulIOp::create(builder, loc, toInteger(builder, loc, row), stride);
  offset = arith::AddIOp::create(
      builder, loc, offset,
      multiply(builder, loc, toInteger(builder, loc, column), elementBytes));
  Value at = arith::AddIOp::create(builder, loc, address, offset);
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
      : loc(loc), sums(sums), rows(tile.mr / kTileRows), columns(tile.nr),
        rowBytes(operands.lhs.stride), stepBytes(operands.rhs.stride) {
    Value zero = createIndex(builder, loc, 0);
    for (int64_t i = 0; i < rows; ++i)
      lhs.push_back(operands.lhs.getPointer(
          builder, loc, addIndex(builder, loc, row, i * kTileRows), zero));
    for (int64_t j = 0; j < columns; ++j)
      rhs.push_back(operands.rhs.getPointer(
          builder, loc, zero,
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
  int64_t rows, columns;
  Value rowBytes, stepBytes;
  SmallVector<Value> lhs, rhs, results;
};

} // namespace

void TileEmitter::emitStart(OpBuilder &builder) {
  for (auto [i, pointer] : llvm::enumerate(results)) {
    if (sums.accumulates)
      amx::emitLoad(builder, loc, i, pointer, sums.memory.stride);
    else
      amx::emitZero(builder, loc, i);
  }
}

/// kTileTerms terms: a row of each tile of the left operand, all rows of each
/// tile of the right one.
void TileEmitter::emitSteps(OpBuilder &builder, Value chunk) {
  int64_t firstRow = rows * columns, firstColumn = firstRow + rows;
  Value bytes = arith::ConstantOp::create(
      builder, loc, builder.getI64IntegerAttr(kTileBytes));
  for (int64_t j = 0; j < columns; ++j)
    amx::emitLoad(builder, loc, firstColumn + j,
                  advance(builder, rhs[j], chunk,
                          multiply(builder, loc, stepBytes, kTileRows)),
                  stepBytes);
  for (int64_t i = 0; i < rows; ++i) {
    amx::emitLoad(builder, loc, firstRow + i,
                  advance(builder, lhs[i], chunk, bytes), rowBytes);
    for (int64_t j = 0; j < columns; ++j)
      amx::emitDotBF16(builder, loc, i * columns + j, firstRow + i,
                       firstColumn + j);
  }
}

void TileEmitter::emitEnd(OpBuilder &builder) {
  for (auto [i, pointer] : llvm::enumerate(results))
    amx::emitStore(builder, loc, i, pointer, sums.memory.stride);
}

void attn::emitTileProduct(OpBuilder &builder, Location loc,
                           const RegisterTile &tile,
                           const TileOperands &operands, Value row,
                           const TileSums &sums) {
  TileEmitter emitter(builder, loc, tile, operands, row, sums);
  emitter.emitStart(builder);
  Value chunks = arith::CeilDivUIOp::create(
      builder, loc, operands.depth, createIndex(builder, loc, kTileTerms));
  emitLoop(builder, loc, createIndex(builder, loc, 0), chunks, 1,
           [&](OpBuilder &b, Value chunk) { emitter.emitSteps(b, chunk); });
  emitter.emitEnd(builder);
}
