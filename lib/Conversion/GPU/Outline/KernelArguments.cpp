//===- KernelArguments.cpp - What travels into a kernel -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Shared/MemRefMemory.h"
#include "OutlineKernels.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;

/// The type of the address that stands for a memref.
static Type getPointerType(MemRefType type) {
  return LLVM::LLVMPointerType::get(type.getContext(),
                                    type.getMemorySpaceAsInt());
}

/// An offset that the type knows is added where an element is addressed, any
/// other one is in the address that travels.
static bool isOffsetOpen(MemRefType type) {
  return ShapedType::isDynamic(type.getStridesAndOffset().second);
}

static Value computeAddress(OpBuilder &builder, Location loc, Value memref,
                            Value offset) {
  auto type = cast<MemRefType>(memref.getType());
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memref);
  if (isOffsetOpen(type)) {
    Value bytes = arith::ConstantIndexOp::create(
        builder, loc, getElementBytes(type.getElementType()));
    Value shift = builder.createOrFold<arith::MulIOp>(loc, offset, bytes);
    address = arith::AddIOp::create(builder, loc, address, shift);
  }
  Value number =
      arith::IndexCastUIOp::create(builder, loc, builder.getI64Type(), address);
  return LLVM::IntToPtrOp::create(builder, loc, getPointerType(type), number);
}

void attn::appendKernelArguments(OpBuilder &builder, Location loc, Value value,
                                 SmallVectorImpl<Value> &arguments) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type) {
    arguments.push_back(value);
    return;
  }
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, loc, value);
  arguments.push_back(
      computeAddress(builder, loc, value, metadata.getOffset()));
  for (auto [size, known] :
       llvm::zip_equal(metadata.getSizes(), type.getShape()))
    if (ShapedType::isDynamic(known))
      arguments.push_back(size);
  for (auto [stride, known] :
       llvm::zip_equal(metadata.getStrides(), type.getStridesAndOffset().first))
    if (ShapedType::isDynamic(known))
      arguments.push_back(stride);
}

void attn::appendKernelTypes(Type type, SmallVectorImpl<Type> &types) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref) {
    types.push_back(type);
    return;
  }
  types.push_back(getPointerType(memref));
  int64_t open =
      memref.getNumDynamicDims() +
      llvm::count(memref.getStridesAndOffset().first, ShapedType::kDynamic);
  types.append(open, IndexType::get(type.getContext()));
}

Value attn::rebuildValue(OpBuilder &builder, Location loc, Type type,
                         ValueRange &arguments) {
  auto next = [&] {
    Value value = arguments.front();
    arguments = arguments.drop_front();
    return value;
  };
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return next();
  auto cast = [&](Type to, Value value) {
    return UnrealizedConversionCastOp::create(builder, loc, to, value)
        .getResult(0);
  };
  Type i64 = builder.getI64Type();
  auto fill = [&](int64_t known) -> Value {
    if (ShapedType::isDynamic(known))
      return cast(i64, next());
    return LLVM::ConstantOp::create(builder, loc, i64, known);
  };
  LLVMTypeConverter converter(type.getContext());
  auto [strides, offset] = memref.getStridesAndOffset();
  auto descriptor =
      MemRefDescriptor::poison(builder, loc, converter.convertType(memref));
  Value address = next();
  descriptor.setAllocatedPtr(builder, loc, address);
  descriptor.setAlignedPtr(builder, loc, address);
  descriptor.setConstantOffset(builder, loc,
                               ShapedType::isDynamic(offset) ? 0 : offset);
  for (auto [dim, size] : llvm::enumerate(memref.getShape()))
    descriptor.setSize(builder, loc, dim, fill(size));
  for (auto [dim, stride] : llvm::enumerate(strides))
    descriptor.setStride(builder, loc, dim, fill(stride));
  return cast(memref, descriptor);
}
