//===- ThreadContraction.cpp - Products by fused multiply-adds ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadContraction.h"

#include <array>

using namespace mlir;
using namespace attn;

/// Columns of a block, and those of it that lie in one lane: neighbours.
static constexpr int64_t kBlockColumns = 8, kPair = 2;

Value attn::emitPairAddress(KernelBuilder &kernel, const SharedTile &tile,
                            Value row, int64_t block, Value lane, Value first) {
  int64_t bytes = tile.getElementBytes();
  Value inBlock = kernel.mul(kernel.bitAnd(lane, 3), kPair * bytes);
  Value chunk = kernel.add(kernel.div(inBlock, kChunkBytes),
                           block * kBlockColumns * bytes / kChunkBytes);
  if (first)
    chunk = kernel.add(chunk, kernel.div(first, tile.getChunkElements()));
  return kernel.offset(tile.emitAddress(kernel, row, chunk),
                       kernel.rem(inBlock, kChunkBytes));
}

void attn::emitStorePairs(KernelBuilder &kernel, const SharedTile &tile,
                          Value row, Value lane, Value numbers) {
  SmallVector<Value> elements = kernel.unpack(numbers);
  for (size_t i = 0; i < elements.size(); i += kPair)
    kernel.store(kernel.pack({elements[i], elements[i + 1]}),
                 emitPairAddress(kernel, tile, row, i / kPair, lane),
                 kPair * tile.getElementBytes());
}

namespace {

/// What a lane reads of both operands for a chunk of terms.
class ChunkLoader {
public:
  ChunkLoader(KernelBuilder &kernel, Value chunk, Value lane, Value first)
      : kernel(kernel), chunk(chunk), lane(lane), first(first) {}

  /// The terms of a row of A.
  SmallVector<Value> loadRow(const ThreadOperand &a, Value row);
  /// The terms of the lane's columns of a block of B.
  std::array<SmallVector<Value>, kPair> loadColumns(const ThreadOperand &b,
                                                    int64_t block);

private:
  SmallVector<Value> loadChunk(const SharedTile &tile, Value address) {
    auto type = VectorType::get({tile.getChunkElements()}, tile.element);
    return kernel.unpack(kernel.load(type, address, kChunkBytes));
  }
  Value getTerm(const SharedTile &tile, int64_t term) {
    Value begin = kernel.mul(chunk, tile.getChunkElements());
    return kernel.add(begin, term);
  }

  KernelBuilder &kernel;
  Value chunk, lane, first;
  /// Where the lane's columns begin, by place in the pair.
  std::array<Value, kPair> starts;
};

} // namespace

SmallVector<Value> ChunkLoader::loadRow(const ThreadOperand &a, Value row) {
  const SharedTile &tile = a.tile;
  if (!a.rowsAreTerms)
    return loadChunk(tile, tile.emitAddress(kernel, row, chunk));
  int64_t count = tile.getChunkElements(), bytes = tile.getElementBytes();
  Value inChunk = kernel.mul(kernel.rem(row, count), bytes);
  SmallVector<Value> terms;
  for (int64_t term = 0; term < count; ++term) {
    Value address =
        tile.emitAddress(kernel, getTerm(tile, term), kernel.div(row, count));
    terms.push_back(
        kernel.load(tile.element, kernel.offset(address, inChunk), bytes));
  }
  return terms;
}

std::array<SmallVector<Value>, kPair>
ChunkLoader::loadColumns(const ThreadOperand &b, int64_t block) {
  const SharedTile &tile = b.tile;
  std::array<SmallVector<Value>, kPair> columns;
  if (b.rowsAreTerms) {
    auto type = VectorType::get({kPair}, tile.element);
    for (int64_t term = 0; term < tile.getChunkElements(); ++term) {
      Value address = emitPairAddress(kernel, tile, getTerm(tile, term), block,
                                      lane, first);
      Value pair = kernel.load(type, address, kPair * tile.getElementBytes());
      for (auto [column, element] :
           llvm::zip_equal(columns, kernel.unpack(pair)))
        column.push_back(element);
    }
    return columns;
  }
  for (int64_t half = 0; half < kPair; ++half) {
    // Blocks are a multiple of 8 rows apart: swizzled alike.
    if (!starts[half]) {
      Value row = kernel.add(kernel.mul(kernel.bitAnd(lane, 3), kPair), half);
      starts[half] =
          tile.emitAddress(kernel, first ? kernel.add(row, first) : row, chunk);
    }
    columns[half] =
        loadChunk(tile, kernel.offset(starts[half], block * kBlockColumns *
                                                        tile.getRowBytes()));
  }
  return columns;
}

SmallVector<Value> attn::emitThreadProducts(KernelBuilder &kernel,
                                            const ThreadOperand &a,
                                            ValueRange rows,
                                            const ThreadOperand &b, Value lane,
                                            ValueRange sums, Value first) {
  auto multiply = [&](Value chunk, ValueRange before) {
    ChunkLoader loader(kernel, chunk, lane, first);
    SmallVector<SmallVector<Value>> ofRows, next;
    for (auto [row, sum] : llvm::zip_equal(rows, before)) {
      ofRows.push_back(loader.loadRow(a, row));
      next.push_back(kernel.unpack(sum));
    }
    int64_t columns = next.front().size();
    for (int64_t block = 0; block < columns / kPair; ++block)
      for (auto [half, column] : llvm::enumerate(loader.loadColumns(b, block)))
        for (auto [row, sum] : llvm::zip_equal(ofRows, next))
          for (auto [x, y] : llvm::zip_equal(row, column)) {
            Value &element = sum[block * kPair + half];
            element = LLVM::FMAOp::create(kernel.getBuilder(), kernel.getLoc(),
                                          x, y, element);
          }
    return kernel.packEach(next);
  };
  int64_t terms = a.rowsAreTerms ? a.tile.rows : a.tile.columns;
  return kernel.emitLoop(kernel.constant(0),
                         kernel.constant(terms / a.tile.getChunkElements()),
                         /*step=*/1, sums, multiply);
}
