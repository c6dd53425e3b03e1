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
constexpr int64_t kFlushBits = 0x8040;

void createIntrinsicCall(OpBuilder &builder, Location loc, StringRef name,
                         Value argument) {
  LLVM::CallIntrinsicOp::create(builder, loc, builder.getStringAttr(name),
                                ValueRange(argument));
}

} // namespace

Value createFlushDenormals(OpBuilder &builder, Location loc) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i32 = builder.getI32Type();
  Value one = LLVM::ConstantOp::create(builder, loc, i32, 1);
  Value saved = LLVM::AllocaOp::create(builder, loc, pointer, i32, one);
  Value changed = LLVM::AllocaOp::create(builder, loc, pointer, i32, one);
  createIntrinsicCall(builder, loc, "llvm.x86.sse.stmxcsr", saved);
  Value mode = LLVM::LoadOp::create(builder, loc, i32, saved);
  Value flush = LLVM::ConstantOp::create(builder, loc, i32, kFlushBits);
  mode = LLVM::OrOp::create(builder, loc, mode, flush);
  LLVM::StoreOp::create(builder, loc, mode, changed);
  createIntrinsicCall(builder, loc, "llvm.x86.sse.ldmxcsr", changed);
  return saved;
}

void createRestoreDenormals(OpBuilder &builder, Location loc, Value saved) {
  createIntrinsicCall(builder, loc, "llvm.x86.sse.ldmxcsr", saved);
}

void setNoInline(func::FuncOp func) {
  Builder builder(func.getContext());
  func->setAttr("passthrough", builder.getStrArrayAttr({"noinline"}));
}

} // namespace attn
