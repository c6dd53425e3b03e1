//===- MergeNormDims.cpp - Fewer dimensions for attn.norm -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergeNormDims.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;

namespace {

class DimMerger {
public:
  DimMerger(OpBuilder &builder, NormOp op);
  void run();

private:
  /// An operand with its dimensions, as dimensions of the input.
  struct Operand {
    OpOperand *operand;
    SmallVector<int64_t> dims;
    Value base;
    OpFoldResult offset;
    SmallVector<OpFoldResult> sizes, strides;
  };

  void addOperand(OpOperand &operand);
  bool belongTogether(int64_t dim, int64_t next);
  /// Whether the dimensions from `first` to `last` lie one within the other in
  /// all operands: a boolean, or a constant where it is known.
  OpFoldResult areContiguous(int64_t first, int64_t last);
  void merge(int64_t first, int64_t last);
  Value rebuild(const Operand &operand);
  Value get(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  }
  OpFoldResult multiply(OpFoldResult a, OpFoldResult b);

  OpBuilder &builder;
  Location loc;
  NormOp op;
  SmallVector<Operand> operands;
  bool changed = false;
};

} // namespace

DimMerger::DimMerger(OpBuilder &builder, NormOp op)
    : builder(builder), loc(op.getLoc()), op(op) {
  for (OpOperand &operand : op->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()))
      addOperand(operand);
}

void DimMerger::addOperand(OpOperand &operand) {
  auto type = cast<MemRefType>(operand.get().getType());
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, operand.get());
  auto [strides, offset] = type.getStridesAndOffset();
  auto mix = [&](int64_t known, Value value) -> OpFoldResult {
    if (ShapedType::isDynamic(known))
      return value;
    return builder.getIndexAttr(known);
  };
  Operand entry = {&operand,
                   op.getOperandDims(operand),
                   metadata.getBaseBuffer(),
                   mix(offset, metadata.getOffset()),
                   {},
                   {}};
  for (auto [known, value] :
       llvm::zip_equal(type.getShape(), metadata.getSizes()))
    entry.sizes.push_back(mix(known, value));
  for (auto [known, value] : llvm::zip_equal(strides, metadata.getStrides()))
    entry.strides.push_back(mix(known, value));
  operands.push_back(entry);
}

bool DimMerger::belongTogether(int64_t dim, int64_t next) {
  SmallVector<int64_t> affine = op.getAffineDims();
  bool isAffine = op.getGamma() || op.getBeta();
  return op.isNormalised(dim) == op.isNormalised(next) &&
         (!isAffine ||
          llvm::is_contained(affine, dim) == llvm::is_contained(affine, next));
}

OpFoldResult DimMerger::multiply(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return builder.getIndexAttr(*x * *y);
  return arith::MulIOp::create(builder, loc, get(a), get(b)).getResult();
}

OpFoldResult DimMerger::areContiguous(int64_t first, int64_t last) {
  Value all;
  for (const Operand &operand : operands)
    for (int64_t dim = first; dim < last; ++dim) {
      const auto *found = llvm::find(operand.dims, dim);
      if (found == operand.dims.end())
        continue;
      size_t at = found - operand.dims.begin();
      if (isConstantIntValue(operand.sizes[at], 1))
        continue;
      OpFoldResult step =
          multiply(operand.sizes[at + 1], operand.strides[at + 1]);
      std::optional<int64_t> x = getConstantIntValue(operand.strides[at]),
                             y = getConstantIntValue(step);
      if (x && y) {
        if (*x != *y)
          return builder.getBoolAttr(false);
        continue;
      }
      Value equal =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                get(operand.strides[at]), get(step));
      all = all ? arith::AndIOp::create(builder, loc, all, equal).getResult()
                : equal;
    }
  if (all)
    return all;
  return builder.getBoolAttr(true);
}

void DimMerger::merge(int64_t first, int64_t last) {
  OpFoldResult contiguous = areContiguous(first, last);
  auto known = dyn_cast<Attribute>(contiguous);
  if (known && !cast<BoolAttr>(known).getValue())
    return;
  changed = true;
  // The sizes are those of the input in every operand.
  ArrayRef<OpFoldResult> sizes = operands.front().sizes;
  SmallVector<OpFoldResult> merged(sizes.begin() + first,
                                   sizes.begin() + last + 1);
  OpFoldResult product = builder.getIndexAttr(1);
  for (OpFoldResult size : merged)
    product = multiply(product, size);
  for (OpFoldResult &size : merged) {
    OpFoldResult now = &size == &merged.back()
                           ? product
                           : OpFoldResult(builder.getIndexAttr(1));
    if (known)
      size = now;
    else
      size = arith::SelectOp::create(builder, loc, cast<Value>(contiguous),
                                     get(now), get(size))
                 .getResult();
  }
  for (Operand &operand : operands)
    for (auto [at, dim] : llvm::enumerate(operand.dims))
      if (dim >= first && dim <= last)
        operand.sizes[at] = merged[dim - first];
}

Value DimMerger::rebuild(const Operand &operand) {
  auto get = [](OpFoldResult value) {
    return getConstantIntValue(value).value_or(ShapedType::kDynamic);
  };
  SmallVector<int64_t> shape = llvm::map_to_vector(operand.sizes, get),
                       strides = llvm::map_to_vector(operand.strides, get);
  auto layout =
      StridedLayoutAttr::get(op.getContext(), get(operand.offset), strides);
  auto type = MemRefType::get(
      shape, getElementTypeOrSelf(operand.operand->get()), layout);
  return memref::ReinterpretCastOp::create(builder, loc, type, operand.base,
                                           operand.offset, operand.sizes,
                                           operand.strides);
}

void DimMerger::run() {
  int64_t first = 0, rank = op.getRank();
  for (int64_t dim = 1; dim <= rank; ++dim) {
    if (dim < rank && belongTogether(dim - 1, dim))
      continue;
    if (dim - 1 > first)
      merge(first, dim - 1);
    first = dim;
  }
  if (!changed)
    return;
  for (const Operand &operand : operands)
    operand.operand->set(rebuild(operand));
}

void attn::mergeNormDims(OpBuilder &builder, NormOp op) {
  if (op.getRank() > 1)
    DimMerger(builder, op).run();
}
