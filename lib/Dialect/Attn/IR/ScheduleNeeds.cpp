//===- ScheduleNeeds.cpp - What schedules ask of an attention -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

using namespace mlir;
using namespace attn;

/// The divisor of the head dimension in a key or value map: 1 without one, 0
/// where all heads share the operand.
static int64_t getHeadDivisor(AffineMap map, unsigned head) {
  for (AffineExpr expr : map.getResults()) {
    if (!expr.isFunctionOfDim(head))
      continue;
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    return binary ? cast<AffineConstantExpr>(binary.getRHS()).getValue() : 1;
  }
  return 0;
}

int64_t attn::getHeadGroup(AttentionOp op) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  if (op.getNumBatchDims() == 0)
    return 1;
  unsigned head = op.getNumBatchDims() - 1;
  int64_t group = getHeadDivisor(self.getInputMap(1), head);
  if (group != getHeadDivisor(self.getInputMap(2), head))
    return 1;
  if (group != 0)
    return group;
  for (auto [expr, size] :
       llvm::zip_equal(self.getInputMap(0).getResults(),
                       cast<ShapedType>(op.getQuery().getType()).getShape()))
    if (expr == getAffineDimExpr(head, op.getContext()))
      return ShapedType::isDynamic(size) || size == 0 ? 1 : size;
  return 1;
}

bool attn::hasGroupedParam(AttentionOp op) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  for (unsigned i = 0, e = op.getParams().size(); i < e; ++i)
    for (AffineExpr expr : self.getParamMap(i).getResults())
      if (!isa<AffineDimExpr>(expr) && (expr.isFunctionOfDim(op.getRowDim()) ||
                                        expr.isFunctionOfDim(op.getKeyDim())))
        return true;
  return false;
}

bool attn::hasOddHeadGroup(AttentionOp op) {
  int64_t group = getHeadGroup(op);
  auto self = cast<AttentionOpInterface>(op.getOperation());
  for (unsigned i = 0, e = op.getParams().size(); i < e; ++i)
    for (AffineExpr expr : self.getParamMap(i).getResults())
      if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
        int64_t heads = cast<AffineConstantExpr>(binary.getRHS()).getValue();
        if (group % heads != 0 && heads % group != 0)
          return true;
      }
  return false;
}

bool attn::countsWithinSegments(AttentionOp op) {
  return findCountedSegments(op).has_value();
}
