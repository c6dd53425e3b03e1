//===- ThreadContraction.cpp - Products by fused multiply-adds ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadContraction.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

/// Columns of a block, and those of it that lie in one lane: neighbours.
static constexpr int64_t kBlockColumns = 8, kPair = 2;

Value attn::emitPairAddress(KernelBuilder &kernel, const SharedTile &tile,
                            Value row, int64_t block, Value lane) {
  int64_t bytes = tile.getElementBytes();
  Value inBlock =
      kernel.mul(kernel.bitAnd(lane, 3), kernel.constant(kPair * bytes));
  Value chunk =
      kernel.add(kernel.div(inBlock, kChunkBytes),
                 kernel.constant(block * kBlockColumns * bytes / kChunkBytes));
  return kernel.offset(tile.emitAddress(kernel, row, chunk),
                       kernel.rem(inBlock, kChunkBytes));
}

SmallVector<Value> attn::emitThreadProducts(KernelBuilder &kernel,
                                            const SharedTile &a,
                                            ValueRange rows,
                                            const SharedTile &b, Value lane) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  int64_t columns = b.rows / kBlockColumns * kPair;
  auto chunkType = VectorType::get({a.getChunkElements()}, a.element);
  auto sumType = VectorType::get({columns}, a.element);
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sumType));
  SmallVector<Value> init(rows.size(), zeros);
  auto loop = scf::ForOp::create(builder, loc, kernel.constant(0),
                                 kernel.constant(a.getChunks()),
                                 kernel.constant(1), init);
  OpBuilder::InsertionGuard inside(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value chunk = loop.getInductionVar();
  auto load = [&](Value address) {
    return kernel.unpack(kernel.load(chunkType, address, kChunkBytes));
  };
  SmallVector<SmallVector<Value>> ofRows, sums;
  for (auto [row, sum] : llvm::zip_equal(rows, loop.getRegionIterArgs())) {
    ofRows.push_back(load(a.emitAddress(kernel, row, chunk)));
    sums.push_back(kernel.unpack(sum));
  }
  Value first = kernel.mul(kernel.bitAnd(lane, 3), kernel.constant(kPair));
  for (int64_t half = 0; half < kPair; ++half) {
    // Blocks are a multiple of 8 rows apart: swizzled alike.
    Value start =
        b.emitAddress(kernel, kernel.add(first, kernel.constant(half)), chunk);
    for (int64_t block = 0; block < b.rows / kBlockColumns; ++block) {
      SmallVector<Value> terms =
          load(kernel.offset(start, block * kBlockColumns * b.getRowBytes()));
      for (auto [row, sum] : llvm::zip_equal(ofRows, sums))
        for (auto [x, y] : llvm::zip_equal(row, terms)) {
          Value &element = sum[block * kPair + half];
          element = LLVM::FMAOp::create(builder, loc, x, y, element);
        }
    }
  }
  SmallVector<Value> next;
  for (ArrayRef<Value> sum : sums)
    next.push_back(kernel.pack(sum));
  scf::YieldOp::create(builder, loc, next);
  return SmallVector<Value>(loop.getResults());
}
