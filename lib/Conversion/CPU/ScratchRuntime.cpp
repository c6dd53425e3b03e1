//===- ScratchRuntime.cpp - Calls of the host's allocator -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScratchRuntime.h"
#include "../EntryABI/ErrorText.h"
#include "attn-runtime/attn_runtime.h"

using namespace mlir;
using LLVM::ICmpPredicate;

namespace attn {
namespace {

constexpr StringLiteral kAllocate = "attn.allocate_scratch";
constexpr StringLiteral kFree = "attn.free_scratch";

/// Finds or creates an internal function of the module. `isNew` says whether
/// its body is still missing.
LLVM::LLVMFuncOp getHelper(ModuleOp module, StringRef name,
                           LLVM::LLVMFunctionType type, bool &isNew) {
  auto helper = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  isNew = !helper;
  if (isNew) {
    auto builder = OpBuilder::atBlockEnd(module.getBody());
    helper = LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type,
                                      LLVM::Linkage::Internal);
  }
  return helper;
}

/// p = has both callbacks ? alloc(host, max(bytes, 1), 64) : null;
/// if (!p) report; return p;
void buildAllocate(LLVM::LLVMFuncOp function, ModuleOp module) {
  OpBuilder builder(function.getContext());
  Location loc = function.getLoc();
  Type i64 = builder.getI64Type();
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Block *entry = function.addEntryBlock(builder);
  Block *missing = builder.createBlock(&function.getBody());
  Block *call = builder.createBlock(&function.getBody());
  Block *failed = builder.createBlock(&function.getBody());
  Block *done = builder.createBlock(&function.getBody());
  Value context = entry->getArgument(0), bytes = entry->getArgument(1);

  builder.setInsertionPointToStart(entry);
  Value null = LLVM::ZeroOp::create(builder, loc, pointer);
  Value alloc = loadField(builder, loc, pointer, context,
                          offsetof(attn_context, alloc));
  Value free =
      loadField(builder, loc, pointer, context, offsetof(attn_context, free));
  Value noAlloc =
      LLVM::ICmpOp::create(builder, loc, ICmpPredicate::eq, alloc, null);
  Value noFree =
      LLVM::ICmpOp::create(builder, loc, ICmpPredicate::eq, free, null);
  LLVM::CondBrOp::create(builder, loc,
                         LLVM::OrOp::create(builder, loc, noAlloc, noFree),
                         missing, call);

  builder.setInsertionPointToStart(missing);
  createReportError(builder, loc, module, context,
                    createText(builder, loc, module,
                               "this kernel needs scratch memory for these "
                               "sizes, but the context has no alloc and free"));
  LLVM::ReturnOp::create(builder, loc, null);

  builder.setInsertionPointToStart(call);
  Value host =
      loadField(builder, loc, pointer, context, offsetof(attn_context, host));
  Value one = LLVM::ConstantOp::create(builder, loc, i64, 1);
  Value align = LLVM::ConstantOp::create(builder, loc, i64, kScratchAlignment);
  Value size = LLVM::UMaxOp::create(builder, loc, bytes, one);
  auto type = LLVM::LLVMFunctionType::get(pointer, {pointer, i64, i64});
  Value result = LLVM::CallOp::create(builder, loc, type,
                                      ValueRange{alloc, host, size, align})
                     .getResult();
  Value isNull =
      LLVM::ICmpOp::create(builder, loc, ICmpPredicate::eq, result, null);
  LLVM::CondBrOp::create(builder, loc, isNull, failed, done);

  builder.setInsertionPointToStart(failed);
  createReportError(
      builder, loc, module, context,
      createText(builder, loc, module,
                 "the context's alloc returned null for scratch memory"));
  LLVM::ReturnOp::create(builder, loc, null);

  builder.setInsertionPointToStart(done);
  LLVM::ReturnOp::create(builder, loc, result);
}

/// if (p) free(host, p);
void buildFree(LLVM::LLVMFuncOp function) {
  OpBuilder builder(function.getContext());
  Location loc = function.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Block *entry = function.addEntryBlock(builder);
  Block *call = builder.createBlock(&function.getBody());
  Block *done = builder.createBlock(&function.getBody());
  Value context = entry->getArgument(0), scratch = entry->getArgument(1);

  builder.setInsertionPointToStart(entry);
  Value null = LLVM::ZeroOp::create(builder, loc, pointer);
  Value isNull =
      LLVM::ICmpOp::create(builder, loc, ICmpPredicate::eq, scratch, null);
  LLVM::CondBrOp::create(builder, loc, isNull, done, call);

  builder.setInsertionPointToStart(call);
  Value host =
      loadField(builder, loc, pointer, context, offsetof(attn_context, host));
  Value free =
      loadField(builder, loc, pointer, context, offsetof(attn_context, free));
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(builder.getContext()), {pointer, pointer});
  LLVM::CallOp::create(builder, loc, type, ValueRange{free, host, scratch});
  LLVM::BrOp::create(builder, loc, ValueRange(), done);

  builder.setInsertionPointToStart(done);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

} // namespace

Value createAllocateScratch(OpBuilder &builder, Location loc, ModuleOp module,
                            Value context, Value bytes) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  bool isNew = false;
  auto helper = getHelper(
      module, kAllocate,
      LLVM::LLVMFunctionType::get(pointer, {pointer, builder.getI64Type()}),
      isNew);
  if (isNew)
    buildAllocate(helper, module);
  return LLVM::CallOp::create(builder, loc, helper, ValueRange{context, bytes})
      .getResult();
}

void createFreeScratch(OpBuilder &builder, Location loc, ModuleOp module,
                       Value context, Value pointer) {
  auto type = LLVM::LLVMPointerType::get(builder.getContext());
  bool isNew = false;
  auto helper = getHelper(
      module, kFree,
      LLVM::LLVMFunctionType::get(
          LLVM::LLVMVoidType::get(builder.getContext()), {type, type}),
      isNew);
  if (isNew)
    buildFree(helper);
  LLVM::CallOp::create(builder, loc, helper, ValueRange{context, pointer});
}

} // namespace attn
