//===- Transpose.cpp - Transposes in registers ----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transpose.h"

#include "LaneMemory.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace {

/// Shuffles of two vectors of `lanes` elements that move blocks of `width`.
class BlockShuffles {
public:
  BlockShuffles(OpBuilder &builder, Location loc, int64_t lanes, int64_t width)
      : builder(builder), loc(loc), lanes(lanes), width(width) {}

  /// Blocks `parity`, `parity + 2`, ... of `a`, then the same of `b`.
  Value alternate(Value a, Value b, int64_t parity) {
    SmallVector<int64_t> mask;
    for (int64_t block = parity; block < 2 * lanes / width; block += 2)
      appendBlock(mask, block);
    return vector::ShuffleOp::create(builder, loc, a, b, mask);
  }
  /// Within each group of `group` elements: its lower (or upper) half of
  /// blocks of `a` and of `b` in turn.
  Value interleave(Value a, Value b, int64_t group, bool upper) {
    SmallVector<int64_t> mask;
    int64_t half = group / width / 2;
    for (int64_t first = 0; first < lanes / width; first += 2 * half)
      for (int64_t block = 0; block < half; ++block) {
        int64_t from = first + block + (upper ? half : 0);
        appendBlock(mask, from);
        appendBlock(mask, from + lanes / width);
      }
    return vector::ShuffleOp::create(builder, loc, a, b, mask);
  }

private:
  void appendBlock(SmallVector<int64_t> &mask, int64_t block) {
    for (int64_t i = 0; i < width; ++i)
      mask.push_back(block * width + i);
  }

  OpBuilder &builder;
  Location loc;
  int64_t lanes;
  int64_t width;
};

} // namespace

/// Transposes each 4 x 4 block of 4 vectors: result c holds, in its block b,
/// column 4 b + c of the four.
static SmallVector<Value> transposeFours(OpBuilder &builder, Location loc,
                                         ArrayRef<Value> rows, int64_t lanes) {
  BlockShuffles ones(builder, loc, lanes, 1), twos(builder, loc, lanes, 2);
  Value low01 = ones.interleave(rows[0], rows[1], 4, false);
  Value high01 = ones.interleave(rows[0], rows[1], 4, true);
  Value low23 = ones.interleave(rows[2], rows[3], 4, false);
  Value high23 = ones.interleave(rows[2], rows[3], 4, true);
  return {twos.interleave(low01, low23, 4, false),
          twos.interleave(low01, low23, 4, true),
          twos.interleave(high01, high23, 4, false),
          twos.interleave(high01, high23, 4, true)};
}

/// Transposes n vectors of n blocks by log2(n) rounds of even/odd selection:
/// each doubles the number of sources whose blocks stand side by side.
static SmallVector<Value> transposeBlocks(BlockShuffles &blocks,
                                          SmallVector<Value> rows) {
  int64_t n = rows.size();
  for (int64_t round = 1; round < n; round *= 2) {
    // Row i and its partner `round` further hold the same columns.
    SmallVector<Value> next(n);
    for (int64_t i = 0; i < n; ++i) {
      if (i & round)
        continue;
      next[i] = blocks.alternate(rows[i], rows[i + round], 0);
      next[i + round] = blocks.alternate(rows[i], rows[i + round], 1);
    }
    rows = std::move(next);
  }
  return rows;
}

/// LLVM looks for better shuffles through all that lead to one, by every path.
/// These are the best already, and of four steps that doubles a search without
/// end: a fence, which is no instruction, cuts it.
static Value emitFence(OpBuilder &builder, Location loc, Value vector) {
  Type element = getElementTypeOrSelf(vector.getType());
  if (!element.isF32() && !element.isF64())
    return vector;
  return LLVM::CallIntrinsicOp::create(
             builder, loc, vector.getType(),
             builder.getStringAttr("llvm.arithmetic.fence"), vector)
      .getResult(0);
}

SmallVector<Value> attn::emitTranspose(OpBuilder &builder, Location loc,
                                       ArrayRef<Value> rows) {
  int64_t lanes = rows.size();
  assert(llvm::isPowerOf2_64(lanes) && "not a square of a power of two");
  if (lanes < 4) {
    BlockShuffles blocks(builder, loc, lanes, 1);
    return transposeBlocks(blocks, llvm::to_vector(rows));
  }
  SmallVector<SmallVector<Value>> fours;
  for (int64_t first = 0; first < lanes; first += 4)
    fours.push_back(transposeFours(builder, loc, rows.slice(first, 4), lanes));
  BlockShuffles blocks(builder, loc, lanes, 4);
  SmallVector<Value> columns(lanes);
  for (int64_t c = 0; c < 4; ++c) {
    SmallVector<Value> sources;
    for (SmallVector<Value> &four : fours)
      sources.push_back(lanes > 4 ? emitFence(builder, loc, four[c]) : four[c]);
    for (auto [b, column] :
         llvm::enumerate(transposeBlocks(blocks, std::move(sources))))
      columns[4 * b + c] = column;
  }
  return columns;
}

SmallVector<Value> attn::emitTurnedBlock(OpBuilder &builder, Location loc,
                                         VectorType type, Value memref,
                                         Value row, Value column) {
  Type stored = cast<MemRefType>(memref.getType()).getElementType();
  int64_t count = type.getNumElements();
  int64_t terms =
      type.getElementTypeBitWidth() / stored.getIntOrFloatBitWidth();
  auto loaded = VectorType::get({count * terms}, stored);
  SmallVector<Value> rows;
  for (int64_t r = 0; r < count; ++r) {
    Value vector = vector::LoadOp::create(
        builder, loc, loaded, memref,
        ValueRange{addIndex(builder, loc, row, r), column});
    rows.push_back(
        vector::BitCastOp::create(builder, loc, type, vector).getResult());
  }
  return emitTranspose(builder, loc, rows);
}
