//===- VerifyKernel.cpp - What must not be left before LLVM ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace attn {
#define GEN_PASS_DEF_VERIFYKERNELPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

bool isMultiDimVector(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() > 1;
}

/// True inside a sequential loop of a parallel body.
bool isInKeyLoop(Operation *op) {
  bool inLoop = false;
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (isa<scf::ForOp, scf::WhileOp>(parent))
      inLoop = true;
    if (isa<scf::ForallOp>(parent))
      return inLoop;
  }
  return false;
}

/// Why `op` may not be here; empty if it may.
StringRef getObjection(Operation *op) {
  if (isa_and_nonnull<AttnDialect>(op->getDialect()))
    return "is left: no lowering took it";
  if (isa<math::ExpOp, math::Exp2Op, math::ExpM1Op>(op))
    return "is left: it would become a call of the C library";
  if (isa<memref::AllocOp, memref::AllocaOp>(op) && isInKeyLoop(op))
    return "allocates inside a loop of a parallel body";
  if (isa<memref::CopyOp, linalg::CopyOp>(op) && isInKeyLoop(op))
    return "copies inside a loop of a parallel body";
  if (llvm::any_of(op->getOperandTypes(), isMultiDimVector) ||
      llvm::any_of(op->getResultTypes(), isMultiDimVector))
    return "works on vectors of more than one dimension";
  return "";
}

struct VerifyKernelPass : impl::VerifyKernelPassBase<VerifyKernelPass> {
  void runOnOperation() override {
    bool isGood = true;
    getOperation()->walk([&](Operation *op) {
      StringRef objection = getObjection(op);
      if (objection.empty())
        return;
      op->emitOpError(objection);
      isGood = false;
    });
    if (!isGood)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace attn
