//===- Work.cpp - Floating-point operations of a kernel -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/Work.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn;

int64_t attn::countVisiblePairs(int64_t rows, int64_t keys,
                                int64_t firstPosition,
                                function_ref<KeyBand(int64_t)> getBand) {
  int64_t pairs = 0;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t position = firstPosition + row;
    KeyBand band = getBand(position);
    int64_t lower = band.left ? std::max<int64_t>(0, position - *band.left) : 0;
    int64_t upper =
        band.right ? std::min(keys, position + *band.right + 1) : keys;
    pairs += std::max<int64_t>(0, upper - lower);
  }
  return pairs;
}

/// Sizes of all iteration dimensions: each is read off a tensor whose map has
/// it as a plain result.
static std::optional<SmallVector<int64_t>>
getIterationSizes(AttentionOp op, SizeEvaluator &sizes) {
  SmallVector<std::optional<int64_t>> found(op.getNumDims());
  auto read = [&](Value operand, AffineMap map) {
    for (auto [position, expr] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (std::optional<int64_t> size = sizes.getSize(operand, position))
          found[dim.getPosition()] = size;
  };
  for (auto [i, input] : llvm::enumerate(op.getShapedInputs()))
    read(input, op.getInputMap(i));
  read(op.getOutput(), op.getOutputMap(0));
  SmallVector<int64_t> result;
  for (std::optional<int64_t> size : found) {
    if (!size)
      return std::nullopt;
    result.push_back(*size);
  }
  return result;
}

/// Pairs of a row and a key that the masks leave, whatever their params hold.
static int64_t countPairs(AttentionOp op, int64_t rows, int64_t keys) {
  if (getBand(op.getMasks()).isOpen())
    return rows * keys;
  int64_t first = op.getAlign() == Alignment::BottomRight ? keys - rows : 0;
  return countVisiblePairs(rows, keys, first, [&](int64_t position) {
    return getBand(op.getMasks(), position);
  });
}

std::optional<double> attn::countFlops(AttentionOp op, SizeEvaluator &sizes) {
  std::optional<SmallVector<int64_t>> extent = getIterationSizes(op, sizes);
  if (!extent)
    return std::nullopt;
  double batch = 1;
  for (unsigned dim = 0; dim < op.getNumBatchDims(); ++dim)
    batch *= (*extent)[dim];
  int64_t pairs =
      countPairs(op, (*extent)[op.getRowDim()], (*extent)[op.getKeyDim()]);
  return 2.0 * batch * pairs *
         ((*extent)[op.getHeadDimDim()] + (*extent)[op.getValueDim()]);
}

std::optional<double> attn::countBytes(AttentionOp op, SizeEvaluator &sizes) {
  double bytes = 0;
  // The outputs' destinations stand for the results.
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    std::optional<SmallVector<int64_t>> shape = sizes.getShape(operand);
    if (!shape)
      return std::nullopt;
    int64_t bits =
        getElementTypeOrSelf(operand.getType()).getIntOrFloatBitWidth();
    double size = llvm::divideCeil(bits, 8);
    for (int64_t extent : *shape)
      size *= extent;
    bytes += size;
  }
  return bytes;
}

std::optional<double> attn::countIterations(linalg::LinalgOp op,
                                            SizeEvaluator &sizes) {
  SmallVector<std::optional<int64_t>> extent(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands())
    for (auto [position, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (auto size = sizes.getSize(operand.get(), position))
          extent[dim.getPosition()] = size;
  double count = 1;
  for (std::optional<int64_t> size : extent) {
    if (!size)
      return std::nullopt;
    count *= *size;
  }
  return count;
}

std::optional<double> attn::countElements(Value tensor, SizeEvaluator &sizes) {
  std::optional<SmallVector<int64_t>> shape = sizes.getShape(tensor);
  if (!shape)
    return std::nullopt;
  double count = 1;
  for (int64_t size : *shape)
    count *= size;
  return count;
}

static std::optional<double> countContraction(linalg::LinalgOp op,
                                              SizeEvaluator &sizes) {
  std::optional<double> count = countIterations(op, sizes);
  return count ? std::optional<double>(2 * *count) : std::nullopt;
}

/// 2 m for each element of the output.
static std::optional<double> countLinear(LinearOp op, SizeEvaluator &sizes) {
  auto output = sizes.getShape(op.getOutput());
  auto fanIn = sizes.getSize(op.getWeight(), op.getWeightInDim());
  if (!output || !fanIn)
    return std::nullopt;
  double flops = 2.0 * *fanIn;
  for (int64_t size : *output)
    flops *= size;
  return flops;
}

std::optional<double> attn::countFlops(FunctionOpInterface function,
                                       SizeEvaluator &sizes) {
  std::optional<double> total;
  bool unknown = false;
  auto add = [&](std::optional<double> flops) {
    unknown |= !flops;
    total = total.value_or(0) + flops.value_or(0);
  };
  function.walk([&](Operation *op) {
    if (auto attention = dyn_cast<AttentionOp>(op))
      add(countFlops(attention, sizes));
    else if (auto linear = dyn_cast<LinearOp>(op))
      add(countLinear(linear, sizes));
    else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
             linalgOp && linalg::isaContractionOpInterface(linalgOp))
      add(countContraction(linalgOp, sizes));
  });
  return unknown ? std::nullopt : total;
}
