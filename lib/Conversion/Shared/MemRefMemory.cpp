//===- MemRefMemory.cpp - What memory a memref is -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemRefMemory.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

Value attn::getMemoryRoot(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(op))
      memref = view.getViewSource();
    else if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op))
      memref = metadata.getSource();
    else
      break;
  }
  return memref;
}

int64_t attn::getElementBytes(Type element) {
  unsigned bits = element.isIndex() ? IndexType::kInternalStorageBitWidth
                                    : element.getIntOrFloatBitWidth();
  // As LLVM steps over them: an i24 takes as much as an i32.
  return llvm::PowerOf2Ceil(llvm::divideCeil(bits, 8));
}
