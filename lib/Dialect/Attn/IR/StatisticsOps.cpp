//===- StatisticsOps.cpp - What weights and activations look like ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;

bool StatisticsOp::isReduced(int64_t dim) {
  return !getAxes() || llvm::is_contained(*getAxes(), dim);
}

LogicalResult
StatisticsOp::reifyResultShapes(OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getOutput()));
  return success();
}

//===----------------------------------------------------------------------===//
// Constraints, labelled as in docs/Spec.md
//===----------------------------------------------------------------------===//

LogicalResult StatisticsOp::verify() {
  auto isFloat = [](Type type) {
    return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
  };
  RankedTensorType input = getInput().getType(), output = getOutput().getType();
  if (!isFloat(input.getElementType()) || !isFloat(output.getElementType()))
    return emitOpError("statistics_c1: elements are f16, bf16, f32 or f64");
  llvm::SmallDenseSet<int64_t> seen;
  if (std::optional<ArrayRef<int64_t>> axes = getAxes())
    for (int64_t dim : *axes)
      if (dim < 0 || dim >= input.getRank() || !seen.insert(dim).second)
        return emitOpError("statistics_c2: axes are dimensions of the input, "
                           "each once");
  SmallVector<int64_t> kept;
  for (auto [dim, size] : llvm::enumerate(input.getShape()))
    if (!isReduced(dim))
      kept.push_back(size);
  if (failed(verifyCompatibleShape(kept, output.getShape())))
    return emitOpError("statistics_c3: the output has the input's dimensions "
                       "but 'axes'");
  return success();
}
