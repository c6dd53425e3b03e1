//===- GlobalMemory.cpp - Operands of kernels in global memory ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalMemory.h"
#include "../../Shared/MemRefMemory.h"
#include "SharedTile.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace attn;

// Not what the host looks at, with which they would be merged: a kernel gets
// memrefs as they are, and nothing else of them.
memref::ExtractStridedMetadataOp attn::emitDeviceMetadata(KernelBuilder &kernel,
                                                          Value memref) {
  auto metadata = memref::ExtractStridedMetadataOp::create(
      kernel.getBuilder(), kernel.getLoc(), memref);
  metadata->setAttr("device", kernel.getBuilder().getUnitAttr());
  return metadata;
}

Value attn::emitDevicePointer(KernelBuilder &kernel, Value memref) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  auto metadata = emitDeviceMetadata(kernel, memref);
  auto address = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
  address->setAttr("device", b.getUnitAttr());
  Value bytes =
      kernel.constant64(getElementBytes(getElementTypeOrSelf(memref)));
  Value offset = b.createOrFold<arith::MulIOp>(
      loc, kernel.toI64(metadata.getOffset()), bytes);
  return kernel.offset(kernel.toPointer(MemorySpace::Global, address), offset);
}

Value attn::emitIsAligned(KernelBuilder &host, Value memref,
                          ArrayRef<Distance> distances) {
  OpBuilder &b = host.getBuilder();
  Location loc = host.getLoc();
  int64_t bytes = getElementBytes(getElementTypeOrSelf(memref));
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto value = [&](OpFoldResult result) {
    return getValueOrCreateConstantIndexOp(b, loc, result);
  };
  auto scale = [&](Value elements) {
    return b.createOrFold<arith::MulIOp>(loc, elements, constant(bytes));
  };
  Value pointer =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
  // All distances together: one that is no multiple leaves a bit.
  Value bits =
      b.createOrFold<arith::AddIOp>(loc, pointer, scale(metadata.getOffset()));
  for (const Distance &distance : distances) {
    std::optional<int64_t> size = getConstantIntValue(distance.size);
    std::optional<int64_t> stride = getConstantIntValue(distance.stride);
    // The stride of a single index is never used.
    if (size && *size <= 1)
      continue;
    if (size && stride && *stride * bytes % kChunkBytes != 0)
      return {};
    Value isOne = b.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::eq, value(distance.size), constant(1));
    Value used = b.createOrFold<arith::SelectOp>(loc, isOne, constant(0),
                                                 value(distance.stride));
    bits = b.createOrFold<arith::OrIOp>(loc, bits, scale(used));
  }
  Value rest = b.createOrFold<arith::RemUIOp>(loc, bits, constant(kChunkBytes));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest,
                               constant(0));
}
