//===- BuildLinear.cpp - The attn.linear that was read --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/GenericBuilder.h"
#include "attn/Dialect/Attn/IR/ProductParts.h"
#include "attn/Dialect/Attn/Transforms/Raise/LinearReading.h"
#include "attn/Dialect/Attn/Transforms/Raise/ReadMatrix.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;

namespace attn::raise {

static SmallVector<int64_t> dropUnits(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> stripped;
  llvm::copy_if(shape, std::back_inserter(stripped),
                [](int64_t size) { return size != 1; });
  return stripped;
}

/// `value` with sizes of 1 where `shape` has them, if that is all they differ
/// in.
static Value moveUnits(OpBuilder &builder, Value value,
                       ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> stripped = dropUnits(type.getShape());
  if (type.getShape() == shape || stripped != dropUnits(shape))
    return value;
  if (type.getShape() != ArrayRef(stripped))
    value = tensor::CollapseShapeOp::create(
        builder, value.getLoc(), value,
        *getReassociationIndicesForCollapse(type.getShape(), stripped));
  if (shape == ArrayRef(stripped))
    return value;
  return tensor::ExpandShapeOp::create(
      builder, value.getLoc(), type.clone(shape), value,
      *getReassociationIndicesForCollapse(shape, stripped));
}

bool hasRowsOfResult(const LinearReading &linear,
                     ArrayRef<int64_t> resultShape) {
  auto input = cast<RankedTensorType>(linear.input.getType());
  SmallVector<int64_t> given(input.getShape()), wanted(resultShape);
  if (!linear.inputOrder.empty())
    applyPermutationToVector(given, linear.inputOrder);
  applyPermutationToVector(wanted, linear.resultOrder);
  given.truncate(linear.inputRows);
  wanted.truncate(linear.resultRows);
  return succeeded(verifyCompatibleShape(given, wanted)) ||
         dropUnits(given) == dropUnits(wanted);
}

/// The input with one dimension of terms behind its rows, which are as `rows`
/// has them. Sizes other than 1 lie so already.
static Value buildInput(OpBuilder &builder, const LinearReading &linear,
                        ArrayRef<int64_t> rows) {
  Value input = linear.input;
  if (!linear.inputOrder.empty())
    input = createTranspose(builder, input, linear.inputOrder);
  size_t rank = cast<RankedTensorType>(input.getType()).getRank();
  input = collapseDims(builder, input, linear.inputRows, rank);
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape(rows);
  shape.push_back(type.getShape().back());
  return moveUnits(builder, input, shape);
}

/// The weight as a matrix.
static Value buildWeight(OpBuilder &builder, const LinearReading &linear) {
  Value weight = linear.weight;
  if (!linear.weightOrder.empty())
    weight = createTranspose(builder, weight, linear.weightOrder);
  size_t rank = cast<RankedTensorType>(weight.getType()).getRank();
  weight = collapseDims(builder, weight, linear.weightSplit, rank);
  return collapseDims(builder, weight, 0, linear.weightSplit);
}

Value buildLinear(Value root, Location product, const LinearReading &linear) {
  OpBuilder builder(root.getDefiningOp());
  Location loc = root.getLoc();
  auto type = cast<RankedTensorType>(root.getType());
  SmallVector<int64_t> shape(type.getShape());
  applyPermutationToVector(shape, linear.resultOrder);
  Value input = buildInput(builder, linear,
                           ArrayRef(shape).take_front(linear.resultRows));
  Value weight = buildWeight(builder, linear), bias = linear.bias;
  if (bias)
    bias = collapseDims(builder, bias, 0,
                        cast<RankedTensorType>(bias.getType()).getRank());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, input);
  sizes.back() = tensor::getMixedSize(
      builder, loc, weight, linear.layout == WeightLayout::InOut ? 1 : 0);
  Value init =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  auto layer =
      LinearOp::create(builder, product, init.getType(), input, weight, bias,
                       /*extras=*/ValueRange(), init, linear.parameterisation,
                       linear.layout, /*schedule=*/ContractionScheduleAttr());
  if (linear.products)
    layer->setAttr(kProductsAttrName, linear.products);
  Value result = expandDim(builder, layer.getResult(), linear.resultRows,
                           linear.columnSizes);
  result = createTranspose(builder, result,
                           invertPermutationVector(linear.resultOrder));
  return result.getType() == type
             ? result
             : tensor::CastOp::create(builder, loc, type, result).getResult();
}

} // namespace attn::raise
