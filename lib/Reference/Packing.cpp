//===- Packing.cpp - Tensors in tiles, and gathered rows ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

#include "attn/Support/Sizes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attn::reference::detail {
namespace {

void copyElement(const Tensor &from, int64_t source, Tensor &to,
                 int64_t target) {
  if (to.isFloat())
    to.floats[target] = from.floats[source];
  else
    to.ints[target] = from.ints[source];
}

/// Indices of a tensor's elements, in their order.
SmallVector<int64_t> splitNumber(int64_t number, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    index[dim] = number % shape[dim];
    number /= shape[dim];
  }
  return index;
}

/// The number of the element at `index`; nothing where there is none.
std::optional<int64_t> joinNumber(ArrayRef<int64_t> index,
                                  ArrayRef<int64_t> shape) {
  int64_t number = 0;
  for (auto [at, size] : llvm::zip_equal(index, shape)) {
    if (at < 0 || at >= size)
      return std::nullopt;
    number = number * size + at;
  }
  return number;
}

/// Where an element of the packed tensor lies in the other one: outer
/// dimensions, in the order of `perm`, then tiles of some of them.
template <typename OpTy>
SmallVector<int64_t> getPlainIndex(OpTy op, ArrayRef<int64_t> tiles,
                                   ArrayRef<int64_t> packed) {
  size_t rank = packed.size() - tiles.size();
  ArrayRef<int64_t> perm = op.getOuterDimsPerm();
  SmallVector<int64_t> index(rank);
  for (size_t i = 0; i < rank; ++i)
    index[perm.empty() ? i : perm[i]] = packed[i];
  for (auto [i, dim] : llvm::enumerate(op.getInnerDimsPos()))
    index[dim] = index[dim] * tiles[i] + packed[rank + i];
  return index;
}

/// The tiles of the packed tensor hold the other one; dimensions that have none
/// are what they are.
template <typename OpTy>
LogicalResult checkTiles(OpTy op, ArrayRef<int64_t> tiles,
                         ArrayRef<int64_t> plain, ArrayRef<int64_t> packed) {
  ArrayRef<int64_t> perm = op.getOuterDimsPerm();
  for (size_t i = 0; i < plain.size(); ++i) {
    int64_t dim = perm.empty() ? i : perm[i];
    auto at = llvm::find(op.getInnerDimsPos(), dim);
    bool isTiled = at != op.getInnerDimsPos().end();
    int64_t tile = isTiled ? tiles[at - op.getInnerDimsPos().begin()] : 1;
    int64_t room = multiplySaturating(packed[i], tile);
    if (tile < 1 || (isTiled ? plain[dim] > room : plain[dim] != room))
      return op.emitError("dimension ")
             << dim << " of size " << plain[dim] << " does not fit "
             << packed[i] << " tiles of " << tile;
  }
  return success();
}

} // namespace

LogicalResult executePack(Evaluator &evaluator, linalg::PackOp op) {
  TensorRef source = evaluator.get(op.getSource());
  SmallVector<int64_t> tiles = evaluator.getIndices(op.getMixedTiles());
  auto result = std::make_shared<Tensor>(*evaluator.get(op.getDest()));
  if (failed(checkTiles(op, tiles, source->shape, result->shape)))
    return failure();
  for (int64_t i = 0, e = result->getNumElements(); i < e; ++i) {
    std::optional<int64_t> from = joinNumber(
        getPlainIndex(op, tiles, splitNumber(i, result->shape)), source->shape);
    if (from)
      copyElement(*source, *from, *result, i);
    else if (Value padding = op.getPaddingValue())
      copyElement(*evaluator.get(padding), 0, *result, i);
    else
      return op.emitError("a tile is not full, and there is no padding value");
  }
  return evaluator.set(op.getResult(), std::move(result));
}

LogicalResult executeUnPack(Evaluator &evaluator, linalg::UnPackOp op) {
  TensorRef source = evaluator.get(op.getSource());
  SmallVector<int64_t> tiles = evaluator.getIndices(op.getMixedTiles());
  auto result = std::make_shared<Tensor>(*evaluator.get(op.getDest()));
  if (failed(checkTiles(op, tiles, result->shape, source->shape)))
    return failure();
  for (int64_t i = 0, e = source->getNumElements(); i < e; ++i)
    if (std::optional<int64_t> to =
            joinNumber(getPlainIndex(op, tiles, splitNumber(i, source->shape)),
                       result->shape))
      copyElement(*source, i, *result, *to);
  return evaluator.set(op.getResult(), std::move(result));
}

LogicalResult executeGather(Evaluator &evaluator, tensor::GatherOp op) {
  TensorRef source = evaluator.get(op.getSource());
  TensorRef indices = evaluator.get(op.getIndices());
  ArrayRef<int64_t> dims = op.getGatherDims();
  ArrayRef<int64_t> batch = ArrayRef(indices->shape).drop_back();
  bool keepsDims =
      op.getResultType().getRank() == int64_t(batch.size()) + source->getRank();
  // With the gathered dimensions as 1, which leaves the elements' order.
  SmallVector<int64_t> shape(batch), given(batch);
  for (int64_t dim = 0; dim < source->getRank(); ++dim) {
    bool isGathered = llvm::is_contained(dims, dim);
    shape.push_back(isGathered ? 1 : source->shape[dim]);
    if (!isGathered || keepsDims)
      given.push_back(shape.back());
  }
  auto result = std::make_shared<Tensor>(source->elementType, given);
  for (int64_t i = 0, e = result->getNumElements(); i < e; ++i) {
    SmallVector<int64_t> at = splitNumber(i, shape);
    int64_t row = *joinNumber(ArrayRef(at).take_front(batch.size()), batch);
    SmallVector<int64_t> from(ArrayRef(at).drop_front(batch.size()));
    for (auto [k, dim] : llvm::enumerate(dims))
      from[dim] = indices->ints[row * dims.size() + k];
    std::optional<int64_t> number = joinNumber(from, source->shape);
    if (!number)
      return op.emitError("an index is outside of the source");
    copyElement(*source, *number, *result, i);
  }
  return evaluator.set(op.getResult(), std::move(result));
}

} // namespace attn::reference::detail
