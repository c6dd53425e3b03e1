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

/// From the four lanes that ask for it. Where rows fill all banks, neighbours
/// begin with different halves, so that two of them are read at once.
Value AttentionRows::emitRowFactor(Tiles tiles, Value row, bool arePanels) {
  LaneBuilder &lanes = scores.getRowLanes();
  Value inGroup = kernel.bitAnd(place.lane, kGroup - 1);
  Value half;
  if (arePanels)
    half = kernel.mul(kernel.bitAnd(row, 1), kernel.constant(kGroup));
  Value sum = lanes.constant(0.0);
  for (const SharedTile &tile : tiles)
    for (int64_t i = 0; i < tile.getChunks(); i += kGroup) {
      auto type = VectorType::get({tile.getChunkElements()}, shape.element);
      Value chunk = kernel.add(inGroup, kernel.constant(i));
      if (half)
        chunk = kernel.bitXor(chunk, half);
      Value last = kernel.constant(tile.getChunks() - 1);
      Value address = tile.emitAddress(kernel, row, kernel.min(chunk, last));
      Value loaded = kernel.load(type, address, kChunkBytes);
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

void AttentionRows::scaleRowsByNorms(Tiles query, bool arePanels) {
  for (auto [i, row] : llvm::enumerate(rowsInBlock))
    scores.scaleRow(i, emitRowFactor(query, row, arePanels));
}

void AttentionRows::storeKeyFactor(Value factors, Value key, Value factor,
                                   Value exists) {
  int64_t bytes = shape.compute.getIntOrFloatBitWidth() / 8;
  Value isFirst =
      kernel.equal(kernel.bitAnd(place.lane, kGroup - 1), kernel.constant(0));
  kernel.emitIf(exists ? kernel.both(isFirst, exists) : isFirst, [&] {
    kernel.store(
        factor, kernel.offset(factors, kernel.mul(key, kernel.constant(bytes))),
        bytes);
  });
}

/// A warp takes as many keys as it has groups of lanes.
void AttentionKernel::storeKeyFactors() {
  int64_t perPass = shape.getThreads() / kGroup;
  for (int64_t first = 0; first < shape.getKeys(); first += perPass) {
    Value key =
        kernel.add(kernel.div(place.thread, kGroup), kernel.constant(first));
    // All lanes take part in the sums; those without a key have another's.
    Value exists = kernel.less(key, kernel.constant(shape.getKeys()));
    Value factor = emitRowFactor(
        keyTile, kernel.min(key, kernel.constant(shape.getKeys() - 1)),
        /*arePanels=*/false);
    storeKeyFactor(kernel.offset(place.shared, shape.getKeyFactorsOffset()),
                   key, factor, exists);
  }
}

void AttentionRows::scaleByNorms(MutableArrayRef<Value> similarities,
                                 Value factors) {
  int64_t bytes = shape.compute.getIntOrFloatBitWidth() / 8;
  auto pair = VectorType::get({2}, shape.compute);
  Value inPair =
      kernel.mul(kernel.bitAnd(place.lane, 3), kernel.constant(2 * bytes));
  Value base = kernel.offset(factors, inPair);
  SmallVector<Value> loaded;
  for (int64_t first = 0; first < shape.getKeys(); first += 8)
    llvm::append_range(
        loaded, kernel.unpack(kernel.load(
                    pair, kernel.offset(base, first * bytes), 2 * bytes)));
  Value ofKeys = kernel.pack(loaded);
  for (Value &similarity : similarities)
    similarity = scores.getElementLanes().mul(similarity, ofKeys);
}
