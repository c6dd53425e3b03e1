//===- AnalyzeWork.cpp - Parameters, operations and bytes of each op ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/Passes.h"
#include "attn/Analysis/Report.h"
#include "attn/Analysis/Work.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

#include <cmath>

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ANALYZEWORKPASS
#include "attn/Analysis/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

using Count = std::optional<double>;

/// Counts are whole numbers; a double holds them to 2^53.
std::string print(Count count) {
  if (!count)
    return "?";
  return std::fabs(*count) < 9e15 ? std::to_string(int64_t(*count))
                                  : formatNumber(*count, 6);
}

struct NamedWork {
  std::string name;
  FunctionWork work;
  std::optional<OpWork> withCalls;
};

std::string describeNotCounted(const FunctionWork &work) {
  llvm::MapVector<StringRef, int> counts;
  for (Operation *op : work.notCounted)
    ++counts[op->getName().getStringRef()];
  std::string text;
  for (auto [name, count] : counts) {
    text += (text.empty() ? "" : ", ") + name.str();
    if (count > 1)
      text += " (" + std::to_string(count) + " times)";
  }
  return text;
}

void writeCounts(llvm::json::OStream &json, const OpWork &one) {
  for (auto [key, count] :
       {std::pair("parameters", one.parameters), std::pair("flops", one.flops),
        std::pair("bytes", one.bytes)})
    if (count)
      json.attribute(key, *count);
}

void writeOp(llvm::json::OStream &json, Operation *op) {
  json.attribute("op", op->getName().getStringRef());
  json.attribute("location", describeLocation(op->getLoc()));
}

void writeJson(llvm::json::OStream &json, ArrayRef<NamedWork> functions,
               int64_t unknownSize) {
  json.object([&] {
    writeObjects(json, "functions", functions, [&](const NamedWork &function) {
      json.attribute("name", function.name);
      writeObjects(json, "ops", function.work.ops, [&](const OpWork &one) {
        writeOp(json, one.op);
        writeCounts(json, one);
      });
      json.attributeObject("total",
                           [&] { writeCounts(json, function.work.total); });
      if (function.withCalls)
        json.attributeObject("total_with_calls",
                             [&] { writeCounts(json, *function.withCalls); });
      writeObjects(json, "not_counted", function.work.notCounted,
                   [&](Operation *op) { writeOp(json, op); });
      if (function.work.hasGuessed)
        json.attribute("unknown_size", unknownSize);
    });
  });
}

void writePage(ReportPage &page, ArrayRef<NamedWork> functions,
               int64_t unknownSize) {
  for (const NamedWork &function : functions) {
    page.addHeading("@" + function.name);
    SmallVector<ReportRow> rows;
    auto addRow = [&](StringRef name, const OpWork &one, std::string at) {
      rows.push_back({name.str(), print(one.parameters), print(one.flops),
                      print(one.bytes), std::move(at)});
    };
    for (const OpWork &one : function.work.ops)
      addRow(one.op->getName().getStringRef(), one,
             describeLocation(one.op->getLoc()));
    addRow("total", function.work.total, "");
    if (function.withCalls)
      addRow("total with calls", *function.withCalls, "");
    page.addTable({"op", "parameters", "flops", "bytes", "location"}, rows);
    std::string left = describeNotCounted(function.work);
    if (!left.empty())
      page.addParagraph("not counted: " + left);
    if (function.work.hasGuessed)
      page.addParagraph("assumed: sizes that are not known are " +
                        std::to_string(unknownSize));
  }
}

struct AnalyzeWorkPass : attn::impl::AnalyzeWorkPassBase<AnalyzeWorkPass> {
  using Base::Base;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (unknownSize < 1) {
      emitError(getOperation().getLoc(),
                "attn-analyze-work: unknown-size must be positive");
      return signalPassFailure();
    }
    std::vector<NamedWork> functions;
    SymbolTableCollection symbols;
    getOperation()->walk([&](FunctionOpInterface function) {
      if (function.isExternal())
        return;
      functions.push_back({function.getName().str(),
                           computeWork(function, unknownSize.getValue()),
                           std::nullopt});
      auto caller = dyn_cast<func::FuncOp>(function.getOperation());
      Operation *table = SymbolTable::getNearestSymbolTable(function);
      if (!caller || !table)
        return;
      functions.back().withCalls = computeWorkOfCalls(
          caller, symbols.getSymbolTable(table), unknownSize.getValue());
    });
    auto page = [&](ReportPage &page) {
      writePage(page, functions, unknownSize);
    };
    auto numbers = [&](llvm::json::OStream &out) {
      writeJson(out, functions, unknownSize);
    };
    if (failed(
            writeReports(getOperation().getLoc(), {text, json, html},
                         {"Parameters, operations and bytes", page, numbers})))
      signalPassFailure();
  }
};

} // namespace
