//===- LowerScatter.cpp - A loop over updates -----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TMTensorLowerings.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn::tm_tensor;

/// Where an update goes, for each dimension of the output.
static SmallVector<OpFoldResult> readIndices(ImplicitLocOpBuilder &builder,
                                             ScatterOp op, Value update) {
  auto out = cast<RankedTensorType>(op.getOutputs()[0].getType());
  SmallVector<OpFoldResult> offsets(out.getRank(), builder.getIndexAttr(0));
  for (auto [d, dim] : llvm::enumerate(op.getDimensionMap())) {
    Value column = arith::ConstantIndexOp::create(builder, d);
    Value index = tensor::ExtractOp::create(builder, op.getInputs()[1],
                                            ValueRange{update, column});
    offsets[dim] =
        arith::IndexCastOp::create(builder, builder.getIndexType(), index)
            .getResult();
  }
  return offsets;
}

/// The present slice combined with the update's.
static Value combine(ImplicitLocOpBuilder &builder, ScatterOp op, Value update,
                     Value present) {
  AffineMap map = builder.getMultiDimIdentityMap(
      cast<RankedTensorType>(present.getType()).getRank());
  SmallVector<utils::IteratorType> loops(map.getNumDims(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, present.getType(), update, present,
             ArrayRef<AffineMap>{map, map}, loops,
             [&](OpBuilder &nested, Location loc, ValueRange numbers) {
               Value value = inlineRegion(nested, op, numbers);
               linalg::YieldOp::create(nested, loc, value);
             })
      .getResult(0);
}

SmallVector<Value> attn::tm_tensor::lowerScatter(ImplicitLocOpBuilder &builder,
                                                 ScatterOp op) {
  Value updates = op.getInputs()[0];
  auto out = cast<RankedTensorType>(op.getOutputs()[0].getType());
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  Value one = arith::ConstantIndexOp::create(builder, 1);
  Value count = tensor::DimOp::create(builder, updates, 0);
  auto loop = scf::ForOp::create(builder, zero, count, one, op.getOutputs());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value to = loop.getRegionIterArgs()[0];
  Value update = createPart(builder, updates, 0, loop.getInductionVar());
  auto slice = cast<RankedTensorType>(update.getType());
  // Dimensions that a slice lacks have an index, and a size of one.
  int64_t missing = out.getRank() - slice.getRank();
  SmallVector<OpFoldResult> sizes(missing, builder.getIndexAttr(1));
  llvm::append_range(sizes,
                     tensor::getMixedSizes(builder, builder.getLoc(), update));
  SmallVector<OpFoldResult> strides(out.getRank(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> offsets =
      readIndices(builder, op, loop.getInductionVar());
  Value present = tensor::ExtractSliceOp::create(builder, slice, to, offsets,
                                                 sizes, strides);
  Value written = tensor::InsertSliceOp::create(
      builder, combine(builder, op, update, present), to, offsets, sizes,
      strides);
  scf::YieldOp::create(builder, written);
  return loop.getResults();
}
