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

void attn::inlineCalls(
    Region &region, SymbolTable &functions,
    llvm::function_ref<bool(func::CallOp, func::FuncOp)> mayInline) {
  auto replace = [&](func::CallOp call) {
    auto callee = functions.lookup<func::FuncOp>(call.getCallee());
    AllInliner inliner(call.getContext());
    return callee && !callee.isExternal() && callee.getBody().hasOneBlock() &&
           mayInline(call, callee) &&
           succeeded(inlineCall(inliner, InlinerConfig().getCloneCallback(),
                                call, callee, &callee.getBody()));
  };
  // The end of scf.forall is a block that may be empty.
  for (Block &block : region)
    for (Operation *op = block.empty() ? nullptr : &block.front(), *next; op;
         op = next) {
      auto call = dyn_cast<func::CallOp>(op);
      bool isGone = call && replace(call);
      for (Region &inner : op->getRegions())
        inlineCalls(inner, functions, mayInline);
      next = op->getNextNode();
      if (isGone)
        call.erase();
    }
}
