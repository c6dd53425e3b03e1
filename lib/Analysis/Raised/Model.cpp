//===- Model.cpp - Everything that the report on raising says -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

using namespace mlir;
using namespace attn;

static void addLeft(RaisedFunction &function, const RaisedRow &row) {
  ++function.left;
  function.leftFlops += row.flops.value_or(0);
  function.leftBytes += row.bytes.value_or(0);
  function.leftCycles += row.cycles.value_or(0);
}

RaisedModel::RaisedModel(Operation *module, const RaiseReportInput &input)
    : target(getReportTarget(module)), input(input) {
  module->walk([&](FunctionOpInterface op) {
    if (op.isExternal())
      return;
    RaisedFunction function;
    function.name = op.getName().str();
    function.rows = collectRows(op, input.unknownSize, target);
    ArrayRef<RaisedRow> rows = function.rows.rows;
    if (rows.empty())
      return;
    function.layers = findLayers(rows);
    function.reasons = findReasons(rows, input.remarks);
    if (auto before = input.before.find(function.name);
        before != input.before.end())
      function.before = before->second;
    for (const RaisedRow &row : rows) {
      if (row.isLeft)
        addLeft(function, row);
      else
        ++function.raised[row.op->getName().getStringRef().str()];
    }
    functions.push_back(std::move(function));
  });
}
