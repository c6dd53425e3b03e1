//===- StoreRows.cpp - What an attention kernel writes --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"

#include "attn/Dialect/Attn/Score/ParamSource.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

/// Runs `body` where `condition` holds.
static void emitIf(KernelBuilder &kernel, Value condition,
                   function_ref<void()> body) {
  OpBuilder &b = kernel.getBuilder();
  auto branch = scf::IfOp::create(b, kernel.getLoc(), condition,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard inside(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

void AttentionKernel::storeRows(State &state) {
  LaneBuilder &lanes = scores.getRowLanes();
  softmax.joinLanes(state);
  LaneBuilder accumulators(
      kernel.getBuilder(), kernel.getLoc(), shape.compute,
      cast<VectorType>(state.output[0].getType()).getNumElements());
  SmallVector<Value> output;
  unsigned numbers = op.getLse() ? 1 : 0;
  for (unsigned row = 0; row < rows.size(); ++row) {
    RowEnd end = emitRowEnd(lanes, Units::Log2, softmax.getMax(state, row),
                            state.sum[row], scores.emitLogExtra(row),
                            bool(op.getLse()), SoftmaxFragment::emitExp2);
    output.push_back(accumulators.mul(state.output[row],
                                      accumulators.toFloatLanes(end.factor)));
    if (end.lse)
      storeNumber(1, row, end.lse);
    SmallVector<Value> probes = emitProbes(
        lanes, self, Units::Log2, state.sum[row], end.factor,
        state.statistics[row], [&] {
          return emitLogitSlope(lanes, self, sizes[op.getHeadDimDim()],
                                scores.getRow(row).scale);
        });
    for (auto [i, probe] : llvm::enumerate(probes))
      storeNumber(1 + numbers + i, row, probe);
  }
  if (aligned)
    storeOutput(output);
  else
    storeElements(output);
}

/// One of the lanes of a row writes its number.
void AttentionKernel::storeNumber(unsigned output, unsigned row, Value number) {
  OpBuilder &b = kernel.getBuilder();
  Value isFirst =
      kernel.equal(kernel.bitAnd(place.lane, 3), kernel.constant(0));
  Value exists = kernel.less(rows[row], place.rowCount);
  emitIf(kernel, kernel.both(isFirst, exists), [&] {
    SmallVector<Value> dims(place.batch);
    dims.resize(op.getNumDims());
    dims[op.getRowDim()] = kernel.toIndex(rows[row]);
    SmallVector<Value> position =
        emitPosition(b, kernel.getLoc(), self.getOutputMap(output), dims);
    memref::StoreOp::create(b, kernel.getLoc(), number, op.getOutputs()[output],
                            position);
  });
}

/// Through shared memory, so that lanes side by side write whole pieces of
/// rows. A warp reads what it has written itself.
void AttentionKernel::storeOutput(ArrayRef<Value> output) {
  SharedTile tile = getShared(0, shape.getRows(), shape.getPaddedValue());
  int64_t bytes = shape.getElementBytes();
  for (auto [row, numbers] : llvm::enumerate(output))
    emitStorePairs(kernel, tile, rowsInBlock[row], place.lane,
                   kernel.convertFloat(numbers, shape.element));
  kernel.warpBarrier();
  int64_t chunks = tile.getChunks(), warpRows = shape.getRowsPerWarp();
  auto chunkType = VectorType::get({4}, kernel.getI32());
  Value warpRow = kernel.mul(place.warp, kernel.constant(warpRows));
  for (int64_t i = 0, e = llvm::divideCeil(warpRows * chunks, 32); i < e; ++i) {
    Value number = kernel.add(place.lane, kernel.constant(32 * i));
    Value inWarp = kernel.div(number, chunks);
    Value chunk = kernel.rem(number, chunks);
    Value inBlock = kernel.add(warpRow, inWarp);
    Value row = kernel.add(place.firstRow, inBlock);
    Value exists = kernel.less(row, place.rowCount);
    if (warpRows * chunks % 32 != 0)
      exists =
          kernel.both(exists, kernel.less(inWarp, kernel.constant(warpRows)));
    if (shape.valueDim != tile.columns)
      exists = kernel.both(
          exists, kernel.less(chunk, kernel.constant(shape.valueDim * bytes /
                                                     kChunkBytes)));
    emitIf(kernel, exists, [&] {
      OpBuilder &b = kernel.getBuilder();
      Value loaded = kernel.load(
          chunkType, tile.emitAddress(kernel, inBlock, chunk), kChunkBytes);
      Value ofRow = b.createOrFold<arith::MulIOp>(
          kernel.getLoc(), kernel.toI64(row), outputRows.rowStride);
      Value address = kernel.offset(outputRows.base, ofRow);
      address = kernel.offset(address,
                              kernel.mul(chunk, kernel.constant(kChunkBytes)));
      kernel.store(loaded, address, kChunkBytes);
    });
  }
}

void AttentionKernel::storeElements(ArrayRef<Value> output) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Value inChunk = kernel.mul(kernel.bitAnd(place.lane, 3), kernel.constant(2));
  for (auto [row, numbers] : llvm::enumerate(output)) {
    Value exists = kernel.less(rows[row], place.rowCount);
    Value start =
        kernel.offset(outputRows.base,
                      b.createOrFold<arith::MulIOp>(
                          loc, kernel.toI64(rows[row]), outputRows.rowStride));
    for (auto [i, element] : llvm::enumerate(kernel.unpack(numbers))) {
      Value column = kernel.add(inChunk, kernel.constant(i / 2 * 8 + i % 2));
      Value isColumn = exists;
      if (shape.valueDim != shape.getPaddedValue())
        isColumn = kernel.both(
            exists, kernel.less(column, kernel.constant(shape.valueDim)));
      emitIf(kernel, isColumn, [&, element = element] {
        Value distance = b.createOrFold<arith::MulIOp>(
            loc, kernel.toI64(column), outputRows.columnStride);
        kernel.store(kernel.convertFloat(element, shape.element),
                     kernel.offset(start, distance), shape.getElementBytes());
      });
    }
  }
}
