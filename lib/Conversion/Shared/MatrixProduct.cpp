//===- MatrixProduct.cpp - What a matrix product computes ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;

Value MatrixOperand::createView(OpBuilder &builder, Location loc,
                                ValueRange batch) const {
  auto type = cast<MemRefType>(memref.getType());
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  Value offset = getValueOrCreateConstantIndexOp(
      builder, loc, metadata.getConstifiedMixedOffset());
  for (auto [index, stride] : llvm::zip_equal(batch, batchStrides)) {
    if (isZeroInteger(stride))
      continue;
    Value step = arith::MulIOp::create(
        builder, loc, index,
        getValueOrCreateConstantIndexOp(builder, loc, stride));
    offset = arith::AddIOp::create(builder, loc, offset, step);
  }
  SmallVector<OpFoldResult> sizes = {rows, columns};
  SmallVector<OpFoldResult> strides = {rowStride, columnStride};
  SmallVector<int64_t> staticSizes, staticStrides;
  for (OpFoldResult size : sizes)
    staticSizes.push_back(
        getConstantIntValue(size).value_or(ShapedType::kDynamic));
  for (OpFoldResult stride : strides)
    staticStrides.push_back(
        getConstantIntValue(stride).value_or(ShapedType::kDynamic));
  auto layout = StridedLayoutAttr::get(builder.getContext(),
                                       ShapedType::kDynamic, staticStrides);
  auto viewType = MemRefType::get(staticSizes, type.getElementType(), layout,
                                  type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      builder, loc, viewType, metadata.getBaseBuffer(), OpFoldResult(offset),
      sizes, strides);
}
