//===- ExpandCopies.cpp - Strided copies become structured ops ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace attn {
#define GEN_PASS_DEF_EXPANDCOPIESPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

bool isContiguous(Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  return type && type.getLayout().isIdentity();
}

struct ExpandCopiesPass : impl::ExpandCopiesPassBase<ExpandCopiesPass> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](memref::CopyOp copy) {
      // These become memcpy.
      if (isContiguous(copy.getSource()) && isContiguous(copy.getTarget()))
        return WalkResult::advance();
      if (!isa<MemRefType>(copy.getSource().getType()) ||
          !isa<MemRefType>(copy.getTarget().getType())) {
        copy.emitError("copies of unranked memrefs are not supported");
        return WalkResult::interrupt();
      }
      OpBuilder builder(copy);
      linalg::makeMemRefCopyOp(builder, copy.getLoc(), copy.getSource(),
                               copy.getTarget());
      copy.erase();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace attn
