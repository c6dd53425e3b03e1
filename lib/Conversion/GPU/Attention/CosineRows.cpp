//===- CosineRows.cpp - Norms of queries and keys -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cosine similarity is the product of rows as they lie, times 1 / norm of both:
// a row's is a part of its factor, and a key's is computed when its tile has
// come, while the matrix units make the products.
//
//===----------------------------------------------------------------------===//

#include "../../Shared/NormFactor.h"
#include "AttentionKernel.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

/// Lanes that share a row, as they do in accumulators.
static constexpr int64_t kGroup = 4;

/// The squares of all elements of `vector`, added to `sum`.
static Value addSquares(KernelBuilder &kernel, LaneBuilder &lanes, Value vector,
                        Value sum) {
  Value wide = kernel.convertFloat(vector, lanes.getElementType());
  for (Value element : kernel.unpack(wide))
    sum = lanes.fma(element, element, sum);
  return sum;
}

/// 1 / norm of row `row` of a tile, from the four lanes that ask for it.
Value AttentionKernel::emitRowFactor(const SharedTile &tile, Value row) {
  LaneBuilder &lanes = scores.getRowLanes();
  auto chunkType = VectorType::get({tile.getChunkElements()}, shape.element);
  Value inGroup = kernel.bitAnd(place.lane, kGroup - 1);
  Value sum = lanes.constant(0.0);
  for (int64_t i = 0; i < tile.getChunks(); i += kGroup) {
    Value chunk = kernel.add(inGroup, kernel.constant(i));
    Value last = kernel.constant(tile.getChunks() - 1);
    Value address = tile.emitAddress(kernel, row, kernel.min(chunk, last));
    Value loaded = kernel.load(chunkType, address, kChunkBytes);
    Value next = addSquares(kernel, lanes, loaded, sum);
    if (i + kGroup > tile.getChunks())
      next = kernel.select(
          kernel.less(chunk, kernel.constant(tile.getChunks())), next, sum);
    sum = next;
  }
  for (int64_t mask = 1; mask < kGroup; mask *= 2)
    sum = lanes.add(sum, kernel.shuffleXor(sum, mask));
  return emitNormFactor(lanes, self.getCosine(), sum);
}

void AttentionKernel::scaleRowsByNorms() {
  for (auto [i, row] : llvm::enumerate(rowsInBlock))
    scores.scaleRow(i, emitRowFactor(queryTile, row));
}

/// A warp takes as many keys as it has groups of lanes.
void AttentionKernel::storeKeyFactors() {
  OpBuilder &b = kernel.getBuilder();
  int64_t bytes = shape.compute.getIntOrFloatBitWidth() / 8;
  int64_t perPass = shape.getThreads() / kGroup;
  Value isFirst =
      kernel.equal(kernel.bitAnd(place.lane, kGroup - 1), kernel.constant(0));
  for (int64_t first = 0; first < shape.getKeys(); first += perPass) {
    Value key =
        kernel.add(kernel.div(place.thread, kGroup), kernel.constant(first));
    // All lanes take part in the sums; those without a key have another's.
    Value exists = kernel.less(key, kernel.constant(shape.getKeys()));
    Value factor = emitRowFactor(
        keyTile, kernel.min(key, kernel.constant(shape.getKeys() - 1)));
    auto branch =
        scf::IfOp::create(b, kernel.getLoc(), kernel.both(isFirst, exists),
                          /*withElseRegion=*/false);
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value address = kernel.offset(place.shared, shape.getKeyFactorsOffset());
    kernel.store(
        factor, kernel.offset(address, kernel.mul(key, kernel.constant(bytes))),
        bytes);
  }
}

Value AttentionKernel::loadKeyFactors() {
  int64_t bytes = shape.compute.getIntOrFloatBitWidth() / 8;
  auto pair = VectorType::get({2}, shape.compute);
  Value inPair =
      kernel.mul(kernel.bitAnd(place.lane, 3), kernel.constant(2 * bytes));
  Value base = kernel.offset(
      kernel.offset(place.shared, shape.getKeyFactorsOffset()), inPair);
  SmallVector<Value> factors;
  for (int64_t first = 0; first < shape.getKeys(); first += 8)
    llvm::append_range(
        factors, kernel.unpack(kernel.load(
                     pair, kernel.offset(base, first * bytes), 2 * bytes)));
  return kernel.pack(factors);
}
