//===- Work.cpp - Floating-point operations of a kernel -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpWork.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn;

std::pair<int64_t, int64_t>
attn::getVisibleKeys(const KeyBand &band, int64_t position, int64_t keys) {
  int64_t lower = band.left ? std::max<int64_t>(0, position - *band.left) : 0;
  int64_t upper =
      band.right ? std::min(keys, position + *band.right + 1) : keys;
  return {lower, std::max(lower, upper)};
}

int64_t attn::countVisiblePairs(int64_t rows, int64_t keys,
                                int64_t firstPosition,
                                function_ref<KeyBand(int64_t)> getBand) {
  int64_t pairs = 0;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t position = firstPosition + row;
    auto [lower, upper] = getVisibleKeys(getBand(position), position, keys);
    pairs += upper - lower;
  }
  return pairs;
}

std::pair<SmallVector<Value>, SmallVector<AffineMap>>
attn::getShapedOperands(AttentionOp op) {
  SmallVector<Value> operands(op.getShapedInputs());
  SmallVector<AffineMap> maps = op.getMaps();
  maps.truncate(operands.size());
  operands.push_back(op.getOutput());
  maps.push_back(op.getOutputMap(0));
  return {operands, maps};
}

/// Sizes of all iteration dimensions: each is read off operands whose maps have
/// it as a plain result.
static std::optional<SmallVector<int64_t>> readExtents(ArrayRef<Value> operands,
                                                       ArrayRef<AffineMap> maps,
                                                       SizeEvaluator &sizes) {
  SmallVector<int64_t> extents(maps[0].getNumDims(), ShapedType::kDynamic);
  for (auto [operand, map] : llvm::zip(operands, maps))
    for (auto [position, expr] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (std::optional<int64_t> size = sizes.getSize(operand, position))
          extents[dim.getPosition()] = *size;
  if (llvm::is_contained(extents, ShapedType::kDynamic))
    return std::nullopt;
  return extents;
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
  auto [operands, maps] = getShapedOperands(op);
  std::optional<SmallVector<int64_t>> extent =
      readExtents(operands, maps, sizes);
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

Count attn::countTensorBytes(Value tensor, SizeEvaluator &sizes) {
  Type element = getElementTypeOrSelf(tensor.getType());
  if (!element.isIntOrFloat() && !element.isIndex())
    return 0.0;
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return times(countElements(tensor, sizes), llvm::divideCeil(bits, 8));
}

std::optional<double> attn::countBytes(AttentionOp op, SizeEvaluator &sizes) {
  Count bytes = 0.0;
  // The outputs' destinations stand for the results.
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      bytes = add(bytes, countTensorBytes(operand, sizes));
  return bytes;
}

static Count countProduct(std::optional<SmallVector<int64_t>> sizes) {
  return sizes ? Count(llvm::product_of(*sizes, 1.0)) : std::nullopt;
}

std::optional<double> attn::countIterations(linalg::LinalgOp op,
                                            SizeEvaluator &sizes) {
  return countProduct(readExtents(llvm::to_vector(op->getOperands()),
                                  op.getIndexingMapsArray(), sizes));
}

std::optional<double> attn::countElements(Value tensor, SizeEvaluator &sizes) {
  return countProduct(sizes.getShape(tensor));
}

Count attn::countProducts(LinearOp op, SizeEvaluator &sizes) {
  std::optional<int64_t> terms =
      sizes.getSize(op.getWeight(), op.getWeightInDim());
  Count outputs = countElements(op.getOutput(), sizes);
  return terms ? times(outputs, 2.0 * *terms) : std::nullopt;
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
      add(countProducts(linear, sizes));
    else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
             linalgOp && linalg::isaContractionOpInterface(linalgOp))
      add(times(countIterations(linalgOp, sizes), 2));
  });
  return unknown ? std::nullopt : total;
}
