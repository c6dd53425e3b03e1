//===- ParamTiles.cpp - Params of rows and keys, rows in lanes ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParamTiles.h"

#include "../Lanes/Transpose.h"
#include "../Shared/ConvertFloat.h"

#include "attn/Dialect/Attn/Score/ScoreEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

/// Keys whose booleans share a word.
static constexpr int64_t wordBits = 32;
/// Scratches of params come after those of keys and values.
static constexpr unsigned firstSlot = 8;

bool ParamTiles::isMatrix(unsigned index) {
  AffineMap map = op.getParamMap(index);
  return map.isFunctionOfDim(op.getRowDim()) &&
         map.isFunctionOfDim(op.getKeyDim());
}

/// The param as [row, key]; its other dimensions have size 1.
Value ParamTiles::getMatrix(unsigned index) {
  Value param = op.getParams()[index];
  AffineMap map = op.getParamMap(index);
  auto type = cast<MemRefType>(param.getType());
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> results;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    bool kept = expr.isFunctionOfDim(op.getRowDim()) ||
                expr.isFunctionOfDim(op.getKeyDim());
    sizes.push_back(kept ? memref::getMixedSize(builder, loc, param, i)
                         : OpFoldResult(builder.getIndexAttr(1)));
    if (!kept)
      continue;
    shape.push_back(type.getDimSize(i));
    results.push_back(expr);
  }
  SmallVector<OpFoldResult> zeros(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(sizes.size(), builder.getIndexAttr(1));
  auto reduced = memref::SubViewOp::inferRankReducedResultType(
      shape, type, zeros, sizes, ones);
  Value matrix = memref::SubViewOp::create(
      builder, loc, cast<MemRefType>(reduced), param, zeros, sizes, ones);
  return getOriented(
      builder, loc, matrix,
      AffineMap::get(map.getNumDims(), 0, results, map.getContext()),
      op.getRowDim());
}

Value ParamTiles::getLastRow(Value matrix) {
  Value rows = memref::DimOp::create(builder, loc, matrix, 0);
  return arith::SubIOp::create(builder, loc, rows,
                               createIndex(builder, loc, 1));
}

/// The next tile's part of a row: rows lie far apart, so that no hardware
/// prefetcher follows. Past the last tile it is of no use, and no harm.
void ParamTiles::emitPrefetch(OpBuilder &b, Value matrix, Value row,
                              Value key) {
  memref::PrefetchOp::create(
      b, loc, matrix, ValueRange{row, addIndex(b, loc, key, keyBound)},
      /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
}

void ParamTiles::fill(Value firstRow, int64_t maxKeys, ScratchPool &pool) {
  keyBound = maxKeys;
  for (unsigned i = 0, e = op.getParams().size(); i < e; ++i) {
    scratches.push_back({});
    if (!isMatrix(i))
      continue;
    bool floats = getParamElement(op, i) == ParamElement::Float;
    int64_t height = floats ? keyBound : llvm::divideCeil(keyBound, wordBits);
    Type element = floats ? Type(tile.element) : builder.getI32Type();
    scratches.back() = pool.get(builder, op, {height, tile.getColumns()},
                                element, firstSlot + i);
    if (floats)
      fillFloats(getMatrix(i), scratches.back(), firstRow);
    else
      fillWords(getMatrix(i), scratches.back(), firstRow);
  }
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

void ParamTiles::fillFloats(Value matrix, Value scratch, Value firstRow) {
  Value last = getLastRow(matrix), zero = createIndex(builder, loc, 0);
  auto fillVector = [&](OpBuilder &b, Value column) {
    Value first = arith::AddIOp::create(b, loc, firstRow, column);
    SmallVector<Value> rows;
    for (int64_t r = 0; r < tile.lanes; ++r)
      rows.push_back(
          arith::MinUIOp::create(b, loc, addIndex(b, loc, first, r), last));
    if (!hasUnitInnerStride(matrix))
      return emitElements(b, matrix, scratch, rows, column);
    Value keys = memref::DimOp::create(b, loc, matrix, 1);
    Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, keys,
                                       createIndex(b, loc, tile.lanes));
    auto finish = [&](OpBuilder &nested) { scf::YieldOp::create(nested, loc); };
    scf::IfOp::create(
        b, loc, fits,
        [&](OpBuilder &nested, Location) {
          emitBlocks(nested, matrix, scratch, rows, column);
          finish(nested);
        },
        [&](OpBuilder &nested, Location) {
          emitElements(nested, matrix, scratch, rows, column);
          finish(nested);
        });
  };
  emitLoop(builder, loc, zero, createIndex(builder, loc, tile.getColumns()),
           tile.lanes, fillVector);
}

/// Square blocks; the last one is moved back to end with the keys.
void ParamTiles::emitBlocks(OpBuilder &b, Value matrix, Value scratch,
                            ArrayRef<Value> rows, Value column) {
  Value keys = memref::DimOp::create(b, loc, matrix, 1);
  Value lastBlock =
      arith::SubIOp::create(b, loc, keys, createIndex(b, loc, tile.lanes));
  emitLoop(b, loc, createIndex(b, loc, 0), keys, tile.lanes,
           [&](OpBuilder &nested, Value block) {
             Value key = arith::MinUIOp::create(nested, loc, block, lastBlock);
             SmallVector<Value> vectors;
             for (Value row : rows) {
               vectors.push_back(loadFloats(nested, loc, tile.getVectorType(),
                                            matrix, ValueRange{row, key}));
               emitPrefetch(nested, matrix, row, key);
             }
             for (auto [k, vector] :
                  llvm::enumerate(emitTranspose(nested, loc, vectors)))
               vector::StoreOp::create(
                   nested, loc, vector, scratch,
                   ValueRange{addIndex(nested, loc, key, k), column});
           });
}

/// One at a time: for few keys, or keys that do not lie side by side.
void ParamTiles::emitElements(OpBuilder &b, Value matrix, Value scratch,
                              ArrayRef<Value> rows, Value column) {
  Value keys = memref::DimOp::create(b, loc, matrix, 1);
  emitLoop(
      b, loc, createIndex(b, loc, 0), keys, 1,
      [&](OpBuilder &nested, Value key) {
        SmallVector<Value> elements;
        for (Value row : rows)
          elements.push_back(convertFloat(
              nested, loc,
              memref::LoadOp::create(nested, loc, matrix, ValueRange{row, key}),
              tile.element));
        Value vector = vector::FromElementsOp::create(
            nested, loc, tile.getVectorType(), elements);
        vector::StoreOp::create(nested, loc, vector, scratch,
                                ValueRange{key, column});
      });
}

//===----------------------------------------------------------------------===//
// Booleans
//===----------------------------------------------------------------------===//

void ParamTiles::fillWords(Value matrix, Value scratch, Value firstRow) {
  Value last = getLastRow(matrix), zero = createIndex(builder, loc, 0);
  Value keys = memref::DimOp::create(builder, loc, matrix, 1);
  auto fillRow = [&](OpBuilder &b, Value column) {
    Value row = arith::AddIOp::create(b, loc, firstRow, column);
    row = arith::MinUIOp::create(b, loc, row, last);
    auto fillWord = [&](OpBuilder &nested, Value key) {
      Value bits = createIndex(nested, loc, wordBits);
      Value end = arith::AddIOp::create(nested, loc, key, bits);
      Value word;
      if (hasUnitInnerStride(matrix)) {
        Value fits = arith::CmpIOp::create(
            nested, loc, arith::CmpIPredicate::ule, end, keys);
        auto yield = [&](OpBuilder &branch, Value value) {
          scf::YieldOp::create(branch, loc, value);
        };
        word = scf::IfOp::create(
                   nested, loc, fits,
                   [&](OpBuilder &branch, Location) {
                     yield(branch, emitFullWord(branch, matrix, row, key));
                   },
                   [&](OpBuilder &branch, Location) {
                     yield(branch,
                           emitPartialWord(branch, matrix, row, key, keys));
                   })
                   .getResult(0);
      } else {
        end = arith::MinUIOp::create(nested, loc, end, keys);
        word = emitPartialWord(nested, matrix, row, key, end);
      }
      Value position = arith::DivUIOp::create(nested, loc, key, bits);
      memref::StoreOp::create(nested, loc, word, scratch,
                              ValueRange{position, column});
    };
    emitLoop(b, loc, zero, keys, wordBits, fillWord);
  };
  emitLoop(builder, loc, zero, createIndex(builder, loc, tile.getColumns()), 1,
           fillRow);
}

/// Any byte but 0 is true.
static Value toBooleans(OpBuilder &b, Location loc, Value values) {
  if (getElementTypeOrSelf(values.getType()).isInteger(1))
    return values;
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(values.getType()));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, values, zero);
}

Value ParamTiles::emitFullWord(OpBuilder &b, Value matrix, Value row,
                               Value key) {
  Type element = cast<MemRefType>(matrix.getType()).getElementType();
  emitPrefetch(b, matrix, row, key);
  Value values =
      vector::LoadOp::create(b, loc, VectorType::get({wordBits}, element),
                             matrix, ValueRange{row, key});
  Value word = vector::BitCastOp::create(
      b, loc, VectorType::get({1}, b.getI32Type()), toBooleans(b, loc, values));
  return vector::ExtractOp::create(b, loc, word, 0);
}

Value ParamTiles::emitPartialWord(OpBuilder &b, Value matrix, Value row,
                                  Value key, Value end) {
  Type i32 = b.getI32Type();
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  auto loop = scf::ForOp::create(
      b, loc, key, end, createIndex(b, loc, 1), zero,
      [&](OpBuilder &nested, Location, Value at, ValueRange words) {
        Value value = toBooleans(
            nested, loc,
            memref::LoadOp::create(nested, loc, matrix, ValueRange{row, at}));
        Value bit = arith::ExtUIOp::create(nested, loc, i32, value);
        Value distance = arith::SubIOp::create(nested, loc, at, key);
        bit = arith::ShLIOp::create(
            nested, loc, bit,
            arith::IndexCastOp::create(nested, loc, i32, distance));
        bit = arith::OrIOp::create(nested, loc, words[0], bit);
        scf::YieldOp::create(nested, loc, bit);
      });
  return loop.getResult(0);
}

Value ParamTiles::load(unsigned index, Value key, int64_t column) {
  Value scratch = scratches[index];
  Type element = cast<MemRefType>(scratch.getType()).getElementType();
  auto type = VectorType::get({tile.lanes}, element);
  Value position = createIndex(builder, loc, column);
  if (isa<FloatType>(element))
    return vector::LoadOp::create(builder, loc, type, scratch,
                                  ValueRange{key, position});
  Value bits = createIndex(builder, loc, wordBits);
  Value word = arith::DivUIOp::create(builder, loc, key, bits);
  Value rest = arith::RemUIOp::create(builder, loc, key, bits);
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(1));
  Value bit = arith::ShLIOp::create(
      builder, loc, one,
      arith::IndexCastOp::create(builder, loc, element, rest));
  Value words = vector::LoadOp::create(builder, loc, type, scratch,
                                       ValueRange{word, position});
  Value tested = arith::AndIOp::create(
      builder, loc, words,
      vector::BroadcastOp::create(builder, loc, type, bit));
  return toBooleans(builder, loc, tested);
}
