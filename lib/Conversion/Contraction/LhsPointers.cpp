//===- LhsPointers.cpp - Addresses of a register tile's scalars -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LhsPointers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;

LhsPointers::LhsPointers(OpBuilder &builder, Location loc, Value lhs,
                         unsigned rowDim, Value row, int64_t height) {
  auto type = cast<MemRefType>(lhs.getType());
  element = type.getElementType();
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, loc, lhs);
  auto toInteger = [&](Value index) -> Value {
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      index);
  };
  auto strideOf = [&](unsigned dim) -> Value {
    if (ShapedType::isStatic(strides[dim]))
      return arith::ConstantIndexOp::create(builder, loc, strides[dim]);
    return metadata.getStrides()[dim];
  };
  depthStride = strideOf(1 - rowDim);
  rowStride = strides[rowDim];

  auto pointerType = LLVM::LLVMPointerType::get(builder.getContext());
  Value aligned =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, lhs);
  Value base =
      LLVM::IntToPtrOp::create(builder, loc, pointerType, toInteger(aligned));
  int64_t count = ShapedType::isStatic(rowStride) ? 1 : height;
  for (int64_t r = 0; r < count; ++r) {
    Value index = arith::AddIOp::create(
        builder, loc, row, arith::ConstantIndexOp::create(builder, loc, r));
    index = arith::MulIOp::create(builder, loc, index, strideOf(rowDim));
    index = arith::AddIOp::create(builder, loc, index, metadata.getOffset());
    Value pointer = LLVM::GEPOp::create(builder, loc, pointerType, element,
                                        base, ValueRange(toInteger(index)));
    // The intrinsic is the identity; what it hides from the optimiser is that
    // the pointers are multiples of a stride apart.
    pointers.push_back(
        LLVM::LaunderInvariantGroupOp::create(builder, loc, pointer));
  }
}

Value LhsPointers::getOffset(OpBuilder &builder, Location loc, Value k) const {
  Value offset = arith::MulIOp::create(builder, loc, k, depthStride);
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), offset);
}

Value LhsPointers::load(OpBuilder &builder, Location loc, int64_t r,
                        Value offset, int64_t count) const {
  Value pointer = pointers.size() == 1 ? pointers[0] : pointers[r];
  Type pointerType = pointer.getType();
  pointer = LLVM::GEPOp::create(builder, loc, pointerType, element, pointer,
                                ValueRange(offset));
  if (pointers.size() == 1 && r != 0)
    pointer = LLVM::GEPOp::create(
        builder, loc, pointerType, element, pointer,
        ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(r * rowStride)));
  unsigned bits = element.getIntOrFloatBitWidth();
  if (count == 1)
    return LLVM::LoadOp::create(builder, loc, element, pointer);
  return LLVM::LoadOp::create(builder, loc,
                              builder.getIntegerType(count * bits), pointer,
                              /*alignment=*/bits / 8);
}
