//===- ScratchRuntime.cpp - Calls of the host's allocator -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each allocation is preceded by a header of one cache line that makes it an
// element of its function's doubly linked list:
//
//   struct Header { Header *next; Header **link; };   // *link points here
//
// so that it can be freed from anywhere, and a function that fails frees
// whatever it holds at that time, however buffers went around its loops.
//
//===----------------------------------------------------------------------===//

#include "ScratchRuntime.h"
#include "ErrorText.h"
#include "HelperBuilder.h"
#include "RuntimeHelper.h"
#include "attn-runtime/attn_runtime.h"
#include "attn/Support/Sizes.h"

using namespace mlir;
using LLVM::ICmpPredicate;

namespace attn {
namespace {

constexpr StringLiteral kAllocate = "attn.allocate_scratch";
constexpr StringLiteral kFree = "attn.free_scratch";
constexpr StringLiteral kFreeAll = "attn.free_all_scratch";
constexpr int64_t kHeaderBytes = kScratchAlignment;
constexpr int64_t kNextOffset = 0;
constexpr int64_t kLinkOffset = sizeof(void *);

/// allocate(context, list, bytes).
void buildAllocate(LLVM::LLVMFuncOp function, ModuleOp module) {
  HelperBuilder h(function);
  Value list = h.argument(1);
  Value header =
      emitAllocation(h, module, h.argument(0), h.argument(2),
                     {"kernel", "scratch", kHeaderBytes, kScratchAlignment},
                     /*giveUp=*/[] {});
  Block *relink = h.addBlock(), *done = h.addBlock();
  Value next = h.loadPointer(list);
  h.storePointer(next, header, kNextOffset);
  h.storePointer(list, header, kLinkOffset);
  h.storePointer(header, list);
  h.branchIf(h.isNull(next), done, relink);
  h.startAt(relink);
  h.storePointer(h.shifted(header, kNextOffset), next, kLinkOffset);
  h.branch(done);
  h.startAt(done);
  LLVM::ReturnOp::create(h.builder, h.loc, h.shifted(header, kHeaderBytes));
}

/// free(context, pointer).
void buildFree(LLVM::LLVMFuncOp function) {
  HelperBuilder h(function);
  Value context = h.argument(0);
  Block *unlink = h.addBlock(), *relink = h.addBlock(), *call = h.addBlock(),
        *done = h.addBlock();
  h.branchIf(h.isNull(h.argument(1)), done, unlink);

  h.startAt(unlink);
  Value header = h.shifted(h.argument(1), -kHeaderBytes);
  Value next = h.loadPointer(header, kNextOffset);
  Value link = h.loadPointer(header, kLinkOffset);
  h.storePointer(next, link);
  h.branchIf(h.isNull(next), call, relink);
  h.startAt(relink);
  h.storePointer(link, next, kLinkOffset);
  h.branch(call);

  h.startAt(call);
  emitRelease(h, context, header);
  h.branch(done);
  h.startAt(done);
  h.returnNothing();
}

/// free_all(context, list).
void buildFreeAll(LLVM::LLVMFuncOp function, ModuleOp module) {
  HelperBuilder h(function);
  Block *loop = h.addBlock(), *body = h.addBlock(), *done = h.addBlock();
  h.branch(loop);
  h.startAt(loop);
  Value header = h.loadPointer(h.argument(1));
  h.branchIf(h.isNull(header), done, body);
  h.startAt(body);
  createFreeScratch(h.builder, h.loc, module, h.argument(0),
                    h.shifted(header, kHeaderBytes));
  h.branch(loop);
  h.startAt(done);
  h.returnNothing();
}

} // namespace

Value emitAllocation(HelperBuilder &h, ModuleOp module, Value context,
                     Value bytes, const AllocationKind &kind,
                     function_ref<void()> giveUp) {
  Block *missing = h.addBlock(), *check = h.addBlock(), *call = h.addBlock(),
        *failed = h.addBlock(), *enter = h.addBlock();
  std::string before = ("this " + kind.user + " needs ").str();
  std::string after =
      (" bytes of " + kind.memory + " memory for these sizes").str();
  auto fail = [&](Block *block, const Twine &first, const Twine &last) {
    h.startAt(block);
    giveUp();
    createReportErrorOfNumber(h.builder, h.loc, module, context, first.str(),
                              bytes, last.str());
    LLVM::ReturnOp::create(h.builder, h.loc, h.null());
  };
  Value alloc = h.loadPointer(context, offsetof(attn_context, alloc));
  Value free = h.loadPointer(context, offsetof(attn_context, free));
  h.branchIf(
      LLVM::OrOp::create(h.builder, h.loc, h.isNull(alloc), h.isNull(free)),
      missing, check);
  fail(missing, before, after + ", but the context has no alloc and free");

  // A number of bytes that saturated is not one to ask for, nor one to add to.
  h.startAt(check);
  h.branchIf(LLVM::ICmpOp::create(h.builder, h.loc, ICmpPredicate::sgt, bytes,
                                  h.constant(kAddressableBytes)),
             failed, call);

  h.startAt(call);
  Value host = h.loadPointer(context, offsetof(attn_context, host));
  Value size = bytes;
  if (kind.headerBytes != 0)
    size = LLVM::AddOp::create(h.builder, h.loc, bytes,
                               h.constant(kind.headerBytes));
  Type i64 = h.builder.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(h.pointer, {h.pointer, i64, i64});
  Value pointer = LLVM::CallOp::create(
                      h.builder, h.loc, type,
                      ValueRange{alloc, host, size, h.constant(kind.alignment)})
                      .getResult();
  h.branchIf(h.isNull(pointer), failed, enter);
  fail(failed, "out of memory: " + before, after);
  h.startAt(enter);
  return pointer;
}

void emitRelease(HelperBuilder &h, Value context, Value pointer) {
  Value host = h.loadPointer(context, offsetof(attn_context, host));
  Value free = h.loadPointer(context, offsetof(attn_context, free));
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(h.builder.getContext()), {h.pointer, h.pointer});
  LLVM::CallOp::create(h.builder, h.loc, type, ValueRange{free, host, pointer});
}

Value createAllocateScratch(OpBuilder &builder, Location loc, ModuleOp module,
                            Value context, Value list, Value bytes) {
  return callHelper(builder, loc, module, kAllocate,
                    LLVM::LLVMPointerType::get(builder.getContext()),
                    {context, list, bytes},
                    [&](LLVM::LLVMFuncOp function) {
                      buildAllocate(function, module);
                    })
      .getResult();
}

void createFreeScratch(OpBuilder &builder, Location loc, ModuleOp module,
                       Value context, Value pointer) {
  callHelper(builder, loc, module, kFree,
             LLVM::LLVMVoidType::get(builder.getContext()), {context, pointer},
             buildFree);
}

void createFreeAllScratch(OpBuilder &builder, Location loc, ModuleOp module,
                          Value context, Value list) {
  callHelper(
      builder, loc, module, kFreeAll,
      LLVM::LLVMVoidType::get(builder.getContext()), {context, list},
      [&](LLVM::LLVMFuncOp function) { buildFreeAll(function, module); });
}

} // namespace attn
