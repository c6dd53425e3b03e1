//===- KeyNorms.cpp - Norms of a block of keys ----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys are not normalised in memory; a similarity is divided by the norm of its
// key instead. As many keys as a vector has lanes are taken together: each one
// is squared along its row, and one transpose turns their partial sums into
// lanes, so that roots and quotients are computed for all of them at once.
//
//===----------------------------------------------------------------------===//

#include "KeyNorms.h"

#include "../Lanes/LaneSums.h"
#include "../Lanes/Transpose.h"
#include "../Shared/ConvertFloat.h"
#include "../Shared/NormFactor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

namespace {

class KeyNormEmitter {
public:
  KeyNormEmitter(Location loc, Value keys, const RegisterTile &tile)
      : loc(loc), keys(keys), tile(tile),
        dims(cast<MemRefType>(keys.getType()).getDimSize(1)) {}

  /// Sums of squares of the keys at `rows`, one in each lane.
  Value emitSquares(OpBuilder &b, ArrayRef<Value> rows);

private:
  Value loadDims(OpBuilder &b, Value row, Value column, int64_t count);
  Value emitPartialSums(OpBuilder &b, Value row);
  Value emitScalarSquares(OpBuilder &b, ArrayRef<Value> rows);

  Location loc;
  Value keys;
  const RegisterTile &tile;
  int64_t dims;
};

} // namespace

/// `count` elements of a row, zeros in the lanes after them.
Value KeyNormEmitter::loadDims(OpBuilder &b, Value row, Value column,
                               int64_t count) {
  Value mask;
  if (count != tile.lanes)
    mask = vector::ConstantMaskOp::create(
        b, loc, VectorType::get({tile.lanes}, b.getI1Type()),
        ArrayRef<int64_t>{count});
  return loadFloats(b, loc, tile.getVectorType(), keys, ValueRange{row, column},
                    mask);
}

Value KeyNormEmitter::emitPartialSums(OpBuilder &b, Value row) {
  Value sum =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(tile.getVectorType()));
  for (int64_t column = 0; column < dims; column += tile.lanes) {
    Value values = loadDims(b, row, createIndex(b, loc, column),
                            std::min(tile.lanes, dims - column));
    sum = vector::FMAOp::create(b, loc, values, values, sum);
  }
  return sum;
}

Value KeyNormEmitter::emitScalarSquares(OpBuilder &b, ArrayRef<Value> rows) {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(tile.element));
  SmallVector<Value> init(rows.size(), zero);
  auto loop = scf::ForOp::create(
      b, loc, createIndex(b, loc, 0), createIndex(b, loc, dims),
      createIndex(b, loc, 1), init,
      [&](OpBuilder &nested, Location, Value column, ValueRange sums) {
        SmallVector<Value> next;
        for (auto [row, sum] : llvm::zip_equal(rows, sums)) {
          Value value = memref::LoadOp::create(nested, loc, keys,
                                               ValueRange{row, column});
          value = convertFloat(nested, loc, value, tile.element);
          Value square = arith::MulFOp::create(nested, loc, value, value);
          next.push_back(arith::AddFOp::create(nested, loc, sum, square));
        }
        scf::YieldOp::create(nested, loc, next);
      });
  return vector::FromElementsOp::create(
      b, loc, tile.getVectorType(),
      llvm::to_vector_of<Value>(loop.getResults()));
}

Value KeyNormEmitter::emitSquares(OpBuilder &b, ArrayRef<Value> rows) {
  if (!hasUnitInnerStride(keys))
    return emitScalarSquares(b, rows);
  SmallVector<Value> sums;
  for (Value row : rows)
    sums.push_back(emitPartialSums(b, row));
  return emitTree(emitTranspose(b, loc, sums), [&](Value x, Value y) -> Value {
    return arith::AddFOp::create(b, loc, x, y);
  });
}

void attn::emitKeyNorms(OpBuilder &builder, Location loc, Value keys,
                        Value norms, const RegisterTile &tile,
                        CosineAttr cosine) {
  Value count = memref::DimOp::create(builder, loc, keys, 0);
  Value last =
      arith::SubIOp::create(builder, loc, count, createIndex(builder, loc, 1));
  KeyNormEmitter emitter(loc, keys, tile);
  emitLoop(builder, loc, createIndex(builder, loc, 0), count, tile.lanes,
           [&](OpBuilder &b, Value key) {
             SmallVector<Value> rows;
             for (int64_t r = 0; r < tile.lanes; ++r)
               rows.push_back(arith::MinUIOp::create(
                   b, loc, addIndex(b, loc, key, r), last));
             LaneBuilder lanes(b, loc, tile.element, tile.lanes);
             Value norm =
                 emitNormFactor(lanes, cosine, emitter.emitSquares(b, rows));
             vector::StoreOp::create(b, loc, norm, norms, ValueRange(key));
           });
}
