//===- MatrixStore.cpp - What becomes of a block's sums ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixStore.h"

#include "../Shared/ConvertFloat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

constexpr int64_t kCacheLine = 64;

Value MatrixStore::add(OpBuilder &builder, Value a, Value b) {
  return arith::AddIOp::create(builder, loc, a, b);
}

void MatrixStore::open(OpBuilder &builder, ValueRange batch,
                       bool severalSteps) {
  output = product.output.createView(builder, loc, batch);
  for (const MatrixExtra &extra : product.extras)
    extras.push_back(
        extra.number ? Value() : extra.matrix.createView(builder, loc, batch));
  auto allocate = [&](ArrayRef<int64_t> shape) {
    return memref::AllocOp::create(builder, loc,
                                   MemRefType::get(shape, tile.element),
                                   builder.getI64IntegerAttr(kCacheLine));
  };
  if (severalSteps && getElementTypeOrSelf(output.getType()) != tile.element)
    partial = allocate({block.rowBound, block.columnBound});
  if (!tile.isOfTiles())
    tileScratch = allocate({tile.mr, tile.getColumns()});
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

SmallVector<Value> MatrixStore::getPosition(OpBuilder &builder, Value row,
                                            int64_t c) {
  Value column = add(builder, block.column, place.column);
  return {add(builder, block.row, row),
          addIndex(builder, loc, column, c * tile.lanes)};
}

SmallVector<Value> MatrixStore::getPartialPosition(OpBuilder &builder,
                                                   Value row, int64_t c) {
  if (!partial)
    return getPosition(builder, row, c);
  return {row, addIndex(builder, loc, place.column, c * tile.lanes)};
}

/// A vector from memory of any float type.
Value MatrixStore::load(OpBuilder &builder, Value memref, ValueRange position,
                        int64_t c) {
  bool isWhole = masks.empty() || memref == partial;
  return loadFloats(builder, loc, tile.getVectorType(), memref, position,
                    isWhole ? Value() : masks[c]);
}

void MatrixStore::store(OpBuilder &builder, Value vector, Value memref,
                        ValueRange position, int64_t c) {
  auto type =
      VectorType::get({tile.lanes}, getElementTypeOrSelf(memref.getType()));
  vector = convertFloat(builder, loc, vector, type);
  if (masks.empty() || memref == partial)
    vector::StoreOp::create(builder, loc, vector, memref, position);
  else
    vector::MaskedStoreOp::create(builder, loc, memref, position, masks[c],
                                  vector);
}

/// Whether an extra has rows of its own to fetch.
static bool hasRows(const MatrixExtra &extra) {
  return !extra.number && !isZeroInteger(extra.matrix.rowStride);
}

int64_t MatrixStore::countMatrices(bool isLast) const {
  if (!isLast)
    return 1;
  return 1 + llvm::count_if(product.extras, hasRows) + (partial ? 1 : 0);
}

void MatrixStore::prefetchRow(OpBuilder &builder, const TilePlace &tilePlace,
                              Value memref, Value row, bool isWrite) {
  int64_t size = cast<MemRefType>(memref.getType()).getElementTypeBitWidth();
  int64_t line = 8 * kCacheLine / size;
  Value at = add(builder, tilePlace.row, row), column = tilePlace.column;
  if (memref != partial) {
    at = add(builder, block.row, at);
    column = add(builder, block.column, column);
  }
  for (int64_t c = 0; c < tile.getColumns(); c += line)
    emitPrefetch(builder, loc, memref, at, 1, addIndex(builder, loc, column, c),
                 isWrite);
}

void MatrixStore::prefetch(OpBuilder &builder, const TilePlace &tilePlace,
                           Value part) {
  // What is asked for in the last parts would come after the sums are made.
  constexpr int64_t spareParts = 2;
  int64_t others = countMatrices(tilePlace.isLast) - 1;
  int64_t delay = std::max<int64_t>(others * tile.mr - spareParts, 0);
  Value lastRow = createIndex(builder, loc, tile.mr - 1);
  auto ask = [&](Value memref, int64_t firstPart, bool isWrite) {
    Value first = createIndex(builder, loc, firstPart);
    Value row = arith::SubIOp::create(
        builder, loc, arith::MaxUIOp::create(builder, loc, part, first), first);
    prefetchRow(builder, tilePlace, memref,
                arith::MinUIOp::create(builder, loc, row, lastRow), isWrite);
  };
  ask(partial ? partial : output, /*firstPart=*/0, /*isWrite=*/true);
  if (!tilePlace.isLast)
    return;
  int64_t asked = 0;
  for (auto [extra, memref] : llvm::zip_equal(product.extras, extras))
    if (hasRows(extra))
      ask(memref, ++asked * delay / others, /*isWrite=*/false);
  if (partial)
    ask(output, delay, /*isWrite=*/true);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Adds what the steps before left, and what an accumulating product starts
/// from.
SmallVector<Value> MatrixStore::addPrevious(OpBuilder &builder,
                                            const Part &part) {
  auto addFrom = [&](OpBuilder &at, Value memref) {
    Values results;
    for (auto [i, sum] : llvm::enumerate(part.sums)) {
      int64_t c = i % tile.nr;
      Value row = part.rows[i / tile.nr];
      Values position = memref == output ? getPosition(at, row, c)
                                         : getPartialPosition(at, row, c);
      results.push_back(
          arith::AddFOp::create(at, loc, sum, load(at, memref, position, c)));
    }
    return results;
  };
  Value waiting = partial ? partial : output;
  bool sameSource = product.accumulates && waiting == output;
  if (!place.isFirst || sameSource)
    return product.accumulates ? addFrom(builder, output) : part.sums;
  SmallVector<Type> types(part.sums.size(), tile.getVectorType());
  auto ifOp = scf::IfOp::create(builder, loc, types, place.isFirst, true, true);
  OpBuilder start = OpBuilder::atBlockEnd(&ifOp.getThenRegion().front());
  scf::YieldOp::create(
      start, loc, product.accumulates ? addFrom(start, output) : part.sums);
  OpBuilder more = OpBuilder::atBlockEnd(&ifOp.getElseRegion().front());
  scf::YieldOp::create(more, loc, addFrom(more, waiting));
  return llvm::to_vector_of<Value>(ifOp.getResults());
}

/// What is stored for one vector of complete sums, but for the epilogue.
Value MatrixStore::addBias(OpBuilder &builder, Value sum, int64_t c,
                           const Columns &columns) {
  Value factor = columns.factor, bias = columns.bias[c];
  if (factor && bias)
    return vector::FMAOp::create(builder, loc, sum, factor, bias);
  if (factor)
    return arith::MulFOp::create(builder, loc, sum, factor);
  if (bias)
    return arith::AddFOp::create(builder, loc, sum, bias);
  return sum;
}

/// What is stored for the vectors of complete sums of one row. The epilogue
/// does several of them at once, as one wide vector: that puts next to each
/// other what does not wait for each other.
SmallVector<Value> MatrixStore::finish(OpBuilder &builder, ValueRange sums,
                                       Value row, const Columns &columns) {
  Values results;
  for (auto [c, sum] : llvm::enumerate(sums))
    results.push_back(addBias(builder, sum, c, columns));
  if (!product.epilogue)
    return results;
  constexpr size_t most = 4;
  for (size_t c = 0; c < sums.size();) {
    size_t count = llvm::bit_floor(std::min(most, sums.size() - c));
    auto wide = VectorType::get({int64_t(count) * tile.lanes}, tile.element);
    Values beside;
    for (auto [extra, memref] : llvm::zip_equal(product.extras, extras)) {
      if (!memref) {
        beside.push_back(
            vector::BroadcastOp::create(builder, loc, wide, extra.number));
        continue;
      }
      Values loaded;
      for (size_t i = c; i < c + count; ++i)
        loaded.push_back(
            load(builder, memref, getPosition(builder, row, i), i));
      beside.push_back(join(builder, loaded));
    }
    Value joined = join(builder, ArrayRef(results).slice(c, count));
    Value finished = product.epilogue(builder, loc, joined, beside);
    for (size_t i = 0; i < count; ++i, ++c)
      results[c] = count == 1 ? finished
                              : vector::ExtractStridedSliceOp::create(
                                    builder, loc, finished,
                                    /*offsets=*/int64_t(i) * tile.lanes,
                                    /*sizes=*/tile.lanes, /*strides=*/1)
                                    .getResult();
  }
  return results;
}

/// Vectors one after the other in one.
Value MatrixStore::join(OpBuilder &builder, ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts.front();
  auto wide =
      VectorType::get({int64_t(parts.size()) * tile.lanes}, tile.element);
  Value result =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(wide));
  for (auto [i, part] : llvm::enumerate(parts))
    result = vector::InsertStridedSliceOp::create(
        builder, loc, part, result, /*offsets=*/int64_t(i) * tile.lanes,
        /*strides=*/int64_t(1));
  return result;
}

/// What is the same for all rows of a tile.
MatrixStore::Columns MatrixStore::loadColumns(OpBuilder &builder) {
  Columns columns;
  if (product.factor)
    columns.factor = vector::BroadcastOp::create(
        builder, loc, tile.getVectorType(), product.factor);
  columns.bias.resize(tile.nr);
  for (int64_t c = 0; product.bias && c < tile.nr; ++c)
    columns.bias[c] = load(builder, product.bias,
                           {getPosition(builder, place.row, c).back()}, c);
  return columns;
}

void MatrixStore::storeFinal(OpBuilder &builder, const Part &part) {
  Columns columns = loadColumns(builder);
  // Loads before stores, see storeEpilogue.
  Values results;
  for (auto [r, row] : llvm::enumerate(part.rows))
    llvm::append_range(results,
                       finish(builder,
                              ArrayRef(part.sums).slice(r * tile.nr, tile.nr),
                              row, columns));
  for (auto [i, result] : llvm::enumerate(results))
    store(builder, result, output,
          getPosition(builder, part.rows[i / tile.nr], i % tile.nr),
          i % tile.nr);
}

/// The same for a whole tile with an epilogue, which is long: a loop over the
/// rows. Its results go to the output after it. Rows are often a power of two
/// apart, and a load from the next row of an extra would wait for the store to
/// this row of the output, which has the same place in its page.
void MatrixStore::storeEpilogue(OpBuilder &builder,
                                const AccumulatorTile &sums) {
  Columns columns = loadColumns(builder);
  emitRowLoop(builder, sums, [&](OpBuilder &b, Value r, const Part &part) {
    Values results = finish(b, part.sums, part.rows[0], columns);
    for (auto [c, result] : llvm::enumerate(results))
      vector::StoreOp::create(
          b, loc, result, tileScratch,
          ValueRange{r, createIndex(b, loc, c * tile.lanes)});
  });
  for (size_t i = 0; i < sums.vectors.size(); ++i) {
    int64_t r = i / tile.nr, c = i % tile.nr;
    Value result = vector::LoadOp::create(
        builder, loc, tile.getVectorType(), tileScratch,
        ValueRange{createIndex(builder, loc, r),
                   createIndex(builder, loc, c * tile.lanes)});
    store(builder, result, output,
          getPosition(builder, addIndex(builder, loc, place.row, r), c), c);
  }
}

void MatrixStore::storePartial(OpBuilder &builder, const Part &part) {
  for (auto [i, sum] : llvm::enumerate(part.sums))
    store(builder, sum, partial ? partial : output,
          getPartialPosition(builder, part.rows[i / tile.nr], i % tile.nr),
          i % tile.nr);
}

/// Calls `body` for each of the tile's rows, of which the sums come from
/// scratch.
void MatrixStore::emitRowLoop(
    OpBuilder &builder, const AccumulatorTile &sums,
    llvm::function_ref<void(OpBuilder &, Value, const Part &)> body) {
  for (auto [i, sum] : llvm::enumerate(sums.vectors))
    vector::StoreOp::create(
        builder, loc, sum, tileScratch,
        ValueRange{createIndex(builder, loc, i / tile.nr),
                   createIndex(builder, loc, i % tile.nr * tile.lanes)});
  Value scratch = place.sums ? place.sums : tileScratch;
  Value begin = place.firstRow ? place.firstRow : createIndex(builder, loc, 0);
  Value end =
      place.rowLimit ? place.rowLimit : createIndex(builder, loc, sums.height);
  if (place.endRow)
    end = arith::MinUIOp::create(builder, loc, end, place.endRow);
  emitLoop(builder, loc, begin, end, 1, [&](OpBuilder &nested, Value r) {
    Part part;
    part.rows.push_back(add(nested, place.row, r));
    for (int64_t c = 0; c < tile.nr; ++c)
      part.sums.push_back(vector::LoadOp::create(
          nested, loc, tile.getVectorType(), scratch,
          ValueRange{r, createIndex(nested, loc, c * tile.lanes)}));
    body(nested, r, part);
  });
}

void MatrixStore::emit(OpBuilder &builder, const AccumulatorTile &sums,
                       const TilePlace &at) {
  place = at;
  masks.clear();
  auto maskType = VectorType::get({tile.lanes}, builder.getI1Type());
  for (int64_t c = 0; block.hasTail && c < tile.nr; ++c) {
    Value first = addIndex(builder, loc, place.column, c * tile.lanes);
    Value rest = arith::SubIOp::create(builder, loc, block.columnCount, first);
    masks.push_back(vector::CreateMaskOp::create(builder, loc, maskType, rest));
  }
  auto finishPart = [&](OpBuilder &b, const Part &part) {
    if (place.isLast)
      storeFinal(b, part);
    else
      storePartial(b, part);
  };
  if (place.rowLimit)
    return emitRowLoop(builder, sums,
                       [&](OpBuilder &b, Value, const Part &part) {
                         finishPart(b, {part.rows, addPrevious(b, part)});
                       });
  Part part;
  for (int64_t r = 0; r < sums.height; ++r)
    part.rows.push_back(addIndex(builder, loc, place.row, r));
  part.sums = sums.vectors;
  part.sums = addPrevious(builder, part);
  if (!place.isLast || !product.epilogue || product.isShortEpilogue)
    return finishPart(builder, part);
  storeEpilogue(builder, {sums.row, sums.height, part.sums});
}
