//===- SetTarget.cpp - The machine that all later passes read -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "attn/Dialect/Attn/Transforms/Passes.h"

using namespace mlir;
using namespace attn;

namespace attn {
#define GEN_PASS_DEF_SETTARGETPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

namespace {

struct SetTargetPass : attn::impl::SetTargetPassBase<SetTargetPass> {
  using SetTargetPassBase::SetTargetPassBase;

  void runOnOperation() override {
    llvm::Expected<TargetDescription> description =
        parseTargetDescription(target);
    if (!description) {
      getOperation().emitError() << llvm::toString(description.takeError());
      return signalPassFailure();
    }
    description->threads = threads;
    if (failed(setTarget(getOperation(), *description)))
      signalPassFailure();
  }
};

} // namespace
