//===- FlushDenormals.cpp - Floating-point mode around a call -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlushDenormals.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace attn {
namespace {

/// Flush-to-zero and denormals-are-zero.
constexpr int64_t kFlushMXCSR = 0x8040;
/// FZ: both, but for f16.
constexpr int64_t kFlushFPCR = 1 << 24;

void callIntrinsic(OpBuilder &builder, Location loc, StringRef name,
                   Value argument) {
  LLVM::CallIntrinsicOp::create(builder, loc, builder.getStringAttr(name),
                                ValueRange(argument));
}

Value setBits(OpBuilder &builder, Location loc, Value mode, int64_t bits) {
  Value flush = LLVM::ConstantOp::create(builder, loc, mode.getType(), bits);
  return LLVM::OrOp::create(builder, loc, mode, flush);
}

/// Both instructions want memory.
Value flushByMXCSR(OpBuilder &builder, Location loc) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i32 = builder.getI32Type();
  Value one = LLVM::ConstantOp::create(builder, loc, i32, 1);
  Value saved = LLVM::AllocaOp::create(builder, loc, pointer, i32, one);
  Value changed = LLVM::AllocaOp::create(builder, loc, pointer, i32, one);
  callIntrinsic(builder, loc, "llvm.x86.sse.stmxcsr", saved);
  Value mode = LLVM::LoadOp::create(builder, loc, i32, saved);
  mode = setBits(builder, loc, mode, kFlushMXCSR);
  LLVM::StoreOp::create(builder, loc, mode, changed);
  callIntrinsic(builder, loc, "llvm.x86.sse.ldmxcsr", changed);
  return saved;
}

Value flushByFPCR(OpBuilder &builder, Location loc) {
  Value saved =
      LLVM::CallIntrinsicOp::create(
          builder, loc, builder.getI64Type(),
          builder.getStringAttr("llvm.aarch64.get.fpcr"), ValueRange())
          .getResult(0);
  callIntrinsic(builder, loc, "llvm.aarch64.set.fpcr",
                setBits(builder, loc, saved, kFlushFPCR));
  return saved;
}

} // namespace

Value createFlushDenormals(OpBuilder &builder, Location loc,
                           const TargetDescription &target) {
  if (target.isX86())
    return flushByMXCSR(builder, loc);
  if (target.isAArch64())
    return flushByFPCR(builder, loc);
  return {};
}

void createRestoreDenormals(OpBuilder &builder, Location loc, Value saved) {
  if (!saved)
    return;
  bool isPointer = isa<LLVM::LLVMPointerType>(saved.getType());
  callIntrinsic(builder, loc,
                isPointer ? "llvm.x86.sse.ldmxcsr" : "llvm.aarch64.set.fpcr",
                saved);
}

void setNoInline(func::FuncOp func) {
  Builder builder(func.getContext());
  func->setAttr("passthrough", builder.getStrArrayAttr({"noinline"}));
}

} // namespace attn
