//===- DeviceScratch.cpp - Scratch in device memory -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host cannot write device memory, so what an allocation needs to be found
// again stands on the stack:
//
//   struct Entry { Entry *next; void *pointer; };
//   struct Lists { Entry *live, *spare; };
//
// An allocation takes a spare entry, or a new one from the stack. A loop that
// frees what it allocates so has one entry, however often it runs.
//
//===----------------------------------------------------------------------===//

#include "DeviceScratch.h"
#include "HelperBuilder.h"
#include "RuntimeHelper.h"
#include "ScratchRuntime.h"

using namespace mlir;
using LLVM::ICmpPredicate;

namespace attn {
namespace {

constexpr StringLiteral kAllocate = "attn.allocate_device";
constexpr StringLiteral kFree = "attn.free_device";
constexpr StringLiteral kFreeAll = "attn.free_all_device";
/// What cudaMalloc gives, and tensor maps and vectors may rely on.
constexpr int64_t kDeviceAlignment = 256;
constexpr int64_t kNext = 0, kPointer = sizeof(void *);
constexpr int64_t kLive = 0, kSpare = sizeof(void *);
constexpr int64_t kEntryWords = 2;

/// Puts `entry` at the front of the list whose head is at `offset`.
void emitPush(HelperBuilder &h, Value lists, int64_t offset, Value entry) {
  h.storePointer(h.loadPointer(lists, offset), entry, kNext);
  h.storePointer(entry, lists, offset);
}

/// allocate(context, lists, entry, bytes).
void buildAllocate(LLVM::LLVMFuncOp function, ModuleOp module) {
  HelperBuilder h(function);
  Value lists = h.argument(1), entry = h.argument(2);
  Value pointer =
      emitAllocation(h, module, h.argument(0), h.argument(3),
                     {"program", "device", /*headerBytes=*/0, kDeviceAlignment},
                     [&] { emitPush(h, lists, kSpare, entry); });
  h.storePointer(pointer, entry, kPointer);
  emitPush(h, lists, kLive, entry);
  LLVM::ReturnOp::create(h.builder, h.loc, pointer);
}

/// free(context, lists, pointer): few entries are live at one time.
void buildFree(LLVM::LLVMFuncOp function) {
  HelperBuilder h(function);
  Value context = h.argument(0), lists = h.argument(1), wanted = h.argument(2);
  Block *loop = h.addBlock(), *look = h.addBlock(), *found = h.addBlock(),
        *next = h.addBlock(), *done = h.addBlock();
  Value link = loop->addArgument(h.pointer, h.loc);
  auto enter = [&](Value at) {
    LLVM::BrOp::create(h.builder, h.loc, at, loop);
  };
  enter(h.shifted(lists, kLive));
  h.startAt(loop);
  Value entry = h.loadPointer(link);
  h.branchIf(h.isNull(entry), done, look);
  h.startAt(look);
  Value same = LLVM::ICmpOp::create(h.builder, h.loc, ICmpPredicate::eq,
                                    h.loadPointer(entry, kPointer), wanted);
  h.branchIf(same, found, next);
  h.startAt(next);
  enter(h.shifted(entry, kNext));
  h.startAt(found);
  h.storePointer(h.loadPointer(entry, kNext), link);
  emitPush(h, lists, kSpare, entry);
  emitRelease(h, context, wanted);
  h.branch(done);
  h.startAt(done);
  h.returnNothing();
}

/// free_all(context, lists).
void buildFreeAll(LLVM::LLVMFuncOp function) {
  HelperBuilder h(function);
  Value context = h.argument(0), lists = h.argument(1);
  Block *loop = h.addBlock(), *body = h.addBlock(), *done = h.addBlock();
  h.branch(loop);
  h.startAt(loop);
  Value entry = h.loadPointer(lists, kLive);
  h.branchIf(h.isNull(entry), done, body);
  h.startAt(body);
  h.storePointer(h.loadPointer(entry, kNext), lists, kLive);
  emitRelease(h, context, h.loadPointer(entry, kPointer));
  h.branch(loop);
  h.startAt(done);
  h.returnNothing();
}

Type getPointerType(OpBuilder &builder) {
  return LLVM::LLVMPointerType::get(builder.getContext());
}

/// A spare entry, or one from the stack.
Value emitEntry(OpBuilder &builder, Location loc, Value list) {
  Type pointer = getPointerType(builder);
  Block *block = builder.getInsertionBlock();
  Block *rest = block->splitBlock(builder.getInsertionPoint());
  Block *fresh = builder.createBlock(rest), *reuse = builder.createBlock(rest);
  Value entry = rest->addArgument(pointer, loc);
  builder.setInsertionPointToEnd(block);
  Value spare = loadField(builder, loc, pointer, list, kSpare);
  Value null = LLVM::ZeroOp::create(builder, loc, pointer);
  Value none =
      LLVM::ICmpOp::create(builder, loc, ICmpPredicate::eq, spare, null);
  LLVM::CondBrOp::create(builder, loc, none, fresh, reuse);
  builder.setInsertionPointToStart(fresh);
  Value words =
      LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), kEntryWords);
  Value made = LLVM::AllocaOp::create(builder, loc, pointer, pointer, words);
  LLVM::BrOp::create(builder, loc, made, rest);
  builder.setInsertionPointToStart(reuse);
  Value next = loadField(builder, loc, pointer, spare, kNext);
  Value head =
      LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), list,
                          ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(kSpare)));
  LLVM::StoreOp::create(builder, loc, next, head);
  LLVM::BrOp::create(builder, loc, spare, rest);
  builder.setInsertionPointToStart(rest);
  return entry;
}

} // namespace

Value createDeviceList(OpBuilder &builder, Location loc) {
  Type pointer = getPointerType(builder);
  Value words =
      LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), kEntryWords);
  Value list = LLVM::AllocaOp::create(builder, loc, pointer, pointer, words);
  Value null = LLVM::ZeroOp::create(builder, loc, pointer);
  for (int64_t offset : {kLive, kSpare}) {
    Value head = LLVM::GEPOp::create(
        builder, loc, pointer, builder.getI8Type(), list,
        ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(offset)));
    LLVM::StoreOp::create(builder, loc, null, head);
  }
  return list;
}

Value createAllocateDevice(OpBuilder &builder, Location loc, ModuleOp module,
                           Value context, Value list, Value bytes) {
  Value entry = emitEntry(builder, loc, list);
  return callHelper(builder, loc, module, kAllocate, getPointerType(builder),
                    {context, list, entry, bytes},
                    [&](LLVM::LLVMFuncOp function) {
                      buildAllocate(function, module);
                    })
      .getResult();
}

void createFreeDevice(OpBuilder &builder, Location loc, ModuleOp module,
                      Value context, Value list, Value pointer) {
  callHelper(builder, loc, module, kFree,
             LLVM::LLVMVoidType::get(module.getContext()),
             {context, list, pointer}, buildFree);
}

void createFreeAllDevice(OpBuilder &builder, Location loc, ModuleOp module,
                         Value context, Value list) {
  callHelper(builder, loc, module, kFreeAll,
             LLVM::LLVMVoidType::get(module.getContext()), {context, list},
             buildFreeAll);
}

} // namespace attn
