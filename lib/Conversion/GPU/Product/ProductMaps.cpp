//===- ProductMaps.cpp - Operands that the copy engine brings -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductMaps.h"
#include "../../Shared/MemRefMemory.h"
#include "../Fragment/StageRing.h"
#include "StagedSums.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;

/// Columns that four warps multiply at once are so many at most.
static constexpr int64_t kMostGroupColumns = 256;

std::optional<MappedOperand> MappedOperand::get(OpBuilder &builder,
                                                Location loc,
                                                const MatrixProduct &product,
                                                bool isLhs, int64_t across) {
  const MatrixOperand &matrix = isLhs ? product.lhs : product.rhs;
  Distance rows = {matrix.rows, matrix.rowStride};
  Distance columns = {matrix.columns, matrix.columnStride};
  bool areTermsColumns = isLhs || product.rhsTransposed;
  Distance terms = areTermsColumns ? columns : rows;
  Distance others = areTermsColumns ? rows : columns;
  MappedOperand operand;
  operand.across = across;
  operand.view.memref = matrix.memref;
  operand.areTermsNeighbours = getConstantIntValue(terms.stride) == 1;
  if (!operand.areTermsNeighbours && getConstantIntValue(others.stride) != 1)
    return std::nullopt;
  operand.view.dims = {terms, others};
  if (!operand.areTermsNeighbours)
    std::swap(operand.view.dims[0], operand.view.dims[1]);
  auto value = [&](OpFoldResult result) {
    return getValueOrCreateConstantIndexOp(builder, loc, result);
  };
  for (unsigned dim = product.batchSizes.size(); dim-- > 0;) {
    // The matrix is the same there.
    if (getConstantIntValue(matrix.batchStrides[dim]) == 0)
      continue;
    // Where all rows are those of one matrix, the others are not there.
    Value size = builder.createOrFold<arith::MinUIOp>(
        loc, value(product.batchSizes[dim]), value(product.batchCount));
    operand.view.dims.push_back({size, matrix.batchStrides[dim]});
    operand.batchDims.push_back(dim);
  }
  return operand;
}

SmallVector<int64_t> MappedOperand::getBox() const {
  SmallVector<int64_t> box(view.dims.size(), 1);
  box[0] = kStepTerms;
  box[1] = areTermsNeighbours ? getAcrossBox() : kStepTerms;
  return box;
}

bool RolesShape::isFor(GPUProductAttr schedule, Type element) {
  int64_t rows = schedule.getRows(), columns = schedule.getColumns();
  return (element.isF16() || element.isBF16()) &&
         schedule.getDepth() == kStepTerms && schedule.getColumnWarps() == 1 &&
         schedule.getRowWarps() * kFragmentSize == rows &&
         rows % kGroupRows == 0 && rows / kGroupRows <= kMostGroups &&
         columns % kStepTerms == 0 && columns <= kMostGroupColumns;
}

std::optional<RolesShape> RolesShape::get(OpBuilder &builder, Location loc,
                                          const DeviceProduct &product,
                                          GPUProductAttr schedule,
                                          std::string &reason) {
  Type element = product.lhs.getElement();
  auto lhs = MappedOperand::get(builder, loc, product.product, /*isLhs=*/true,
                                schedule.getRows());
  auto rhs = MappedOperand::get(builder, loc, product.product, /*isLhs=*/false,
                                schedule.getColumns());
  if (!lhs || !rhs) {
    reason = "no elements of an operand are known to be neighbours in memory";
    return std::nullopt;
  }
  rhs->sharers = schedule.getCluster();
  for (const MappedOperand *operand : {&*lhs, &*rhs})
    if (getMemoryRoot(operand->view.memref)
            .getDefiningOp<memref::GetGlobalOp>()) {
      reason = "an operand is a constant, which only kernels have";
      return std::nullopt;
    }
  if (static_cast<int64_t>(std::max(lhs->view.dims.size(),
                                    rhs->view.dims.size())) > kMostMapDims) {
    reason = "an operand has more than " + std::to_string(kMostMapDims) +
             " dimensions";
    return std::nullopt;
  }
  return RolesShape{schedule, cast<FloatType>(element), *lhs, *rhs};
}

int64_t RolesShape::getGroups() const {
  return schedule.getRows() / kGroupRows;
}

int64_t RolesShape::getBarrierOffset() const {
  int64_t staged = getStagedBytes(schedule.getColumns(),
                                  Float32Type::get(schedule.getContext()));
  return std::max(schedule.getStages() * getStageBytes(),
                  getGroups() * kGroupWarps * staged);
}

ProductBlock RolesShape::getBlock() const {
  // One group more, of which one warp loads.
  return {schedule.getRows(), schedule.getColumns(),
          (getGroups() + 1) * kGroupWarps * kWarpLanes,
          getBarrierOffset() + StageRing::getBytes(schedule.getStages()),
          schedule.getCluster()};
}

Value RolesShape::emitExists(OpBuilder &b, Location loc) const {
  Value first = TensorMap::emitExists(b, loc, lhs.view);
  Value second = TensorMap::emitExists(b, loc, rhs.view);
  if (!first || !second)
    return {};
  return b.createOrFold<arith::AndIOp>(loc, first, second);
}
