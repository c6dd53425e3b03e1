//===- VerifyDeviceCode.cpp - What the GPU's code generator takes ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/Passes.h"
#include "attn/Remarks/InputError.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace attn {
#define GEN_PASS_DEF_VERIFYDEVICECODEPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

LogicalResult verifyOp(Operation *op, gpu::GPUModuleOp kernels) {
  if (op == kernels)
    return success();
  if (!isa<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()))
    return emitInputError(op)
           << "this op has no code on the GPU: " << op->getName();
  auto call = dyn_cast<LLVM::CallOp>(op);
  if (!call)
    return success();
  std::optional<StringRef> callee = call.getCallee();
  auto function =
      callee ? kernels.lookupSymbol<LLVM::LLVMFuncOp>(*callee) : nullptr;
  if (function && !function.isExternal())
    return success();
  return emitInputError(op) << "this calls '" << callee.value_or("a pointer")
                            << "', which the GPU does not have";
}

struct VerifyDeviceCodePass
    : impl::VerifyDeviceCodePassBase<VerifyDeviceCodePass> {
  void runOnOperation() override {
    gpu::GPUModuleOp kernels = getOperation();
    WalkResult result = kernels.walk([&](Operation *op) {
      return failed(verifyOp(op, kernels)) ? WalkResult::interrupt()
                                           : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace attn
