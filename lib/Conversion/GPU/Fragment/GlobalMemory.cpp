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
