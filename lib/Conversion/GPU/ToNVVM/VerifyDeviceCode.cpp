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

/// Functions that LLVM would call in a library, on which it ends the process.
/// Our own forms of most of them stand in Conversion/Math.
bool isLibraryFunction(Operation *op) {
  static constexpr StringLiteral names[] = {
      "acos", "asin",  "atan", "atan2", "cos", "cosh", "exp", "exp10", "exp2",
      "log",  "log10", "log2", "pow",   "sin", "sinh", "tan", "tanh"};
  StringRef name = op->getName().getStringRef();
  return name.consume_front("llvm.intr.") && llvm::is_contained(names, name);
}

LogicalResult verifyOp(Operation *op, gpu::GPUModuleOp kernels) {
  if (op == kernels)
    return success();
  if (!isa<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()) ||
      isLibraryFunction(op))
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
