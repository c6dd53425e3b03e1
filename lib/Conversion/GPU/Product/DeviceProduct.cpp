//===- DeviceProduct.cpp - A matrix product as kernels get it -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceProduct.h"
#include "../../Shared/Alignment.h"
#include "../../Shared/MemRefMemory.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// A memref of the first element.
static Value createFirst(OpBuilder &builder, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  OpFoldResult offset = metadata.getConstifiedMixedOffset();
  auto layout = StridedLayoutAttr::get(
      builder.getContext(),
      getConstantIntValue(offset).value_or(ShapedType::kDynamic), {});
  auto firstType =
      MemRefType::get({}, type.getElementType(), layout, type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      builder, loc, firstType, metadata.getBaseBuffer(), offset,
      ArrayRef<OpFoldResult>(), ArrayRef<OpFoldResult>());
}

DeviceMatrix::DeviceMatrix(OpBuilder &builder, Location loc,
                           const MatrixOperand &matrix)
    : first(createFirst(builder, loc, matrix.memref)),
      rowStride(matrix.rowStride), columnStride(matrix.columnStride),
      batchStrides(matrix.batchStrides) {}

GlobalRows DeviceMatrix::emitRows(KernelBuilder &kernel, ArrayRef<Value> batch,
                                  int64_t columns, bool transposed) const {
  auto toBytes = [&](OpFoldResult elements) -> Value {
    int64_t size = getElementBytes(getElement());
    if (std::optional<int64_t> known = getConstantIntValue(elements))
      return kernel.constant64(*known * size);
    return kernel.mul64(cast<Value>(elements), kernel.constant64(size));
  };
  GlobalRows rows;
  rows.base = emitDevicePointer(kernel, first);
  for (auto [index, stride] : llvm::zip(batch, batchStrides))
    if (!isConstantIntValue(stride, 0))
      rows.base =
          kernel.offset(rows.base, kernel.mul64(index, toBytes(stride)));
  rows.rowStride = toBytes(transposed ? columnStride : rowStride);
  rows.columnStride = toBytes(transposed ? rowStride : columnStride);
  rows.columns = columns;
  rows.element = getElement();
  return rows;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

DeviceProduct::DeviceProduct(OpBuilder &builder, Location loc,
                             const FoundProduct &found)
    : product(found.product), compute(found.compute),
      lhs(builder, loc, found.product.lhs),
      rhs(builder, loc, found.product.rhs),
      output(builder, loc, found.product.output) {
  auto value = [&](OpFoldResult result) {
    return getValueOrCreateConstantIndexOp(builder, loc, result);
  };
  rows = value(product.output.rows);
  columns = value(product.output.columns);
  depth = value(product.lhs.columns);
  batchCount = value(product.batchCount);
  for (OpFoldResult size : product.batchSizes)
    batchSizes.push_back(value(size));
  if (product.bias) {
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, product.bias);
    MatrixOperand matrix;
    matrix.memref = product.bias;
    matrix.rowStride = builder.getIndexAttr(0);
    matrix.columnStride = metadata.getConstifiedMixedStrides().front();
    bias = DeviceMatrix(builder, loc, matrix);
  }
  for (const MatrixExtra &extra : product.extras) {
    if (extra.number)
      extras.push_back({extra.number, {}});
    else
      extras.push_back({{}, DeviceMatrix(builder, loc, extra.matrix)});
  }
}

Value attn::emitIsAligned(KernelBuilder &host, const MatrixProduct &product,
                          const MatrixOperand &matrix) {
  bool unitColumns = isConstantIntValue(matrix.columnStride, 1);
  if (!unitColumns && !isConstantIntValue(matrix.rowStride, 1))
    return {};
  SmallVector<Distance> distances;
  if (unitColumns)
    distances.push_back({matrix.rows, matrix.rowStride});
  else
    distances.push_back({matrix.columns, matrix.columnStride});
  for (auto [size, stride] :
       llvm::zip_equal(product.batchSizes, matrix.batchStrides))
    distances.push_back({size, stride});
  return emitIsAligned(host.getBuilder(), host.getLoc(), matrix.memref,
                       distances, kChunkBytes);
}
