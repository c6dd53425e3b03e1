//===- ReadStructured.cpp - Structured contractions as matrix products ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadContraction.h"

#include "attn/Dialect/Attn/Transforms/MatrixRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;

/// The matrices of one operand, [rowDim, columnDim].
static MatrixOperand readOperand(OpBuilder &builder, linalg::LinalgOp op,
                                 unsigned operand,
                                 std::optional<unsigned> rowDim,
                                 unsigned columnDim, ArrayRef<unsigned> batch) {
  Value memref = op->getOperand(operand);
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, op.getLoc(), memref);
  SmallVector<OpFoldResult> sizes = metadata.getConstifiedMixedSizes();
  SmallVector<OpFoldResult> strides = metadata.getConstifiedMixedStrides();
  OpFoldResult zero = builder.getIndexAttr(0);
  auto strideOf = [&](std::optional<unsigned> dim) {
    std::optional<unsigned> at =
        dim ? findDim(op, operand, *dim) : std::nullopt;
    return at ? strides[*at] : zero;
  };
  MatrixOperand result;
  result.memref = memref;
  result.rows = rowDim ? sizes[*findDim(op, operand, *rowDim)]
                       : OpFoldResult(builder.getIndexAttr(1));
  result.columns = sizes[*findDim(op, operand, columnDim)];
  result.rowStride = strideOf(rowDim);
  result.columnStride = strideOf(columnDim);
  for (unsigned dim : batch)
    result.batchStrides.push_back(strideOf(dim));
  return result;
}

FoundProduct attn::readStructured(OpBuilder &builder, linalg::LinalgOp op) {
  std::string reason;
  MatrixRoles roles = *readMatrixRoles(op, reason);
  FoundProduct found;
  Type element = getElementTypeOrSelf(op->getOperand(2).getType());
  found.compute = element.isF64() ? builder.getF64Type() : builder.getF32Type();
  MatrixProduct &product = found.product;
  product.rhsTransposed = roles.rhsTransposed;
  product.lhs =
      readOperand(builder, op, roles.lhs, roles.row, roles.term, roles.batch);
  unsigned first = product.rhsTransposed ? roles.column : roles.term;
  unsigned second = product.rhsTransposed ? roles.term : roles.column;
  product.rhs = readOperand(builder, op, roles.rhs, first, second, roles.batch);
  product.output =
      readOperand(builder, op, 2, roles.row, roles.column, roles.batch);
  product.accumulates = true;
  OpFoldResult count = builder.getIndexAttr(1);
  for (unsigned dim : roles.batch) {
    auto size = memref::getMixedSize(builder, op.getLoc(), op->getOperand(2),
                                     *findDim(op, 2, dim));
    product.batchSizes.push_back(size);
    auto known = getConstantIntValue(size), sofar = getConstantIntValue(count);
    if (known && sofar) {
      count = builder.getIndexAttr(*known * *sofar);
      continue;
    }
    auto value = [&](OpFoldResult result) {
      return getValueOrCreateConstantIndexOp(builder, op.getLoc(), result);
    };
    count =
        arith::MulIOp::create(builder, op.getLoc(), value(count), value(size))
            .getResult();
  }
  product.batchCount = count;
  return found;
}
