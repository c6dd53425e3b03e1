//===- ReduceOps.cpp - Functions, ops and results that go -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace attn::reduce;

namespace {

class RemoveFunctions : public Reduction {
public:
  StringRef getName() const override { return "functions"; }
  unsigned count(ModuleOp module) override {
    return llvm::range_size(module.getOps<func::FuncOp>());
  }
  LogicalResult apply(ModuleOp module, unsigned choice) override {
    func::FuncOp function =
        *std::next(module.getOps<func::FuncOp>().begin(), choice);
    function.erase();
    return success();
  }
};

/// A result that is not returned any more.
class RemoveResults : public Reduction {
public:
  StringRef getName() const override { return "results"; }
  unsigned count(ModuleOp module) override {
    unsigned count = 0;
    for (auto function : module.getOps<func::FuncOp>())
      count += function.isExternal() ? 0 : function.getNumResults();
    return count;
  }
  LogicalResult apply(ModuleOp module, unsigned choice) override {
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      if (choice < function.getNumResults())
        return remove(function, choice);
      choice -= function.getNumResults();
    }
    return failure();
  }

private:
  static LogicalResult remove(func::FuncOp function, unsigned result) {
    function.walk([&](func::ReturnOp op) { op->eraseOperand(result); });
    return function.eraseResult(result);
  }
};

/// Arguments that nothing uses.
class RemoveArguments : public Reduction {
public:
  StringRef getName() const override { return "arguments"; }
  unsigned count(ModuleOp module) override {
    unsigned count = 0;
    for (auto function : module.getOps<func::FuncOp>())
      count += function.isExternal() ? 0 : function.getNumArguments();
    return count;
  }
  LogicalResult apply(ModuleOp module, unsigned choice) override {
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      if (choice < function.getNumArguments())
        return function.getArgument(choice).use_empty()
                   ? function.eraseArgument(choice)
                   : failure();
      choice -= function.getNumArguments();
    }
    return failure();
  }
};

/// An op whose results become something simpler: an operand of the same type,
/// or else a new argument of the function.
class ReplaceOps : public Reduction {
public:
  enum class By { Operand, Argument };
  explicit ReplaceOps(By by) : by(by) {}

  StringRef getName() const override {
    return by == By::Operand ? "ops by their operands" : "ops by arguments";
  }
  unsigned count(ModuleOp module) override { return collect(module).size(); }
  LogicalResult apply(ModuleOp module, unsigned choice) override {
    // What comes last is nearest to the result: to go back from there is
    // fastest.
    Operation *op = collect(module)[choice];
    for (Value result : op->getResults()) {
      if (result.use_empty())
        continue;
      Value simpler = by == By::Operand ? findOperand(op, result.getType())
                                        : addArgument(op, result);
      if (!simpler)
        return failure();
      result.replaceAllUsesWith(simpler);
    }
    op->erase();
    return success();
  }

private:
  static std::vector<Operation *> collect(ModuleOp module) {
    std::vector<Operation *> ops;
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal())
        for (Operation &op :
             llvm::reverse(function.front().without_terminator()))
          ops.push_back(&op);
    return ops;
  }
  static Value findOperand(Operation *op, Type type) {
    auto found = llvm::find_if(op->getOperands(), [&](Value operand) {
      return operand.getType() == type;
    });
    return found == op->getOperands().end() ? Value() : *found;
  }
  static Value addArgument(Operation *op, Value result) {
    auto function = op->getParentOfType<func::FuncOp>();
    unsigned index = function.getNumArguments();
    // Constants and empty tensors are as simple as arguments.
    if (op->getNumOperands() == 0 ||
        failed(function.insertArgument(index, result.getType(), {},
                                       result.getLoc())))
      return {};
    return function.getArgument(index);
  }

  By by;
};

} // namespace

void attn::reduce::addOpReductions(Reductions &reductions) {
  reductions.push_back(std::make_unique<RemoveFunctions>());
  reductions.push_back(std::make_unique<RemoveResults>());
  reductions.push_back(std::make_unique<ReplaceOps>(ReplaceOps::By::Argument));
  reductions.push_back(std::make_unique<ReplaceOps>(ReplaceOps::By::Operand));
  reductions.push_back(std::make_unique<RemoveArguments>());
}
