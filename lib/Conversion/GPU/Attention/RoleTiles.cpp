//===- RoleTiles.cpp - What the copy engine brings to attention -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoleTiles.h"
#include "../../Shared/MemRefMemory.h"
#include "attn/Dialect/Attn/Score/ParamSource.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

/// Columns of a box of 16-bit elements.
static constexpr int64_t kBoxColumns = PanelTile::kRowBytes / 2;

/// Columns come first, then rows, then what a batch chooses.
static SmallVector<unsigned> orderDims(const OperandRows &operand) {
  SmallVector<unsigned> order(2), others;
  for (auto [i, expr] : llvm::enumerate(operand.map.getResults())) {
    if (expr.isFunctionOfDim(operand.columnDim))
      order[0] = i;
    else if (expr.isFunctionOfDim(operand.rowDim))
      order[1] = i;
    else
      others.push_back(i);
  }
  llvm::append_range(order, others);
  return order;
}

static TensorView emitView(OpBuilder &b, Location loc,
                           const OperandRows &operand) {
  auto metadata =
      memref::ExtractStridedMetadataOp::create(b, loc, operand.memref);
  SmallVector<OpFoldResult> sizes = metadata.getConstifiedMixedSizes();
  SmallVector<OpFoldResult> strides = metadata.getConstifiedMixedStrides();
  TensorView view;
  view.memref = operand.memref;
  for (unsigned dim : orderDims(operand))
    view.dims.push_back({sizes[dim], strides[dim]});
  return view;
}

Value RoleOperand::emitExists(OpBuilder &b, Location loc,
                              const OperandRows &rows) {
  return TensorMap::emitExists(b, loc, emitView(b, loc, rows));
}

static SmallVector<int64_t> getBox(const OperandRows &rows, int64_t boxRows) {
  SmallVector<int64_t> box(rows.map.getNumResults(), 1);
  box[0] = kBoxColumns;
  box[1] = boxRows;
  return box;
}

RoleOperand::RoleOperand(OpBuilder &b, Location loc, const OperandRows &rows,
                         int64_t tileRows, int64_t columns, int64_t boxRows)
    : rows(rows), map(b, loc, emitView(b, loc, rows),
                      getBox(rows, boxRows ? boxRows : tileRows)),
      tileRows(tileRows), columns(columns),
      element(getElementTypeOrSelf(rows.memref.getType())) {}

void RoleOperand::forEachPanel(
    KernelBuilder &kernel, Value base, ArrayRef<Value> batch, Value row,
    function_ref<void(Value shared, ValueRange coordinates)> copy) const {
  SmallVector<Value> dims(batch);
  dims.resize(rows.map.getNumDims());
  SmallVector<Value> position =
      emitPosition(kernel.getBuilder(), kernel.getLoc(), rows.map, dims);
  SmallVector<Value> coordinates = {Value(), row};
  auto order = orderDims(rows);
  for (unsigned dim : ArrayRef(order).drop_front(2))
    coordinates.push_back(kernel.toI32(position[dim]));
  PanelTile tile = getTile(base);
  for (int64_t panel = 0; panel < tile.getPanels(); ++panel) {
    coordinates[0] = kernel.constant(panel * kBoxColumns);
    copy(kernel.offset(base, panel * tile.getPanelBytes()), coordinates);
  }
}

void RoleOperand::emitLoad(KernelBuilder &kernel, Value base,
                           ArrayRef<Value> batch, Value row, Value barrier,
                           CacheHint hint) const {
  forEachPanel(kernel, base, batch, row,
               [&](Value shared, ValueRange coordinates) {
                 map.emitLoad(kernel, shared, coordinates, barrier, hint);
               });
}

void RoleOperand::emitStore(KernelBuilder &kernel, Value base,
                            ArrayRef<Value> batch, Value row,
                            Value inTile) const {
  Value bytes = kernel.mul(inTile, kernel.constant(PanelTile::kRowBytes));
  forEachPanel(
      kernel, base, batch, row, [&](Value shared, ValueRange coordinates) {
        map.emitStore(kernel, kernel.offset(shared, bytes), coordinates);
      });
}

RoleMemory::RoleMemory(const AttentionShape &shape) {
  auto getBytes = [&](int64_t rows, int64_t columns) {
    return rows * PanelTile::kRowBytes * llvm::divideCeil(columns, kBoxColumns);
  };
  int64_t stages = shape.schedule.getStages();
  // The output goes through the query's tile.
  queryBytes =
      getBytes(shape.getRows(), std::max(shape.headDim, shape.valueDim));
  keyBytes = getBytes(shape.getKeys(), shape.headDim);
  valueBytes = getBytes(shape.getKeys(), shape.valueDim);
  keys = queryBytes;
  values = keys + stages * keyBytes;
  int64_t end = values + stages * valueBytes;
  weights = shape.hides ? end : -1;
  if (shape.hides)
    end += shape.getRows() * shape.getKeys() * shape.getElementBytes();
  factors = end;
  factorBytes = shape.isCosine ? shape.getKeys() * int64_t(sizeof(float)) : 0;
  queryRing = factors + stages * factorBytes;
  keyRing = queryRing + StageRing::getBytes(1);
  valueRing = keyRing + StageRing::getBytes(stages);
  factorRing = valueRing + StageRing::getBytes(stages);
  bytes = factorRing + (shape.isCosine ? StageRing::getBytes(stages) : 0);
}
