//===- VectorRows.cpp - The rows of a CPU ---------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorRows.h"
#include "../Lanes/LaneMemory.h"
#include "../Lanes/Weights.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <utility>

using namespace mlir;
using namespace attn;

constexpr int64_t kCacheLine = 64;
/// Elements before the one at hand: so far ahead of it memory is asked.
constexpr int64_t kAhead = 256;
/// The same where rows are longer than a cache, into the second one.
constexpr int64_t kAheadBytes = 4096;
/// Work items of single numbers take so many.
constexpr int64_t kItemNumbers = 256;

//===----------------------------------------------------------------------===//
// Work items
//===----------------------------------------------------------------------===//

void VectorRows::emitRows(OpBuilder &builder, const RowSpace &ofOp,
                          RowAlgorithm &ofRows) {
  space = &ofOp;
  algorithm = &ofRows;
  inVectors = llvm::all_of(ofOp.along, hasUnitInnerStride);
  streams = {};
  if (inVectors && !ofOp.outputs.empty())
    streams = emitIsLarge(builder, loc, ofOp.outputs, options.stream);
  if (!ofOp.itemDims.empty())
    return emitItems(builder);
  auto emitBlock = [&](OpBuilder &b, const RowBlock &block) {
    kept = ofOp.keeps ? allocateKept(b) : Value();
    if (streams && kept && canTakeTurns())
      emitInTurn(b, block);
    else
      block.emitRows(b, loc,
                     [&](OpBuilder &nested, ValueRange here, ValueRange next) {
                       RowPlace row = locate(nested, here);
                       row.next = locate(nested, next).origin;
                       emitRow(nested, row);
                     });
    if (kept)
      memref::DeallocOp::create(b, loc, kept);
    emitEndOfWrites(b, loc, streams);
  };
  emitRowBlocks(builder, loc, ofOp.counts, options.rows, emitBlock);
}

/// Several passes over numbers that are not widened keep up with writing, and
/// beside them what is kept and the next row are to be in a cache.
bool VectorRows::canTakeTurns() const {
  if (space->passes <= 1)
    return space->passes == 1;
  auto isWidened = [&](Value input) {
    return getElementTypeOrSelf(input.getType()) != options.type;
  };
  std::optional<int64_t> size = getConstantIntValue(space->sizes.back());
  int64_t most = target.l2Bytes / 16 / sizeof(float);
  return llvm::all_of(space->inputs, isWidened) && size && *size <= most;
}

void VectorRows::emitItems(OpBuilder &builder) {
  bool isWhole = llvm::all_of(
      space->runs, [&](int64_t run) { return run % options.lanes == 0; });
  if (!isWhole)
    streams = {};
  for (Value output : space->outputs)
    streams = emitIsStream(builder, loc, streams, output, {}, options.lanes);
  Values counts;
  for (unsigned dim : space->itemDims)
    counts.push_back(space->counts[dim]);
  auto emitBlock = [&](OpBuilder &b, const RowBlock &block) {
    algorithm->beginItem(b, {block.outer, block.begin, block.end});
    emitWrites(b, loc, streams, [&](OpBuilder &nested, bool isPast) {
      pastCaches = isPast;
      emitItemRows(nested, block, {});
      pastCaches = false;
    });
    algorithm->endItem(b);
    emitEndOfWrites(b, loc, streams);
  };
  emitRowBlocks(builder, loc, counts, options.rows, emitBlock);
}

void VectorRows::emitItemRows(OpBuilder &b, const RowBlock &block,
                              Values number) {
  unsigned dim = number.size();
  if (dim == space->counts.size())
    return algorithm->writeRow(b, locate(b, number));
  size_t which = llvm::find(space->itemDims, dim) - space->itemDims.begin();
  if (which < block.outer.size()) {
    number.push_back(block.outer[which]);
    return emitItemRows(b, block, number);
  }
  bool isBlock = which < space->itemDims.size();
  Value begin = isBlock ? block.begin : createIndex(b, loc, 0);
  emitLoop(b, loc, begin, isBlock ? block.end : space->counts[dim], 1,
           [&](OpBuilder &nested, Value i) {
             Values deeper(number);
             deeper.push_back(i);
             emitItemRows(nested, block, deeper);
           });
}

void VectorRows::emitEach(
    OpBuilder &builder, ValueRange counts,
    llvm::function_ref<void(OpBuilder &, ValueRange)> body) {
  emitRowBlocks(builder, loc, counts, kItemNumbers,
                [&](OpBuilder &b, const RowBlock &block) {
                  block.emitRows(b, loc,
                                 [&](OpBuilder &nested, ValueRange at,
                                     ValueRange) { body(nested, at); });
                });
}

Value VectorRows::allocateKept(OpBuilder &b) {
  SmallVector<int64_t> shape;
  Values dynamic, sizes(space->sizes);
  if (options.masksRest) {
    Value lanes = createIndex(b, loc, options.lanes);
    Value vectors =
        b.createOrFold<arith::CeilDivUIOp>(loc, sizes.back(), lanes);
    sizes.back() = b.createOrFold<arith::MulIOp>(loc, vectors, lanes);
  }
  for (Value size : sizes) {
    std::optional<int64_t> known = getConstantIntValue(size);
    shape.push_back(known.value_or(ShapedType::kDynamic));
    if (!known)
      dynamic.push_back(size);
  }
  return memref::AllocOp::create(b, loc, MemRefType::get(shape, options.type),
                                 dynamic, b.getI64IntegerAttr(kCacheLine));
}

RowPlace VectorRows::locate(OpBuilder &b, ValueRange number) {
  RowPlace row{Values(number), {}, space->sizes};
  algorithm->locate(b, number, row.origin, row.sizes);
  return row;
}

RowShape VectorRows::getShape(ArrayRef<Value> sizes) const {
  return {options.type, options.lanes,     options.unroll,
          inVectors,    options.masksRest, Values(sizes)};
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void VectorRows::emitRow(OpBuilder &b, const RowPlace &row) {
  Values numbers = algorithm->measure(b, row);
  if (space->outputs.empty())
    return;
  emitWrites(b, loc, emitPastCaches(b, row),
             [&](OpBuilder &nested, bool isPast) {
               pastCaches = isPast;
               emitWrite(nested, row, numbers);
               pastCaches = false;
             });
}

void VectorRows::emitWrite(OpBuilder &b, const RowPlace &row,
                           ValueRange numbers) {
  emitRowLoop(b, loc, getShape(row.sizes), [&](const RowPiece &piece) {
    algorithm->write(piece, row, numbers);
  });
}

Value VectorRows::emitPastCaches(OpBuilder &b, const RowPlace &row) {
  Value isPast = streams;
  for (Value output : space->outputs)
    isPast =
        emitIsStream(b, loc, isPast, output, row.origin.outer, options.lanes);
  return isPast;
}

void VectorRows::emitInTurn(OpBuilder &b, const RowBlock &block) {
  Value one = createIndex(b, loc, 1);
  auto rowAt = [&](OpBuilder &at, Value i) {
    Values number(block.outer);
    if (!block.isWhole)
      number.push_back(i);
    return locate(at, number);
  };
  Values first = algorithm->measure(b, rowAt(b, block.begin));
  Value last = arith::SubIOp::create(b, loc, block.end, one);
  auto body = [&](OpBuilder &nested, Location, Value i, ValueRange numbers) {
    Value before = arith::SubIOp::create(nested, loc, i, one);
    RowPlace read = rowAt(nested, i);
    if (space->passes > 1) {
      Value after = arith::MinUIOp::create(
          nested, loc, arith::AddIOp::create(nested, loc, i, one), last);
      read.next = rowAt(nested, after).origin;
    }
    Values next = emitTurn(nested, rowAt(nested, before), numbers, read);
    scf::YieldOp::create(nested, loc, next);
  };
  auto rows = scf::ForOp::create(
      b, loc, arith::AddIOp::create(b, loc, block.begin, one), block.end, one,
      first, body);
  emitWrite(b, rowAt(b, last), rows.getResults());
}

VectorRows::Values VectorRows::emitTurn(OpBuilder &b, const RowPlace &written,
                                        ValueRange numbers,
                                        const RowPlace &read) {
  // What is kept of an element is the written row's until it is the other
  // one's. It is stored when that has been loaded: a processor takes addresses
  // at the same place of two pages for one, as where rows are whole pages, and
  // lets a load wait for a store before it.
  auto writeBefore = [&](const RowPiece &piece) {
    // A last pass of several finds the row in a cache, and asks for the next.
    if (space->passes == 1)
      for (Value input : space->inputs)
        askBehind(piece, read, input, kAhead, /*isNear=*/true);
    algorithm->write(piece, written, numbers);
  };
  auto turn = [&](OpBuilder &nested, bool isPast) {
    pastCaches = isPast;
    along = writeBefore;
    passesBefore = space->passes - 1;
    Values next = algorithm->measure(nested, read);
    pastCaches = false;
    return next;
  };
  return emitWritesOfValues(b, loc, emitPastCaches(b, written), turn);
}

SmallVector<Value> VectorRows::reduce(OpBuilder &builder, const RowPlace &row,
                                      ArrayRef<double> neutrals, RowStep step,
                                      RowCombine combine) {
  RowVisit before;
  if (along && passesBefore-- == 0)
    before = std::exchange(along, nullptr);
  auto stepAfter = [&](const RowPiece &piece, MutableArrayRef<Value> sums) {
    waiting.emplace();
    before(piece);
    SmallVector<Store> stores = std::move(*waiting);
    waiting.reset();
    step(piece, sums);
    for (Store &late : stores)
      store(piece, late.value, late.memref, late.indices);
  };
  return emitRowReduction(builder, loc, getShape(row.sizes), neutrals,
                          before ? RowStep(stepAfter) : step, combine);
}

void VectorRows::visit(OpBuilder &builder, Value count, RowVisit step) {
  emitRowLoop(builder, loc, getShape(count), step);
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

Value VectorRows::load(const RowPiece &piece, Value memref,
                       ValueRange indices) {
  return loadLanes(piece.lanes, memref, indices, piece.mask);
}

void VectorRows::store(const RowPiece &piece, Value value, Value memref,
                       ValueRange indices) {
  if (waiting)
    waiting->push_back({value, memref, Values(indices)});
  else
    storeLanes(piece.lanes, value, memref, indices, pastCaches, piece.mask);
}

void VectorRows::storeOnce(LaneBuilder &scalars, Value value, Value memref,
                           ValueRange indices) {
  storeLanes(scalars, value, memref, indices, /*pastCaches=*/false);
}

void VectorRows::keep(const RowPiece &piece, Value value) {
  storeLanes(piece.lanes, value, kept, piece.position, /*pastCaches=*/false);
}

Value VectorRows::getKept(const RowPiece &piece) {
  return loadLanes(piece.lanes, kept, piece.position);
}

void VectorRows::askBehind(const RowPiece &piece, const RowPlace &row,
                           Value input, int64_t distance, bool isNear) {
  if (!piece.lanes.isVector())
    return;
  OpBuilder &b = piece.lanes.getBuilder();
  Values there = row.origin.locate(b, loc, piece.position);
  there.back() = addIndex(b, loc, there.back(), distance);
  emitPrefetch(b, loc, input, there, isNear);
}

void VectorRows::askAhead(const RowPiece &piece, const RowPlace &row) {
  for (Value input : space->inputs) {
    int64_t width =
        getElementTypeOrSelf(input.getType()).getIntOrFloatBitWidth();
    askBehind(piece, row, input, kAheadBytes * 8 / width, /*isNear=*/false);
  }
}

void VectorRows::askForNext(const RowPiece &piece, const RowPlace &row,
                            ValueRange position) {
  if (!row.next || !piece.lanes.isVector())
    return;
  OpBuilder &b = piece.lanes.getBuilder();
  Values there = row.next->locate(b, loc, position);
  for (Value input : space->inputs)
    emitPrefetch(b, loc, input, there);
}

Value VectorRows::emitWeight(LaneBuilder &lanes, Value x) {
  return emitNaturalWeight(lanes, x, target);
}
