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

/// Returns null after an error with `text` between which the bytes stand.
void buildFailure(HelperBuilder &h, Block *block, ModuleOp module,
                  StringRef before, StringRef after) {
  h.startAt(block);
  createReportErrorOfNumber(h.builder, h.loc, module, h.argument(0), before,
                            h.argument(2), after);
  LLVM::ReturnOp::create(h.builder, h.loc, h.null());
}

/// allocate(context, list, bytes).
void buildAllocate(LLVM::LLVMFuncOp function, ModuleOp module) {
  HelperBuilder h(function);
  Value context = h.argument(0), list = h.argument(1);
  Block *missing = h.addBlock(), *check = h.addBlock(), *call = h.addBlock(),
        *failed = h.addBlock(), *enter = h.addBlock(), *relink = h.addBlock(),
        *done = h.addBlock();
  Value alloc = h.loadPointer(context, offsetof(attn_context, alloc));
  Value free = h.loadPointer(context, offsetof(attn_context, free));
  h.branchIf(
      LLVM::OrOp::create(h.builder, h.loc, h.isNull(alloc), h.isNull(free)),
      missing, check);
  buildFailure(h, missing, module, "this kernel needs ",
               " bytes of scratch memory for these sizes, but the context has "
               "no alloc and free");

  // A number of bytes that saturated is not one to ask for, nor one to add to.
  h.startAt(check);
  h.branchIf(LLVM::ICmpOp::create(h.builder, h.loc, ICmpPredicate::sgt,
                                  h.argument(2), h.constant(kAddressableBytes)),
             failed, call);

  h.startAt(call);
  Value host = h.loadPointer(context, offsetof(attn_context, host));
  Value size = LLVM::AddOp::create(h.builder, h.loc, h.argument(2),
                                   h.constant(kHeaderBytes));
  Type i64 = h.builder.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(h.pointer, {h.pointer, i64, i64});
  Value header = LLVM::CallOp::create(h.builder, h.loc, type,
                                      ValueRange{alloc, host, size,
                                                 h.constant(kScratchAlignment)})
                     .getResult();
  h.branchIf(h.isNull(header), failed, enter);
  buildFailure(h, failed, module, "out of memory: this kernel needs ",
               " bytes of scratch memory for these sizes");

  h.startAt(enter);
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
  Value host = h.loadPointer(context, offsetof(attn_context, host));
  Value free = h.loadPointer(context, offsetof(attn_context, free));
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(h.builder.getContext()), {h.pointer, h.pointer});
  LLVM::CallOp::create(h.builder, h.loc, type, ValueRange{free, host, header});
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

/// The type of a helper that takes two pointers and returns nothing.
LLVM::LLVMFunctionType getFreeType(MLIRContext *context) {
  auto pointer = LLVM::LLVMPointerType::get(context);
  return LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                     {pointer, pointer});
}

} // namespace

Value createAllocateScratch(OpBuilder &builder, Location loc, ModuleOp module,
                            Value context, Value list, Value bytes) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      pointer, {pointer, pointer, builder.getI64Type()});
  auto helper =
      getHelper(module, kAllocate, type, [&](LLVM::LLVMFuncOp function) {
        buildAllocate(function, module);
      });
  return LLVM::CallOp::create(builder, loc, helper,
                              ValueRange{context, list, bytes})
      .getResult();
}

void createFreeScratch(OpBuilder &builder, Location loc, ModuleOp module,
                       Value context, Value pointer) {
  auto helper =
      getHelper(module, kFree, getFreeType(builder.getContext()), buildFree);
  LLVM::CallOp::create(builder, loc, helper, ValueRange{context, pointer});
}

void createFreeAllScratch(OpBuilder &builder, Location loc, ModuleOp module,
                          Value context, Value list) {
  auto helper = getHelper(
      module, kFreeAll, getFreeType(builder.getContext()),
      [&](LLVM::LLVMFuncOp function) { buildFreeAll(function, module); });
  LLVM::CallOp::create(builder, loc, helper, ValueRange{context, list});
}

} // namespace attn
