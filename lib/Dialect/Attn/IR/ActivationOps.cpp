//===- ActivationOps.cpp - Activation functions ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockOpHelpers.h"

#include "attn/Dialect/Attn/IR/Attn.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attn;

LogicalResult ActivationOp::verify() {
  Type type = getInput().getType();
  Type element = getElementTypeOrSelf(type);
  if (isa<BaseMemRefType, UnrankedTensorType>(type) ||
      !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element))
    return emitOpError("activation_c1: the input is a number, a vector or a "
                       "ranked tensor of f16, bf16, f32 or f64");
  return success();
}

//===----------------------------------------------------------------------===//
// Canonical forms
//===----------------------------------------------------------------------===//

/// A maximum with 0 does not change what has been through one.
OpFoldResult ActivationOp::fold(FoldAdaptor) {
  auto producer = getInput().getDefiningOp<ActivationOp>();
  auto isPlainRelu = [](ActivationOp op) {
    return op.getFunction() == Function::Relu && !op.getCentered() &&
           !op.getUnitMoment();
  };
  if (producer && isPlainRelu(producer) && isPlainRelu(*this))
    return producer.getResult();
  return {};
}

/// SELU has mean 0 and second moment 1 by its constants.
LogicalResult ActivationOp::canonicalize(ActivationOp op,
                                         PatternRewriter &rewriter) {
  if (op.getFunction() != Function::Selu)
    return rewriter.notifyMatchFailure(op, "only selu is normalised by itself");
  if (!op.getCentered() && !op.getUnitMoment())
    return rewriter.notifyMatchFailure(op, "nothing to leave out");
  rewriter.modifyOpInPlace(op, [&] {
    op.setCentered(false);
    op.setUnitMoment(false);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult
ActivationOp::reifyResultShapes(OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes) {
  if (!isa<RankedTensorType>(getInput().getType()))
    return failure();
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getInput()));
  return success();
}
