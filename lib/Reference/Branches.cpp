//===- Branches.cpp - scf.if in element bodies ----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A branch is a program of its own that runs on the lanes which take it, side
// by side: what it reads may not exist for the others.
//
//===----------------------------------------------------------------------===//

#include "ElementOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attn::reference::detail {

namespace {

/// One value that goes into a branch, or comes out of it.
struct Transfer {
  unsigned outside, inside;
  bool isFloat;
};

class Branch {
public:
  Branch(ScalarProgram &outside, ScalarProgram::Lookup lookup)
      : outside(outside), lookup(lookup), program(outside.getRounding()) {}

  /// `results` are the registers outside that the branch gives values for.
  LogicalResult compile(Region &region, ArrayRef<unsigned> results);
  void run(Frame &frame, ArrayRef<int64_t> lanes);

private:
  LogicalResult importValues(Region &region);

  ScalarProgram &outside;       // while compiling
  ScalarProgram::Lookup lookup; // while compiling
  ScalarProgram program;
  Frame inner;
  SmallVector<Transfer> imports, exports;
};

bool isFloat(Value value) { return isa<FloatType>(value.getType()); }

} // namespace

/// Scalars from outside of the region.
LogicalResult Branch::importValues(Region &region) {
  llvm::SetVector<Value> values;
  region.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (!isa<ShapedType>(operand.getType()) &&
          !region.isAncestor(operand.getParentRegion()))
        values.insert(operand);
  });
  for (Value value : values) {
    FailureOr<unsigned> from = outside.getRegister(value, lookup);
    if (failed(from))
      return emitError(value.getLoc(),
                       "the reference cannot find a value of this branch");
    imports.push_back({*from, program.bind(value), isFloat(value)});
  }
  return success();
}

LogicalResult Branch::compile(Region &region, ArrayRef<unsigned> results) {
  if (region.empty())
    return success();
  Block &block = region.front();
  if (failed(importValues(region)) ||
      failed(program.compileBlock(block, lookup)))
    return failure();
  for (auto [value, result] :
       llvm::zip_equal(block.getTerminator()->getOperands(), results)) {
    FailureOr<unsigned> reg = program.getRegister(value, lookup);
    if (failed(reg))
      return block.getTerminator()->emitError(
          "the reference cannot find the yielded value");
    exports.push_back({result, *reg, isFloat(value)});
  }
  inner = program.makeFrame();
  return success();
}

template <typename T>
static void gather(const T *from, T *to, ArrayRef<int64_t> lanes) {
  for (auto [i, lane] : llvm::enumerate(lanes))
    to[i] = from[lane];
}

template <typename T>
static void scatter(const T *from, T *to, ArrayRef<int64_t> lanes) {
  for (auto [i, lane] : llvm::enumerate(lanes))
    to[lane] = from[i];
}

void Branch::run(Frame &frame, ArrayRef<int64_t> lanes) {
  if (lanes.empty() || frame.fault)
    return;
  for (const Transfer &value : imports)
    if (value.isFloat)
      gather(frame.read<double>(value.outside),
             inner.write<double>(value.inside), lanes);
    else
      gather(frame.read<int64_t>(value.outside),
             inner.write<int64_t>(value.inside), lanes);
  program.run(inner, lanes.size());
  frame.fault = inner.fault;
  for (const Transfer &value : exports)
    if (value.isFloat)
      scatter(inner.read<double>(value.inside),
              frame.write<double>(value.outside), lanes);
    else
      scatter(inner.read<int64_t>(value.inside),
              frame.write<int64_t>(value.outside), lanes);
}

LogicalResult emitBranch(ScalarProgram &program, scf::IfOp op,
                         ScalarProgram::Lookup lookup) {
  for (Value result : op->getResults())
    if (!isSupportedElementType(result.getType()))
      return op.emitError("the reference needs scalars as results of a branch "
                          "in an element body");
  FailureOr<unsigned> condition =
      program.getRegister(op.getCondition(), lookup);
  if (failed(condition))
    return op.emitError("the reference cannot interpret this condition here");
  auto first = std::make_shared<Branch>(program, lookup);
  auto second = std::make_shared<Branch>(program, lookup);
  SmallVector<unsigned> results;
  for (Value result : op->getResults())
    results.push_back(program.define(result));
  if (failed(first->compile(op.getThenRegion(), results)) ||
      failed(second->compile(op.getElseRegion(), results)))
    return failure();
  program.append([=, from = *condition](Frame &frame, int64_t count) {
    SmallVector<int64_t> taken, others;
    const int64_t *conditions = frame.read<int64_t>(from);
    for (int64_t lane = 0; lane < count; ++lane)
      (conditions[lane] != 0 ? taken : others).push_back(lane);
    first->run(frame, taken);
    second->run(frame, others);
  });
  return success();
}

} // namespace attn::reference::detail
