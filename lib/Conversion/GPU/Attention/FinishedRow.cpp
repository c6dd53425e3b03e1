//===- FinishedRow.cpp - What a row of an attention comes to --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FinishedRow.h"
#include "SoftmaxFragment.h"

#include "attn/Dialect/Attn/Score/ParamSource.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;

FinishedRow attn::emitFinishedRow(AttentionOp op, ScoreFragments &scores,
                                  unsigned row, ArrayRef<Value> sizes,
                                  Value max, Value sum,
                                  const RowStatistics &statistics) {
  LaneBuilder &lanes = scores.getRowLanes();
  auto self = cast<AttentionOpInterface>(op.getOperation());
  RowEnd end =
      emitRowEnd(lanes, Units::Log2, max, sum, scores.emitLogExtra(row),
                 bool(op.getLse()), SoftmaxFragment::emitExp2);
  FinishedRow finished = {end.factor, {}};
  if (end.lse)
    finished.numbers.push_back(end.lse);
  llvm::append_range(
      finished.numbers,
      emitProbes(lanes, self, Units::Log2, sum, end.factor, statistics, [&] {
        return emitLogitSlope(lanes, self, sizes[op.getHeadDimDim()],
                              scores.getRow(row).scale);
      }));
  return finished;
}

void attn::storeElement(KernelBuilder &kernel, AttentionOp op, unsigned output,
                        ArrayRef<Value> batch, Value row, Value column,
                        Value element) {
  OpBuilder &b = kernel.getBuilder();
  auto self = cast<AttentionOpInterface>(op.getOperation());
  SmallVector<Value> dims(batch);
  dims.resize(op.getNumDims());
  dims[op.getRowDim()] = kernel.toIndex(row);
  if (column)
    dims[op.getValueDim()] = kernel.toIndex(column);
  SmallVector<Value> position =
      emitPosition(b, kernel.getLoc(), self.getOutputMap(output), dims);
  memref::StoreOp::create(b, kernel.getLoc(), element, op.getOutputs()[output],
                          position);
}
