//===- ReadStructured.cpp - Structured contractions as matrix products ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadContraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;

namespace {

/// Which loops are rows, columns and terms, for an output whose last dimension
/// is the columns.
struct Roles {
  SmallVector<unsigned> batch;
  std::optional<unsigned> row;
  unsigned column, term;
  /// The operand with the rows, and the one with the columns.
  unsigned lhs, rhs;
};

} // namespace

/// out + a * b, where a and b may be widened first.
static bool multipliesAndAdds(linalg::LinalgOp op) {
  Block &body = *op.getBlock();
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  Value accumulator = body.getArgument(2);
  Value product = add.getLhs() == accumulator ? add.getRhs() : add.getLhs();
  if (add.getLhs() != accumulator && add.getRhs() != accumulator)
    return false;
  auto multiply = product.getDefiningOp<arith::MulFOp>();
  if (!multiply)
    return false;
  auto argument = [](Value value) -> Value {
    auto extend = value.getDefiningOp<arith::ExtFOp>();
    return extend ? extend.getIn() : value;
  };
  Value a = argument(multiply.getLhs()), b = argument(multiply.getRhs());
  return (a == body.getArgument(0) && b == body.getArgument(1)) ||
         (a == body.getArgument(1) && b == body.getArgument(0));
}

static std::optional<Roles> findRoles(linalg::LinalgOp op) {
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) || dims->m.size() > 1 || dims->n.size() > 1 ||
      dims->k.size() != 1)
    return std::nullopt;
  AffineMap output = op.getIndexingMapsArray()[2];
  if (output.getNumResults() == 0)
    return std::nullopt;
  auto last = dyn_cast<AffineDimExpr>(output.getResults().back());
  if (!last)
    return std::nullopt;
  Roles roles;
  roles.batch.assign(dims->batch.begin(), dims->batch.end());
  roles.term = dims->k[0];
  roles.column = last.getPosition();
  // The rows of a product are the columns of the transposed one.
  bool swapped = !dims->m.empty() && dims->m[0] == roles.column;
  if (!swapped && (dims->n.empty() || dims->n[0] != roles.column))
    return std::nullopt;
  ArrayRef<unsigned> rows = swapped ? ArrayRef(dims->n) : ArrayRef(dims->m);
  if (!rows.empty())
    roles.row = rows[0];
  roles.lhs = swapped ? 1 : 0;
  roles.rhs = 1 - roles.lhs;
  return roles;
}

/// The position of loop `dim` in the operand's dimensions.
static std::optional<unsigned> findDim(linalg::LinalgOp op, unsigned operand,
                                       unsigned dim) {
  return op.getIndexingMapsArray()[operand].getResultPosition(
      getAffineDimExpr(dim, op.getContext()));
}

bool attn::isMatrixProduct(linalg::LinalgOp op, std::string &reason) {
  reason.clear();
  if (op->getNumOperands() != 3 || op.getNumDpsInits() != 1 ||
      op->getNumResults() != 0 || op.getNumReductionLoops() == 0 ||
      !multipliesAndAdds(op))
    return false;
  auto refuse = [&](StringRef why) {
    reason = why;
    return false;
  };
  if (llvm::any_of(op.getIndexingMapsArray(),
                   [](AffineMap map) { return !map.isProjectedPermutation(); }))
    return refuse("an operand is read otherwise than by plain indices");
  std::optional<Roles> roles = findRoles(op);
  if (!roles)
    return refuse("its loops are not one of rows, columns and terms each");
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type || !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
                     type.getElementType()))
      return refuse("its elements are not f16, bf16, f32 or f64");
  }
  if (!hasUnitInnerStride(op->getOperand(roles->rhs)) ||
      !hasUnitInnerStride(op->getOperand(2)))
    return refuse("rows of an operand are not contiguous");
  auto rhsMap = op.getIndexingMapsArray()[roles->rhs];
  unsigned inner =
      cast<AffineDimExpr>(rhsMap.getResults().back()).getPosition();
  if (inner != roles->column && inner != roles->term)
    return refuse("the innermost dimension of an operand is a batch");
  return true;
}

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
  Roles roles = *findRoles(op);
  FoundProduct found;
  Type element = getElementTypeOrSelf(op->getOperand(2).getType());
  found.compute = element.isF64() ? builder.getF64Type() : builder.getF32Type();
  MatrixProduct &product = found.product;
  AffineMap rhsMap = op.getIndexingMapsArray()[roles.rhs];
  product.rhsTransposed =
      cast<AffineDimExpr>(rhsMap.getResults().back()).getPosition() ==
      roles.term;
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
    auto value = [&](OpFoldResult result) -> Value {
      if (auto constant = getConstantIntValue(result))
        return createIndex(builder, op.getLoc(), *constant);
      return cast<Value>(result);
    };
    count =
        arith::MulIOp::create(builder, op.getLoc(), value(count), value(size))
            .getResult();
  }
  product.batchCount = count;
  return found;
}
