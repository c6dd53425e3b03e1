//===- AddSink.cpp - A pass of the host compiler --------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddSink.h"
#include "attn/Dialect/Attn/IR/Attn.h"

namespace {

struct AddSinkPass : mlir::PassWrapper<AddSinkPass, mlir::OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AddSinkPass)

  llvm::StringRef getArgument() const override { return "host-add-sink"; }

  void runOnOperation() override {
    // A policy is an attribute, so this is all that a pass has to do.
    getOperation()->walk([](attn::AttentionOp op) {
      if (!llvm::isa<attn::SoftmaxNormAttr>(op.getNormalizer()))
        return;
      op.setNormalizerAttr(attn::Softmax1Attr::get(op.getContext()));
      op.emitRemark("host: softmax became softmax1");
    });
  }
};

} // namespace

std::unique_ptr<mlir::Pass> host::createAddSinkPass() {
  return std::make_unique<AddSinkPass>();
}
