//===- RaiseReport.cpp - What raising made of a model ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Raised/RaiseReport.h"
#include "Model.h"
#include "attn/Support/ReportPage.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace attn;

std::optional<GivenRemark> attn::readRemark(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Remark)
    return std::nullopt;
  std::string text = diagnostic.str();
  StringRef rest = text;
  if (!rest.consume_front("[") || !rest.starts_with("attn-r"))
    return std::nullopt;
  auto [id, message] = rest.split("] ");
  return GivenRemark{diagnostic.getLocation(), id.str(), message.str()};
}

OpCounts attn::countStructuredOps(Operation *root) {
  OpCounts counts;
  root->walk([&](FunctionOpInterface function) {
    auto &own = counts[function.getName().str()];
    function.walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::FillOp>(op))
        ++own[op->getName().getStringRef().str()];
    });
  });
  return counts;
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
      if (!row.isLeft) {
        ++function.raised[row.op->getName().getStringRef().str()];
        continue;
      }
      ++function.left;
      function.leftCost.add(row);
    }
    functions.push_back(std::move(function));
  });
}

std::string attn::writeRaiseReport(Operation *module,
                                   const RaiseReportInput &input,
                                   RaiseReportForm form) {
  RaisedModel model(module, input);
  std::string content;
  llvm::raw_string_ostream stream(content);
  if (form == RaiseReportForm::JSON) {
    llvm::json::OStream json(stream, /*IndentSize=*/1);
    writeJson(json, model);
    json.flush();
    stream << '\n';
    return content;
  }
  ReportPage page(stream, form == RaiseReportForm::HTML
                              ? "What raising made of the model"
                              : "");
  writePage(page, model);
  return content;
}
