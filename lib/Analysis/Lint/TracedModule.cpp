//===- TracedModule.cpp - A copy that knows what it is made of ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlatFunction.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace attn::lint_checks {

/// An op of no dialect: nothing is known of it, so that it stays.
static constexpr StringLiteral kNameOp = "lint.name";
static constexpr StringLiteral kIndex = "index";

TracedModule::TracedModule(ModuleOp module) {
  IRMapping scope;
  copy = cast<ModuleOp>(module->clone(scope));
  OpBuilder builder(module.getContext());
  module.walk([&](Operation *op) {
    Operation *traced = scope.lookup(op);
    traced->setLoc(OpaqueLoc::get<Operation *>(op, op->getLoc()));
    builder.setInsertionPointAfter(traced);
    for (auto [value, name] : llvm::zip(traced->getResults(), op->getResults()))
      addName(builder, value, name);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        builder.setInsertionPointToStart(scope.lookup(&block));
        for (BlockArgument name : block.getArguments())
          addName(builder, scope.lookup(name), name);
      }
  });
}

void TracedModule::addName(OpBuilder &builder, Value value, Value name) {
  if (!isa<RankedTensorType>(value.getType()))
    return;
  OperationState state(builder.getUnknownLoc(), kNameOp);
  state.addOperands(value);
  state.addAttribute(kIndex, builder.getIndexAttr(int64_t(names.size())));
  builder.create(state);
  names.push_back(name);
}

Value TracedModule::getName(Operation *op) const {
  if (op->getName().getStringRef() != kNameOp)
    return {};
  return names[op->getAttrOfType<IntegerAttr>(kIndex).getInt()];
}

Operation *TracedModule::getOrigin(Operation *op) {
  Operation *origin = nullptr;
  op->getLoc()->walk([&](Location location) {
    origin = OpaqueLoc::getUnderlyingLocationOrNull<Operation *>(location);
    return origin ? WalkResult::interrupt() : WalkResult::advance();
  });
  return origin;
}

} // namespace attn::lint_checks
