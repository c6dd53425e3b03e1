//===- AttentionKernel.cpp - Attention on tensor cores of a warp ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

AttentionKernel::AttentionKernel(KernelBuilder &kernel, AttentionOp op,
                                 const AttentionShape &shape,
                                 ArrayRef<Value> sizes, const BlockPlace &place,
                                 const RangeStates &states, bool aligned)
    : AttentionRows(kernel, op, shape, sizes, place, states, aligned) {
  int64_t keyOffset = shape.getQueryBytes();
  queryTile = getShared(0, shape.getRows(), shape.getPaddedHead());
  keyTile = getShared(keyOffset, shape.getKeys(), shape.getPaddedHead());
  valueTile = getShared(keyOffset + shape.getKeyBytes(), shape.getKeys(),
                        shape.getPaddedValue());
  SmallVector<OperandRows> operands = getOperandRows(op);
  auto getCopy = [&](unsigned operand, const SharedTile &tile,
                     int64_t columns) {
    Value headRows = operand == 0 ? place.headRows : Value();
    GlobalRows source = emitGlobalRows(kernel, operands[operand], place.batch,
                                       columns, headRows);
    return std::make_unique<TileCopy>(source, tile, place.thread,
                                      shape.getThreads(), aligned);
  };
  queryCopy = getCopy(0, queryTile, shape.headDim);
  keyCopy = getCopy(1, keyTile, shape.headDim);
  valueCopy = getCopy(2, valueTile, shape.valueDim);
  if (!shape.splitsKeys())
    outputRows =
        emitGlobalRows(kernel, operands[3], place.batch, shape.valueDim);
  if (shape.usesMatrices())
    createContractions();
}

void AttentionKernel::createContractions() {
  scoreProduct = std::make_unique<WarpContraction>(shape.element,
                                                   /*rowsAreTerms=*/false);
  outputProduct = std::make_unique<WarpContraction>(shape.element,
                                                    /*rowsAreTerms=*/true);
  keyLoader = std::make_unique<MatrixLoader>(createLoader(
      kernel, FragmentRole::Rhs, keyTile, place.lane, /*rowsAreTerms=*/false));
  valueLoader = std::make_unique<MatrixLoader>(createLoader(
      kernel, FragmentRole::Rhs, valueTile, place.lane, /*rowsAreTerms=*/true));
  Value warpRow = kernel.mul(place.warp, shape.getRowsPerWarp());
  queryLoader = std::make_unique<MatrixLoader>(
      createLoader(kernel, FragmentRole::Lhs, queryTile, place.lane,
                   /*rowsAreTerms=*/false, warpRow));
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void AttentionKernel::loadQuery() {
  if (!shape.keepsQuery())
    return;
  int64_t steps = shape.getPaddedHead() / scoreProduct->getShape().k;
  int64_t rowsPerThread = layout.getRowsPerThread();
  for (int64_t fragment = 0; fragment < getNumFragments(); ++fragment)
    for (int64_t step = 0; step < steps; ++step) {
      SmallVector<Value> registers =
          queryLoader->load(kernel, 16 * fragment, 2 * step);
      for (auto [i, bits] : llvm::enumerate(registers))
        if (Value flips =
                negative[fragment * rowsPerThread + i % rowsPerThread]) {
          Value signs = kernel.select(
              flips, kernel.constant(static_cast<int32_t>(0x80008000)),
              kernel.constant(0));
          bits = kernel.bitXor(bits, signs);
        }
      query.push_back(registers);
    }
}

SmallVector<Value> AttentionKernel::getQuery(int64_t fragment, int64_t step) {
  int64_t steps = shape.getPaddedHead() / scoreProduct->getShape().k;
  if (shape.keepsQuery())
    return query[fragment * steps + step];
  return queryLoader->load(kernel, 16 * fragment, 2 * step);
}

//===----------------------------------------------------------------------===//
// Loops over keys
//===----------------------------------------------------------------------===//

AttentionKernel::State AttentionKernel::emitLoop(Value lower, Value upper,
                                                 bool edge, State state) {
  return softmax.restore(
      kernel.emitLoop(lower, upper, shape.getKeys(), softmax.flatten(state),
                      [&](Value first, ValueRange carried) {
                        return softmax.flatten(
                            emitTile({first, edge}, softmax.restore(carried)));
                      }));
}

AttentionKernel::State AttentionKernel::emitLoops() {
  KeyRanges ranges = getKeyRanges();
  queryCopy->emitChoice(kernel, place.firstRow, kernel.add(place.lastRow, 1));
  emitCopyCommit(kernel);
  keyCopy->emitChoice(kernel, ranges.some.lower, limit);
  emitCopyCommit(kernel);
  emitCopyWait(kernel, 1);
  kernel.barrier();
  loadQuery();
  if (shape.isCosine)
    scaleRowsByNorms(queryTile, /*arePanels=*/false);
  State state = softmax.getIdentity();
  if (hidesEarlyKeys(op))
    state = emitLoop(ranges.some.lower, ranges.every.lower, true, state);
  state = emitLoop(ranges.every.lower, ranges.every.upper, false, state);
  return emitLoop(ranges.every.upper, ranges.some.upper, true, state);
}

SmallVector<Value> AttentionKernel::emitProducts() {
  SmallVector<Value> similarities;
  auto type =
      VectorType::get({scores.getElementLanes().getLanes()}, shape.compute);
  SmallVector<Value> fresh(rows.size(), kernel.zero(type));
  if (shape.usesMatrices()) {
    similarities = scoreProduct->emit(
        kernel,
        [&](int64_t fragment, int64_t step) {
          return getQuery(fragment, step);
        },
        shape.getPaddedHead() / scoreProduct->getShape().k, *keyLoader, fresh,
        /*fresh=*/true);
  } else {
    similarities = emitThreadProducts(kernel, {queryTile}, rowsInBlock,
                                      {keyTile}, place.lane, fresh);
  }
  // A query in registers has changed its signs already.
  if (!shape.keepsQuery())
    applySigns(similarities);
  return similarities;
}

AttentionKernel::State AttentionKernel::emitTile(const Tile &tile,
                                                 State state) {
  // The tile's keys are there, and nobody uses the last values any more.
  emitCopyWait(kernel, 0);
  kernel.barrier();
  if (tile.edge)
    valueCopy->emitChoice(kernel, tile.first, limit);
  else
    valueCopy->emit(kernel, tile.first, limit, /*bounded=*/false);
  emitCopyCommit(kernel);
  SmallVector<Value> similarities = emitProducts();
  if (shape.isCosine)
    storeKeyFactors();
  // The values are there, and nobody uses the keys any more.
  emitCopyWait(kernel, 0);
  Value hasOdd;
  bool mayHide = hidesValues(tile);
  if (mayHide && shape.usesMatrices())
    hasOdd = kernel.barrierAny(emitHasOdd());
  else
    kernel.barrier();
  keyCopy->emitChoice(kernel, kernel.add(tile.first, shape.getKeys()), limit);
  emitCopyCommit(kernel);

  if (shape.isCosine)
    scaleByNorms(similarities,
                 kernel.offset(place.shared, shape.getKeyFactorsOffset()));
  Value end = tile.edge ? limit : Value();
  ScoreEmitter::Column column = scores.getColumn(tile.first, columns, end);
  SmallVector<Value> weights, visible(rows.size());
  for (unsigned row = 0; row < rows.size(); ++row) {
    Value rowScores =
        scores.emitScores(similarities[row], row, column, end, visible[row]);
    weights.push_back(softmax.update(state, row, rowScores));
  }
  if (!shape.usesMatrices()) {
    if (!mayHide)
      visible.assign(rows.size(), Value());
    accumulateOdd(state, weights, visible);
    return state;
  }
  if (!hasOdd) {
    accumulate(state, weights);
    return state;
  }
  auto emitOdd = [&] {
    State part = state;
    accumulateOdd(part, weights, visible);
    return part.output;
  };
  auto emitFinite = [&] {
    State part = state;
    accumulate(part, weights);
    return part.output;
  };
  state.output = kernel.emitChoice(hasOdd, emitOdd, emitFinite);
  return state;
}

void AttentionKernel::accumulate(State &state, ArrayRef<Value> weights) {
  int64_t rowsPerThread = layout.getRowsPerThread();
  SmallVector<SmallVector<SmallVector<Value>>> lhs;
  for (int64_t fragment = 0; fragment < getNumFragments(); ++fragment)
    lhs.push_back(scoreProduct->emitReuse(
        kernel, weights.slice(fragment * rowsPerThread, rowsPerThread)));
  state.output = outputProduct->emit(
      kernel,
      [&](int64_t fragment, int64_t step) { return lhs[fragment][step]; },
      shape.getKeys() / outputProduct->getShape().k, *valueLoader, state.output,
      /*fresh=*/false);
}

void AttentionKernel::emit() {
  addRows();
  State state = emitLoops();
  // All copies are over, and nobody uses the shared memory any more.
  emitCopyWait(kernel, 0);
  kernel.barrier();
  storeRows(state, getShared(0, shape.getRows(), shape.getPaddedValue()));
}
