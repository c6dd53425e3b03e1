//===- TensorOps.cpp - The tensor dialect on values -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "TensorSlices.h"
#include "attn/Support/MachineMemory.h"
#include "attn/Support/Sizes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>
#include <numeric>

using namespace mlir;

namespace attn::reference::detail {

namespace {

/// One method per op. Each sets the op's result or emits a diagnostic.
class TensorOpExecutor {
public:
  explicit TensorOpExecutor(Evaluator &evaluator) : evaluator(evaluator) {}

  LogicalResult run(Operation *op);

private:
  LogicalResult run(tensor::EmptyOp op);
  LogicalResult run(tensor::ExtractSliceOp op);
  LogicalResult run(tensor::InsertSliceOp op);
  LogicalResult run(tensor::ExtractOp op);
  LogicalResult run(tensor::InsertOp op);
  LogicalResult run(tensor::FromElementsOp op);
  LogicalResult run(tensor::SplatOp op);
  LogicalResult run(tensor::ConcatOp op);
  LogicalResult run(tensor::DimOp op);
  LogicalResult run(tensor::PadOp op);
  LogicalResult run(tensor::GenerateOp op);

  /// The same elements under another shape.
  LogicalResult reshape(Operation *op, ArrayRef<int64_t> shape);
  /// Fills all elements with what a body of index arguments yields.
  FailureOr<std::shared_ptr<Tensor>> generate(Operation *op, Block &body,
                                              Type elementType,
                                              ArrayRef<int64_t> shape);
  /// The offset of an element, or nothing when it is out of bounds.
  FailureOr<int64_t> getOffset(Operation *op, const Tensor &tensor,
                               ValueRange indices);
  SmallVector<int64_t> getShape(ShapedType type, ValueRange dynamicSizes);
  /// Fails where a size is negative, or there is no memory for so many
  /// elements.
  FailureOr<std::shared_ptr<Tensor>> create(Operation *op, Type elementType,
                                            ArrayRef<int64_t> shape);

  Evaluator &evaluator;
};

} // namespace

SmallVector<int64_t> TensorOpExecutor::getShape(ShapedType type,
                                                ValueRange dynamicSizes) {
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size)) {
      size = evaluator.getIndex(dynamicSizes.front());
      dynamicSizes = dynamicSizes.drop_front();
    }
  return shape;
}

FailureOr<std::shared_ptr<Tensor>>
TensorOpExecutor::create(Operation *op, Type elementType,
                         ArrayRef<int64_t> shape) {
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size < 0)
      return op->emitError("size ")
             << dim << " of the result must be at least 0 (" << size << ")";
  // Every element takes eight bytes here, of whatever type it is.
  if (uint64_t(countBytes(shape, sizeof(double))) > getMemoryLimit())
    return op->emitError("the reference needs ")
           << printBytes(shape, sizeof(double))
           << " bytes of memory for the result; there are " << getMemoryLimit();
  return std::make_shared<Tensor>(elementType, shape);
}

FailureOr<int64_t> TensorOpExecutor::getOffset(Operation *op,
                                               const Tensor &tensor,
                                               ValueRange indices) {
  int64_t offset = 0;
  for (auto [dim, value] : llvm::enumerate(indices)) {
    int64_t index = evaluator.getIndex(value), size = tensor.shape[dim];
    if (index < 0 || index >= size)
      return op->emitError("index ") << index << " is out of bounds: dimension "
                                     << dim << " has " << size << " elements";
    offset = offset * size + index;
  }
  return offset;
}

LogicalResult TensorOpExecutor::reshape(Operation *op,
                                        ArrayRef<int64_t> shape) {
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
    return op->emitError("a size of the result is negative");
  std::shared_ptr<Tensor> tensor = evaluator.takeOrCopy(op->getOperand(0));
  int64_t before = tensor->getNumElements();
  if (countBytes(shape, /*elementBytes=*/1) != before)
    return op->emitError("reshapes ")
           << before << " elements to " << printBytes(shape, 1);
  tensor->shape.assign(shape.begin(), shape.end());
  return evaluator.set(op->getResult(0), std::move(tensor));
}

/// Elements nobody wrote read as NaN, so that using them shows.
LogicalResult TensorOpExecutor::run(tensor::EmptyOp op) {
  auto tensor = create(op, op.getType().getElementType(),
                       getShape(op.getType(), op.getDynamicSizes()));
  if (failed(tensor))
    return failure();
  std::fill((*tensor)->floats.begin(), (*tensor)->floats.end(),
            std::numeric_limits<double>::quiet_NaN());
  return evaluator.set(op.getResult(), std::move(*tensor));
}

LogicalResult TensorOpExecutor::run(tensor::ExtractSliceOp op) {
  TensorRef source = evaluator.get(op.getSource());
  SmallVector<int64_t> offsets = evaluator.getIndices(op.getMixedOffsets());
  SmallVector<int64_t> sizes = evaluator.getIndices(op.getMixedSizes());
  SmallVector<int64_t> steps = evaluator.getIndices(op.getMixedStrides());
  if (failed(checkInside(op, *source, offsets, sizes, steps)))
    return failure();
  auto result = std::make_shared<Tensor>(source->elementType, sizes);
  copyBox(*source, Box::at(*source, offsets, steps), *result,
          Box::at(*result, {}), sizes);
  llvm::SmallBitVector dropped = op.getDroppedDims();
  result->shape.clear();
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!dropped[dim])
      result->shape.push_back(size);
  return evaluator.set(op.getResult(), std::move(result));
}

LogicalResult insertSlice(Evaluator &evaluator,
                          OffsetSizeAndStrideOpInterface op,
                          const Tensor &source, Tensor &result) {
  SmallVector<int64_t> offsets = evaluator.getIndices(op.getMixedOffsets());
  SmallVector<int64_t> sizes = evaluator.getIndices(op.getMixedSizes());
  SmallVector<int64_t> steps = evaluator.getIndices(op.getMixedStrides());
  int64_t count = std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                                  std::multiplies<int64_t>());
  if (failed(checkInside(op, result, offsets, sizes, steps)))
    return failure();
  if (count != source.getNumElements())
    return op->emitError("inserts ")
           << source.getNumElements() << " elements into a slice of " << count;
  // Inserting at a higher rank: the source's elements in the sizes' order.
  Box from;
  from.strides.assign(sizes.size(), 1);
  for (int64_t i = int64_t(sizes.size()) - 2; i >= 0; --i)
    from.strides[i] = from.strides[i + 1] * sizes[i + 1];
  copyBox(source, from, result, Box::at(result, offsets, steps), sizes);
  return success();
}

LogicalResult TensorOpExecutor::run(tensor::InsertSliceOp op) {
  TensorRef source = evaluator.get(op.getSource());
  std::shared_ptr<Tensor> result = evaluator.takeOrCopy(op.getDest());
  if (failed(insertSlice(evaluator, op, *source, *result)))
    return failure();
  return evaluator.set(op.getResult(), std::move(result));
}

LogicalResult TensorOpExecutor::run(tensor::ExtractOp op) {
  TensorRef source = evaluator.get(op.getTensor());
  FailureOr<int64_t> at = getOffset(op, *source, op.getIndices());
  if (failed(at))
    return failure();
  Tensor result = source->isFloat()
                      ? Tensor::scalar(source->elementType, source->floats[*at])
                      : Tensor::scalar(source->elementType, source->ints[*at]);
  return evaluator.set(op.getResult(),
                       std::make_shared<Tensor>(std::move(result)));
}

LogicalResult TensorOpExecutor::run(tensor::InsertOp op) {
  std::shared_ptr<Tensor> result = evaluator.takeOrCopy(op.getDest());
  TensorRef scalar = evaluator.get(op.getScalar());
  FailureOr<int64_t> at = getOffset(op, *result, op.getIndices());
  if (failed(at))
    return failure();
  if (result->isFloat())
    result->floats[*at] = scalar->floats[0];
  else
    result->ints[*at] = scalar->ints[0];
  return evaluator.set(op.getResult(), std::move(result));
}

LogicalResult TensorOpExecutor::run(tensor::FromElementsOp op) {
  auto type = op.getType();
  auto result =
      std::make_shared<Tensor>(type.getElementType(), type.getShape());
  for (auto [index, element] : llvm::enumerate(op.getElements())) {
    if (result->isFloat())
      result->floats[index] = evaluator.get(element)->floats[0];
    else
      result->ints[index] = evaluator.get(element)->ints[0];
  }
  return evaluator.set(op.getResult(), std::move(result));
}

static void fill(Tensor &tensor, const Tensor &scalar) {
  if (tensor.isFloat())
    std::fill(tensor.floats.begin(), tensor.floats.end(), scalar.floats[0]);
  else
    std::fill(tensor.ints.begin(), tensor.ints.end(), scalar.ints[0]);
}

LogicalResult TensorOpExecutor::run(tensor::SplatOp op) {
  auto result = create(op, op.getType().getElementType(),
                       getShape(op.getType(), op.getDynamicSizes()));
  if (failed(result))
    return failure();
  fill(**result, *evaluator.get(op.getInput()));
  return evaluator.set(op.getAggregate(), std::move(*result));
}

LogicalResult TensorOpExecutor::run(tensor::ConcatOp op) {
  unsigned dim = op.getDim();
  SmallVector<int64_t> shape = evaluator.get(op.getInputs()[0])->shape;
  shape[dim] = 0;
  for (Value input : op.getInputs())
    shape[dim] += evaluator.get(input)->shape[dim];
  auto result = std::make_shared<Tensor>(op.getType().getElementType(), shape);
  SmallVector<int64_t> offsets(shape.size(), 0);
  for (Value input : op.getInputs()) {
    TensorRef part = evaluator.get(input);
    for (auto [other, size] : llvm::enumerate(part->shape))
      if (other != dim && size != shape[other])
        return op.emitError("the parts have different sizes");
    copyBox(*part, Box::at(*part, {}), *result, Box::at(*result, offsets),
            part->shape);
    offsets[dim] += part->shape[dim];
  }
  return evaluator.set(op.getResult(), std::move(result));
}

LogicalResult TensorOpExecutor::run(tensor::DimOp op) {
  TensorRef source = evaluator.get(op.getSource());
  int64_t dim = evaluator.getIndex(op.getIndex());
  if (dim < 0 || dim >= source->getRank())
    return op.emitError("index out of bounds");
  return evaluator.set(op.getResult(), std::make_shared<Tensor>(Tensor::scalar(
                                           op.getType(), source->shape[dim])));
}

FailureOr<std::shared_ptr<Tensor>>
TensorOpExecutor::generate(Operation *op, Block &body, Type elementType,
                           ArrayRef<int64_t> shape) {
  auto created = create(op, elementType, shape);
  if (failed(created))
    return failure();
  std::shared_ptr<Tensor> result = std::move(*created);
  SmallVector<int64_t> strides = result->getStrides();
  for (int64_t at = 0, end = result->getNumElements(); at < end; ++at) {
    std::vector<TensorRef> indices;
    for (auto [argument, stride, size] :
         llvm::zip_equal(body.getArguments(), strides, shape))
      indices.push_back(std::make_shared<Tensor>(
          Tensor::scalar(argument.getType(), at / stride % size)));
    auto yielded = evaluator.runBlock(body, indices);
    if (failed(yielded))
      return failure();
    if (result->isFloat())
      result->floats[at] = yielded->front()->floats[0];
    else
      result->ints[at] = yielded->front()->ints[0];
  }
  return result;
}

LogicalResult TensorOpExecutor::run(tensor::GenerateOp op) {
  SmallVector<int64_t> shape =
      getShape(cast<ShapedType>(op.getType()), op.getDynamicExtents());
  auto result = generate(op, op.getBody().front(),
                         getElementTypeOrSelf(op.getType()), shape);
  if (failed(result))
    return failure();
  return evaluator.set(op.getResult(), *result);
}

LogicalResult TensorOpExecutor::run(tensor::PadOp op) {
  TensorRef source = evaluator.get(op.getSource());
  SmallVector<int64_t> low = evaluator.getIndices(op.getMixedLowPad());
  SmallVector<int64_t> high = evaluator.getIndices(op.getMixedHighPad());
  SmallVector<int64_t> shape;
  for (auto [size, before, after] : llvm::zip_equal(source->shape, low, high)) {
    int64_t sum;
    if (before < 0 || after < 0 || llvm::AddOverflow(size, before, sum) ||
        llvm::AddOverflow(sum, after, sum))
      return op.emitError("the padding of dimension ")
             << shape.size() << " must be at least 0, and small (" << before
             << " and " << after << ")";
    shape.push_back(sum);
  }
  std::shared_ptr<Tensor> result;
  if (op.getConstantPaddingValue()) {
    auto created = create(op, source->elementType, shape);
    if (failed(created))
      return failure();
    result = std::move(*created);
    // The constant may stand inside of the body, where nothing ran yet.
    auto value = evaluator.runBlock(
        op.getRegion().front(),
        std::vector<TensorRef>(
            shape.size(), std::make_shared<Tensor>(Tensor::scalar(
                              IndexType::get(op.getContext()), int64_t(0)))));
    if (failed(value))
      return failure();
    fill(*result, *value->front());
  } else {
    auto generated =
        generate(op, op.getRegion().front(), source->elementType, shape);
    if (failed(generated))
      return failure();
    result = *generated;
  }
  copyBox(*source, Box::at(*source, {}), *result, Box::at(*result, low),
          source->shape);
  return evaluator.set(op.getResult(), std::move(result));
}

LogicalResult TensorOpExecutor::run(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tensor::EmptyOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
            tensor::ExtractOp, tensor::InsertOp, tensor::FromElementsOp,
            tensor::SplatOp, tensor::ConcatOp, tensor::DimOp, tensor::PadOp,
            tensor::GenerateOp>([&](auto known) { return run(known); })
      .Case([&](tensor::CastOp cast) -> LogicalResult {
        return evaluator.set(cast.getResult(), evaluator.get(cast.getSource()));
      })
      .Case([&](tensor::GatherOp gather) {
        return executeGather(evaluator, gather);
      })
      .Case([&](tensor::RankOp rank) {
        return evaluator.set(
            rank.getResult(),
            std::make_shared<Tensor>(Tensor::scalar(
                rank.getType(), evaluator.get(rank.getTensor())->getRank())));
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        return reshape(expand,
                       evaluator.getIndices(expand.getMixedOutputShape()));
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        SmallVector<int64_t> shape;
        TensorRef source = evaluator.get(collapse.getSrc());
        for (const ReassociationIndices &group :
             collapse.getReassociationIndices()) {
          shape.push_back(1);
          for (int64_t dim : group)
            shape.back() *= source->shape[dim];
        }
        return reshape(collapse, shape);
      })
      .Case([&](tensor::ReshapeOp reshaped) {
        TensorRef shape = evaluator.get(reshaped.getShape());
        return reshape(reshaped, shape->ints);
      })
      .Default([](Operation *other) { return emitUnsupported(other); });
}

LogicalResult executeTensorOp(Evaluator &evaluator, Operation *op) {
  return TensorOpExecutor(evaluator).run(op);
}

} // namespace attn::reference::detail
