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

/// The squares of all elements of `vector`, added to `sum`.
static Value addSquares(KernelBuilder &kernel, LaneBuilder &lanes, Value vector,
                        Value sum) {
  Value wide = kernel.convertFloat(vector, lanes.getElementType());
  for (Value element : kernel.unpack(wide))
    sum = lanes.fma(element, element, sum);
  return sum;
}

void AttentionKernel::scaleRowsByNorms() {
  LaneBuilder &lanes = scores.getRowLanes();
  int64_t steps = shape.getPaddedHead() / scoreProduct->getShape().k;
  int64_t rowsPerThread = scoreProduct->getAccumulator().getRowsPerThread();
  auto pair = VectorType::get({2}, shape.element);
  SmallVector<Value> squares(rows.size(), lanes.constant(0.0));
  for (int64_t fragment = 0; fragment < getNumFragments(); ++fragment)
    for (int64_t step = 0; step < steps; ++step)
      for (auto [i, bits] : llvm::enumerate(getQuery(fragment, step))) {
        Value elements = LLVM::BitcastOp::create(kernel.getBuilder(),
                                                 kernel.getLoc(), pair, bits);
        Value &sum = squares[fragment * rowsPerThread + i % rowsPerThread];
        sum = addSquares(kernel, lanes, elements, sum);
      }
  for (auto [row, sum] : llvm::enumerate(squares)) {
    for (int64_t mask : {1, 2})
      sum = lanes.add(sum, kernel.shuffleXor(sum, mask));
    scores.scaleRow(row, emitNormFactor(lanes, self.getCosine(), sum));
  }
}

/// Groups of lanes share a key; a warp takes as many keys as it has groups.
void AttentionKernel::storeKeyFactors() {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  LaneBuilder &lanes = scores.getRowLanes();
  constexpr int64_t kGroup = 4, kKeysPerWarp = 32 / kGroup;
  auto chunkType = VectorType::get({keyTile.getChunkElements()}, shape.element);
  Value inGroup = kernel.bitAnd(place.lane, kGroup - 1);
  int64_t perPass = kKeysPerWarp * shape.getWarps();
  for (int64_t first = 0; first < shape.getKeys(); first += perPass) {
    Value key =
        kernel.add(kernel.div(place.thread, kGroup), kernel.constant(first));
    // All lanes take part in the sums; those without a key have another's.
    Value exists = kernel.less(key, kernel.constant(shape.getKeys()));
    Value row = kernel.min(key, kernel.constant(shape.getKeys() - 1));
    Value sum = lanes.constant(0.0);
    for (int64_t i = 0; i < keyTile.getChunks(); i += kGroup) {
      Value chunk = kernel.add(inGroup, kernel.constant(i));
      Value last = kernel.constant(keyTile.getChunks() - 1);
      Value squares = addSquares(
          kernel, lanes,
          kernel.load(chunkType,
                      keyTile.emitAddress(kernel, row, kernel.min(chunk, last)),
                      kChunkBytes),
          sum);
      sum = i + kGroup <= keyTile.getChunks()
                ? squares
                : kernel.select(
                      kernel.less(chunk, kernel.constant(keyTile.getChunks())),
                      squares, sum);
    }
    for (int64_t mask = 1; mask < kGroup; mask *= 2)
      sum = lanes.add(sum, kernel.shuffleXor(sum, mask));
    Value factor = emitNormFactor(lanes, self.getCosine(), sum);
    int64_t bytes = shape.compute.getIntOrFloatBitWidth() / 8;
    Value isFirst = kernel.equal(inGroup, kernel.constant(0));
    auto branch = scf::IfOp::create(b, loc, kernel.both(isFirst, exists),
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
