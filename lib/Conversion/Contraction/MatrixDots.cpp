//===- MatrixDots.cpp - One row times contiguous columns -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each element of the matrix is used once, so that reading it is all that
// counts: nothing is transposed on the way. As many columns as there are lanes
// have a vector of partial sums each, and all of these are added up together.
//
//===----------------------------------------------------------------------===//

#include "../Lanes/LaneSums.h"
#include "../Shared/ConvertFloat.h"
#include "MatrixBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

/// How far ahead a column is asked for, in bytes.
constexpr int64_t kAhead = 512;

namespace {

class DotEmitter {
public:
  DotEmitter(OpBuilder &builder, Location loc, const DotSource &source,
             const RegisterTile &tile)
      : loc(loc), source(source), tile(tile) {
    Value last = arith::SubIOp::create(builder, loc, source.end,
                                       createIndex(builder, loc, 1));
    for (int64_t r = 0; r < tile.lanes; ++r)
      columns.push_back(arith::MinUIOp::create(
          builder, loc, addIndex(builder, loc, source.column, r), last));
  }

  Value emit(OpBuilder &builder);

private:
  using Values = SmallVector<Value>;

  /// Adds the terms from `k` on, those that `mask` selects if there is one.
  Values addTerms(OpBuilder &builder, Value k, Value mask, ValueRange sums);
  Value load(OpBuilder &builder, Value memref, Value row, Value k, Value mask);

  Location loc;
  const DotSource &source;
  const RegisterTile &tile;
  Values columns;
};

} // namespace

Value DotEmitter::load(OpBuilder &builder, Value memref, Value row, Value k,
                       Value mask) {
  return loadFloats(builder, loc, tile.getVectorType(), memref,
                    ValueRange{row, k}, mask);
}

SmallVector<Value> DotEmitter::addTerms(OpBuilder &builder, Value k, Value mask,
                                        ValueRange sums) {
  Value row = load(builder, source.lhs, source.row, k, mask);
  int64_t bits =
      getElementTypeOrSelf(source.rhs.getType()).getIntOrFloatBitWidth();
  Values results;
  for (auto [column, sum] : llvm::zip_equal(columns, sums)) {
    if (!mask)
      emitPrefetch(builder, loc, source.rhs, column, 1,
                   addIndex(builder, loc, k, kAhead * 8 / bits),
                   /*isWrite=*/false);
    results.push_back(vector::FMAOp::create(
        builder, loc, row, load(builder, source.rhs, column, k, mask), sum));
  }
  return results;
}

Value DotEmitter::emit(OpBuilder &builder) {
  Value depth = getValueOrCreateConstantIndexOp(builder, loc, source.depth);
  Value lanes = createIndex(builder, loc, tile.lanes);
  Value rest = arith::RemUIOp::create(builder, loc, depth, lanes);
  Value full = arith::SubIOp::create(builder, loc, depth, rest);
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(tile.getVectorType()));
  auto loop = scf::ForOp::create(
      builder, loc, createIndex(builder, loc, 0), full, lanes,
      Values(tile.lanes, zero),
      [&](OpBuilder &nested, Location, Value k, ValueRange sums) {
        scf::YieldOp::create(nested, loc, addTerms(nested, k, {}, sums));
      });
  Values sums(loop.getResults());
  std::optional<int64_t> known = getConstantIntValue(source.depth);
  if (!known || *known % tile.lanes != 0) {
    auto maskType = VectorType::get({tile.lanes}, builder.getI1Type());
    Value mask = vector::CreateMaskOp::create(builder, loc, maskType, rest);
    sums = addTerms(builder, full, mask, sums);
  }
  return emitLaneSums(builder, loc, sums);
}

Value attn::emitDotProducts(OpBuilder &builder, Location loc,
                            const DotSource &source, const RegisterTile &tile) {
  return DotEmitter(builder, loc, source, tile).emit(builder);
}
