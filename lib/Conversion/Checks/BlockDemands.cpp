//===- BlockDemands.cpp - Sizes of ops that become others -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What these ops demand is not demanded by what they become.
//
//===----------------------------------------------------------------------===//

#include "AffineRange.h"
#include "DemandBuilder.h"
#include "attn/Conversion/Checks/Checks.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"
#include "attn/Dialect/TMTensor/TMTensor.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace attn {
namespace {

/// Caches are [batch..., heads, room, dimension], and all that belongs to one
/// sequence has its place in the batch.
void addCaches(MultiHeadAttentionOp op, DemandBuilder &demands) {
  Value input = op.getInput(), keys = op.getKeyCache();
  int64_t batch = cast<RankedTensorType>(input.getType()).getRank() - 2;
  auto demandBatch = [&](Value tensor) {
    auto type = tensor ? dyn_cast<RankedTensorType>(tensor.getType()) : nullptr;
    for (int64_t dim = 0; type && dim < std::min(batch, type.getRank()); ++dim)
      demands.demandEqual(demands.getSize(tensor, dim),
                          demands.getSize(input, dim));
  };
  for (Value tensor : SmallVector<Value>{op.getMemory(), keys,
                                         op.getValueCache(), op.getPast()})
    demandBatch(tensor);
  if (keys)
    demands.demandEqual(demands.getSize(op.getValueCache(), batch + 1),
                        demands.getSize(keys, batch + 1));
}

/// The tiles of the packed tensor hold the other one; dimensions that have none
/// are what they are.
template <typename OpTy>
void addTiles(OpTy op, Value plain, Value packed, DemandBuilder &demands) {
  OpBuilder &builder = demands.getBuilder();
  DenseMap<int64_t, OpFoldResult> tiles = op.getDimAndTileMapping();
  ArrayRef<int64_t> perm = op.getOuterDimsPerm();
  int64_t rank = cast<RankedTensorType>(plain.getType()).getRank();
  for (int64_t i = 0; i < rank; ++i) {
    int64_t dim = perm.empty() ? i : perm[i];
    Quantity size = demands.getSize(plain, dim);
    Quantity outer = demands.getSize(packed, i);
    auto tile = tiles.find(dim);
    if (tile == tiles.end()) {
      demands.demandEqual(size, outer);
      continue;
    }
    // Products of what is small enough do not wrap.
    demands.demandBelow(
        demands.getNumber(tile->second, "the tile of dimension " + Twine(dim)),
        demands.getConstant(kSizeLimit));
    demands.demandAtMost(size, {multiplyIndices(builder, demands.getLoc(),
                                                outer.value, tile->second),
                                outer.name + " times its tile"});
  }
}

/// Of tensors that are like each other but for one dimension: `other` has no
/// such one, or as many elements along it at most.
void addAlike(Value tensor, Value other, int64_t apart, bool isLeftOut,
              DemandBuilder &demands) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim != apart)
      demands.demandEqual(
          demands.getSize(other, isLeftOut && dim > apart ? dim - 1 : dim),
          demands.getSize(tensor, dim));
    else if (!isLeftOut)
      demands.demandAtMost(demands.getSize(other, dim),
                           demands.getSize(tensor, dim));
  }
}

void addSame(OperandRange tensors, DemandBuilder &demands) {
  for (Value tensor : tensors.drop_front(tensors.empty() ? 0 : 1))
    addAlike(tensors.front(), tensor, /*apart=*/-1, /*isLeftOut=*/false,
             demands);
}

} // namespace

void addBlockDemands(Operation *op, DemandBuilder &demands) {
  demands.setOp(op);
  if (auto attention = dyn_cast<MultiHeadAttentionOp>(op))
    addCaches(attention, demands);
  else if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
    addSame(softmax->getOperands(), demands);
  else if (auto pack = dyn_cast<linalg::PackOp>(op))
    addTiles(pack, pack.getSource(), pack.getDest(), demands);
  else if (auto unpack = dyn_cast<linalg::UnPackOp>(op))
    addTiles(unpack, unpack.getDest(), unpack.getSource(), demands);
  else if (auto sort = dyn_cast<tm_tensor::SortOp>(op)) {
    addSame(sort.getOutputs(), demands);
  } else if (auto scan = dyn_cast<tm_tensor::ScanOp>(op)) {
    Value input = scan.getInputs().front();
    addAlike(input, scan.getOutputs()[0], /*apart=*/-1, /*isLeftOut=*/false,
             demands);
    addAlike(input, scan.getOutputs()[1], scan.getDimension(),
             /*isLeftOut=*/true, demands);
  } else if (auto top = dyn_cast<tm_tensor::TopkOp>(op)) {
    addSame(top.getInputs(), demands);
    addSame(top.getOutputs(), demands);
    addAlike(top.getInputs().front(), top.getOutputs().front(),
             top.getDimension(), /*isLeftOut=*/false, demands);
  } else if (auto scatter = dyn_cast<tm_tensor::ScatterOp>(op)) {
    demands.demandEqual(demands.getSize(scatter.getInputs()[0], 0),
                        demands.getSize(scatter.getInputs()[1], 0));
  }
}

} // namespace attn
