//===- NameSteps.cpp - Locations remember what an op was ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Raised/RaiseReport.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attn {
#define GEN_PASS_DEF_NAMESTEPSPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// The name of an op; of a generic one with what it computes.
std::string describe(Operation *op) {
  std::string name = op->getName().getStringRef().str();
  return isa<linalg::GenericOp>(op) ? name + " (" + describeLoop(op) + ")"
                                    : name;
}

struct NameStepsPass : impl::NameStepsPassBase<NameStepsPass> {
  void runOnOperation() override {
    getOperation()->walk<WalkOrder::PreOrder>([](Operation *op) {
      Dialect *dialect = op->getDialect();
      bool isStructured = isa<linalg::LinalgOp>(op);
      if (!isStructured && !isa_and_nonnull<AttnDialect>(dialect))
        return WalkResult::advance();
      op->setLoc(NameLoc::get(StringAttr::get(op->getContext(), describe(op)),
                              op->getLoc()));
      return isStructured ? WalkResult::skip() : WalkResult::advance();
    });
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace attn
