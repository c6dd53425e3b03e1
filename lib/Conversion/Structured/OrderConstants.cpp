//===- OrderConstants.cpp - Constants in the order of their uses ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"

namespace attn {
#define GEN_PASS_DEF_ORDERCONSTANTSPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

struct OrderConstantsPass : impl::OrderConstantsPassBase<OrderConstantsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    llvm::SetVector<memref::GlobalOp> used;
    SmallVector<memref::GetGlobalOp> uses;
    module.walk([&](memref::GetGlobalOp use) {
      auto global = symbols.lookup<memref::GlobalOp>(use.getName());
      if (!global || !global.isPrivate())
        return;
      used.insert(global);
      uses.push_back(use);
    });
    // All names are free before the first one is given.
    DenseMap<StringRef, memref::GlobalOp> byOldName;
    for (memref::GlobalOp global : used)
      byOldName[global.getSymNameAttr().strref()] = global;
    for (memref::GlobalOp global : used)
      symbols.remove(global);
    for (memref::GlobalOp global : used) {
      global->remove();
      global.setSymName("constant");
      symbols.insert(global);
    }
    for (memref::GetGlobalOp use : uses)
      use.setName(byOldName.lookup(use.getName()).getSymName());
    // One before the other, at the beginning.
    for (memref::GlobalOp global : llvm::reverse(used))
      global->moveBefore(module.getBody(), module.getBody()->begin());
  }
};

} // namespace
} // namespace attn
