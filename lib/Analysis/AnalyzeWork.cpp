//===- AnalyzeWork.cpp - Parameters, operations and bytes of each op ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/HtmlPage.h"
#include "attn/Analysis/Passes.h"
#include "attn/Analysis/Report.h"
#include "attn/Analysis/Work.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

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

void writeText(raw_ostream &os, ArrayRef<NamedWork> functions) {
  for (const NamedWork &function : functions) {
    os << "@" << function.name << '\n';
    os << llvm::formatv("  {0,-24} {1,14} {2,18} {3,16}  {4}\n", "op",
                        "parameters", "flops", "bytes", "location");
    auto writeRow = [&](StringRef name, const OpWork &one, StringRef at) {
      std::string row = llvm::formatv("  {0,-24} {1,14} {2,18} {3,16}  {4}",
                                      name, print(one.parameters),
                                      print(one.flops), print(one.bytes), at);
      os << StringRef(row).rtrim() << '\n';
    };
    for (const OpWork &one : function.work.ops)
      writeRow(one.op->getName().getStringRef(), one,
               describeLocation(one.op->getLoc()));
    writeRow("total", function.work.total, "");
    std::string left = describeNotCounted(function.work);
    if (!left.empty())
      os << "  not counted: " << left << '\n';
  }
}

void writeCounts(llvm::json::OStream &json, const OpWork &one) {
  auto write = [&](StringRef key, Count count) {
    if (count)
      json.attribute(key, *count);
  };
  write("parameters", one.parameters);
  write("flops", one.flops);
  write("bytes", one.bytes);
}

void writeJson(llvm::json::OStream &json, ArrayRef<NamedWork> functions) {
  json.object([&] {
    json.attributeArray("functions", [&] {
      for (const NamedWork &function : functions)
        json.object([&] {
          json.attribute("name", function.name);
          json.attributeArray("ops", [&] {
            for (const OpWork &one : function.work.ops)
              json.object([&] {
                json.attribute("op", one.op->getName().getStringRef());
                json.attribute("location", describeLocation(one.op->getLoc()));
                writeCounts(json, one);
              });
          });
          json.attributeObject("total",
                               [&] { writeCounts(json, function.work.total); });
          json.attributeArray("not_counted", [&] {
            for (Operation *op : function.work.notCounted)
              json.object([&] {
                json.attribute("op", op->getName().getStringRef());
                json.attribute("location", describeLocation(op->getLoc()));
              });
          });
        });
    });
  });
}

void writeHtml(raw_ostream &os, ArrayRef<NamedWork> functions) {
  HtmlPage page(os, "Parameters, operations and bytes");
  for (const NamedWork &function : functions) {
    page.addHeading("@" + function.name);
    SmallVector<SmallVector<std::string>> rows;
    auto addRow = [&](StringRef name, const OpWork &one, std::string at) {
      rows.push_back({name.str(), print(one.parameters), print(one.flops),
                      print(one.bytes), std::move(at)});
    };
    for (const OpWork &one : function.work.ops)
      addRow(one.op->getName().getStringRef(), one,
             describeLocation(one.op->getLoc()));
    addRow("total", function.work.total, "");
    page.addTable({"op", "parameters", "flops", "bytes", "location"}, rows);
    std::string left = describeNotCounted(function.work);
    if (!left.empty())
      page.addParagraph("Not counted: " + left);
  }
}

struct AnalyzeWorkPass : attn::impl::AnalyzeWorkPassBase<AnalyzeWorkPass> {
  using Base::Base;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    SmallVector<NamedWork> functions;
    getOperation()->walk([&](FunctionOpInterface function) {
      if (function.isExternal())
        return;
      SizeEvaluator sizes(function.getFunctionBody().front());
      functions.push_back(
          {function.getName().str(), computeWork(function, sizes)});
    });
    if (failed(writeReports(
            getOperation().getLoc(), {text, json, html},
            {[&](raw_ostream &os) { writeText(os, functions); },
             [&](llvm::json::OStream &out) { writeJson(out, functions); },
             [&](raw_ostream &os) { writeHtml(os, functions); }})))
      signalPassFailure();
  }
};

} // namespace
