//===- InlineCalls.cpp - Functions in the places of their calls -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/InlineCalls.h"

#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;

namespace {
struct AllInliner : InlinerInterface {
  using InlinerInterface::InlinerInterface;
  bool isLegalToInline(Operation *, Operation *, bool) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

/// The function that `call` may be replaced by.
static func::FuncOp getCallee(func::CallOp call, SymbolTable &functions) {
  auto callee = functions.lookup<func::FuncOp>(call.getCallee());
  return callee && !callee.isExternal() && callee.getBody().hasOneBlock()
             ? callee
             : func::FuncOp();
}

/// `around` are the functions that the region is a part of.
static void inlineInto(Region &region, SymbolTable &functions,
                       ArrayRef<func::FuncOp> around,
                       function_ref<bool(func::FuncOp)> mayInline) {
  auto replace = [](func::CallOp call, func::FuncOp callee) {
    AllInliner inliner(call.getContext());
    return succeeded(inlineCall(inliner, InlinerConfig().getCloneCallback(),
                                call, callee, &callee.getBody()));
  };
  // The end of scf.forall is a block that may be empty.
  for (Block &block : region) {
    SmallVector<func::FuncOp> within(around);
    // Where the bodies of those end that were put into this block.
    SmallVector<Operation *> ends;
    for (Operation *op = block.empty() ? nullptr : &block.front(), *next; op;
         op = next) {
      for (; !ends.empty() && ends.back() == op; ends.pop_back())
        within.pop_back();
      auto call = dyn_cast<func::CallOp>(op);
      func::FuncOp callee = call ? getCallee(call, functions) : func::FuncOp();
      Operation *end = op->getNextNode();
      bool isInlined = callee && !llvm::is_contained(within, callee) &&
                       mayInline(callee) && replace(call, callee);
      for (Region &inner : op->getRegions())
        inlineInto(inner, functions, within, mayInline);
      next = op->getNextNode();
      if (!isInlined)
        continue;
      within.push_back(callee);
      ends.push_back(end);
      call.erase();
    }
  }
}

void attn::inlineCalls(func::FuncOp function, SymbolTable &functions,
                       function_ref<bool(func::FuncOp)> mayInline) {
  inlineInto(function.getBody(), functions,
             functions.lookup<func::FuncOp>(function.getSymName()), mayInline);
}
