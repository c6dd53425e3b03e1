//===- ProductShape.cpp - What a product kernel is made for ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductShape.h"
#include "StagedSums.h"

using namespace mlir;
using namespace attn;

/// The type in which elements are multiplied: their own where a matrix
/// instruction takes it, else that of the sums.
static FloatType getFactorType(const DeviceProduct &product) {
  Type lhs = product.lhs.getElement(), rhs = product.rhs.getElement();
  bool isHalf = lhs == rhs && (lhs.isF16() || lhs.isBF16());
  return isHalf && product.compute.isF32() ? cast<FloatType>(lhs)
                                           : product.compute;
}

ProductShape::ProductShape(const DeviceProduct &product,
                           GPUProductAttr schedule)
    : schedule(schedule), element(getFactorType(product)),
      compute(product.compute) {
  auto getOperand = [&](bool rowsAreTerms, int64_t across) -> OperandShape {
    if (rowsAreTerms)
      return {true, schedule.getDepth(), across};
    return {false, across, schedule.getDepth()};
  };
  lhs = getOperand(product.lhs.hasUnitRows() && !product.lhs.hasUnitColumns(),
                   schedule.getRows());
  rhs = getOperand(!product.product.rhsTransposed, schedule.getColumns());
}

static int64_t getBytes(const OperandShape &operand, Type element) {
  return operand.tileRows * operand.tileColumns *
         element.getIntOrFloatBitWidth() / 8;
}

int64_t ProductShape::getLhsBytes() const { return getBytes(lhs, element); }

int64_t ProductShape::getStageBytes() const {
  return getLhsBytes() + getBytes(rhs, element);
}

ProductBlock ProductShape::getBlock() const {
  return {schedule.getRows(), schedule.getColumns(), kWarpLanes * getWarps(),
          std::max(schedule.getStages() * getStageBytes(),
                   getWarps() * getStagedBytes(getWarpColumns(), compute))};
}
