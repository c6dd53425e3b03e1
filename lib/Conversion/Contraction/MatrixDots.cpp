//===- MatrixDots.cpp - Few rows times contiguous columns ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each element of the matrix is used a few times, so that it is not worth
// transposing: terms are in the lanes. Each row and column has a vector of
// partial sums, as many as the registers hold; those of as many columns as
// there are lanes are added up together. A single row takes as long as the
// matrix is read, which is fastest in the order of its memory: it takes one
// column after the other, or four of those that are widened.
//
//===----------------------------------------------------------------------===//

#include "../Lanes/LaneSums.h"
#include "../Shared/ConvertFloat.h"
#include "MatrixBlock.h"
#include "StepArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace attn;

/// How far ahead a column is asked for, in bytes, where several are read side
/// by side. One alone comes by itself.
constexpr int64_t kAhead = 512;
/// The partial sums of a column that is read alone: each waits for itself.
constexpr int64_t kChains = 4;
/// The columns of a narrow type that a single row reads side by side.
constexpr int64_t kWidenedColumns = 4;

namespace {

class DotEmitter {
public:
  DotEmitter(Location loc, const DotSource &source, const RegisterTile &tile)
      : loc(loc), source(source), tile(tile),
        length(tile.lanes * tile.getTerms()) {}

  SmallVector<Value> emit(OpBuilder &builder);

private:
  using Values = SmallVector<Value>;

  /// The partial sums of `count` columns from `first` on: for each row one
  /// vector, as emitLaneSums leaves them.
  Values emitColumns(OpBuilder &builder, Value first, int64_t count);
  /// Adds the full vectors of terms from `begin` to `end`, `chains` of them at
  /// a time, each to sums of its own.
  Values addVectors(OpBuilder &builder, ArrayRef<Value> columns, Value begin,
                    Value end, int64_t chains, Values sums);
  /// Adds the terms from `k` on, those that `mask` selects if there is one.
  Values addTerms(OpBuilder &builder, ArrayRef<Value> columns, Value k,
                  Value mask, ValueRange sums);
  Value load(OpBuilder &builder, Value memref, Value row, Value k, Value mask);
  Value getAhead(OpBuilder &builder, Value within, int64_t count);

  Location loc;
  const DotSource &source;
  const RegisterTile &tile;
  /// The terms of one vector.
  int64_t length;
};

} // namespace

/// A vector of terms, of which a step may take several for each lane.
Value DotEmitter::load(OpBuilder &builder, Value memref, Value row, Value k,
                       Value mask) {
  if (tile.getTerms() > 1) {
    auto type = VectorType::get({tile.lanes * tile.getTerms()},
                                getElementTypeOrSelf(memref.getType()));
    Value terms =
        loadFloats(builder, loc, type, memref, ValueRange{row, k}, mask);
    return vector::BitCastOp::create(builder, loc, tile.getVectorType(), terms);
  }
  return loadFloats(builder, loc, tile.getVectorType(), memref,
                    ValueRange{row, k}, mask);
}

/// The place in a column of what is asked for while `within` is read. Behind
/// its end that is the beginning of the column `count` further, which comes
/// next.
Value DotEmitter::getAhead(OpBuilder &builder, Value within, int64_t count) {
  int64_t bits =
      getElementTypeOrSelf(source.rhs.getType()).getIntOrFloatBitWidth();
  Value place = addIndex(builder, loc, within, kAhead * 8 / bits);
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, source.rhs);
  Value stride = getValueOrCreateConstantIndexOp(
      builder, loc, metadata.getConstifiedMixedStrides()[0]);
  Value size = getValueOrCreateConstantIndexOp(
      builder, loc, metadata.getConstifiedMixedSizes()[1]);
  Value isBehind = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::uge, place, size);
  Value next = arith::MulIOp::create(builder, loc, stride,
                                     createIndex(builder, loc, count));
  next = arith::SubIOp::create(builder, loc, next, size);
  next = arith::AddIOp::create(builder, loc, place, next);
  return arith::SelectOp::create(builder, loc, isBehind, next, place);
}

SmallVector<Value> DotEmitter::addTerms(OpBuilder &builder,
                                        ArrayRef<Value> columns, Value k,
                                        Value mask, ValueRange sums) {
  Value within = arith::AddIOp::create(builder, loc, source.begin, k);
  Values rows;
  for (int64_t r = 0; r < source.height; ++r)
    rows.push_back(load(builder, source.lhs,
                        addIndex(builder, loc, source.row, r), k, mask));
  bool asksAhead = !mask && columns.size() > 1;
  Value ahead = asksAhead ? getAhead(builder, within, columns.size()) : Value();
  StepArithmetic arithmetic(builder, loc, tile);
  Values results;
  for (auto [c, column] : llvm::enumerate(columns)) {
    if (asksAhead)
      emitPrefetch(builder, loc, source.rhs, column, 1, ahead,
                   /*isWrite=*/false);
    Value terms = load(builder, source.rhs, column, within, mask);
    for (auto [r, row] : llvm::enumerate(rows))
      results.push_back(
          arithmetic.multiplyAdd(row, terms, sums[c * rows.size() + r]));
  }
  return results;
}

SmallVector<Value> DotEmitter::addVectors(OpBuilder &builder,
                                          ArrayRef<Value> columns, Value begin,
                                          Value end, int64_t chains,
                                          Values sums) {
  auto loop = scf::ForOp::create(
      builder, loc, begin, end, createIndex(builder, loc, chains * length),
      sums, [&](OpBuilder &nested, Location, Value k, ValueRange carried) {
        size_t count = carried.size() / chains;
        Values next;
        for (int64_t chain = 0; chain < chains; ++chain)
          llvm::append_range(next,
                             addTerms(nested, columns,
                                      addIndex(nested, loc, k, chain * length),
                                      {}, carried.slice(chain * count, count)));
        scf::YieldOp::create(nested, loc, next);
      });
  return loop.getResults();
}

SmallVector<Value> DotEmitter::emitColumns(OpBuilder &builder, Value first,
                                           int64_t count) {
  Value last = arith::SubIOp::create(builder, loc, source.end,
                                     createIndex(builder, loc, 1));
  Values columns;
  for (int64_t c = 0; c < count; ++c)
    columns.push_back(arith::MinUIOp::create(
        builder, loc, addIndex(builder, loc, first, c), last));
  Value depth = getValueOrCreateConstantIndexOp(builder, loc, source.depth);
  Value step = createIndex(builder, loc, length);
  Value rest = arith::RemUIOp::create(builder, loc, depth, step);
  Value full = arith::SubIOp::create(builder, loc, depth, rest);
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(tile.getVectorType()));
  Value begin = createIndex(builder, loc, 0);
  Values sums(count * source.height, zero);
  if (sums.size() == 1) {
    Value some = arith::RemUIOp::create(
        builder, loc, full, createIndex(builder, loc, kChains * length));
    Value many = arith::SubIOp::create(builder, loc, full, some);
    Values chains = addVectors(builder, columns, begin, many, kChains,
                               Values(kChains, zero));
    sums = {emitTree(chains, [&](Value a, Value b) -> Value {
      return arith::AddFOp::create(builder, loc, a, b);
    })};
    begin = many;
  }
  sums = addVectors(builder, columns, begin, full, /*chains=*/1, sums);
  std::optional<int64_t> known = getConstantIntValue(source.depth);
  if (!known || *known % length != 0) {
    auto maskType = VectorType::get({length}, builder.getI1Type());
    Value mask = vector::CreateMaskOp::create(builder, loc, maskType, rest);
    sums = addTerms(builder, columns, full, mask, sums);
  }
  Values results;
  for (int64_t r = 0; r < source.height; ++r) {
    Values ofRow;
    for (int64_t c = 0; c < count; ++c)
      ofRow.push_back(sums[c * source.height + r]);
    results.push_back(emitLaneSums(builder, loc, ofRow));
  }
  return results;
}

/// Of x86's vector registers there are twice as many as one has lanes of f32:
/// three quarters of them hold partial sums. With a single row, vectors of a
/// cache line keep up with memory from one column. Two to a line do not: of
/// what is widened to a whole one, a few columns are enough, and lie in the L1
/// cache beside each other wherever they are.
static int64_t countColumns(const RegisterTile &tile, Type stored,
                            int64_t height) {
  if (tile.mr == 1 && tile.fillsLine())
    return tile.fillsLine(stored, tile.getTerms()) ? 1 : kWidenedColumns;
  return llvm::bit_floor(static_cast<uint64_t>(
      std::clamp<int64_t>(tile.lanes * 3 / 2 / height, 1, tile.lanes)));
}

SmallVector<Value> DotEmitter::emit(OpBuilder &builder) {
  int64_t count = countColumns(tile, getElementTypeOrSelf(source.rhs.getType()),
                               source.height);
  if (count == tile.lanes)
    return emitColumns(builder, source.column, count);
  int64_t pieces = tile.lanes / count;
  Value zero = createIndex(builder, loc, 0);
  emitLoop(
      builder, loc, zero, createIndex(builder, loc, pieces), 1,
      [&](OpBuilder &nested, Value piece) {
        Value first = arith::MulIOp::create(nested, loc, piece,
                                            createIndex(nested, loc, count));
        first = arith::AddIOp::create(nested, loc, source.column, first);
        for (auto [r, sum] : llvm::enumerate(emitColumns(nested, first, count)))
          vector::StoreOp::create(
              nested, loc, sum, source.scratch,
              ValueRange{piece, createIndex(nested, loc, r), zero});
      });
  Values results;
  for (int64_t r = 0; r < source.height; ++r) {
    Values parts;
    for (int64_t piece = 0; piece < pieces; ++piece)
      parts.push_back(vector::LoadOp::create(
          builder, loc, tile.getVectorType(), source.scratch,
          ValueRange{createIndex(builder, loc, piece),
                     createIndex(builder, loc, r), zero}));
    results.push_back(emitLaneSums(builder, loc, parts, count));
  }
  return results;
}

SmallVector<int64_t> attn::getDotScratch(const RegisterTile &tile,
                                         Type stored) {
  return {tile.lanes / countColumns(tile, stored, tile.mr), tile.mr,
          tile.lanes};
}

SmallVector<Value> attn::emitDotProducts(OpBuilder &builder, Location loc,
                                         const DotSource &source,
                                         const RegisterTile &tile) {
  return DotEmitter(loc, source, tile).emit(builder);
}
