//===- Report.cpp - Reports of analyses as text, JSON and HTML ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/Report.h"
#include "attn/Support/OutputFiles.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

/// Writes one form.
static LogicalResult writeForm(Location loc, StringRef path,
                               function_ref<void(raw_ostream &)> write) {
  if (path.empty())
    return success();
  std::string content;
  llvm::raw_string_ostream stream(content);
  write(stream);
  if (llvm::Error error = attn::writeOutput(path, std::move(content)))
    return emitError(loc) << "cannot write "
                          << llvm::toString(std::move(error));
  return success();
}

LogicalResult attn::writeReports(Location loc, const ReportFiles &files,
                                 const ReportForms &forms) {
  auto writeText = [&](raw_ostream &os) {
    ReportPage page(os);
    forms.page(page);
  };
  auto writeHtml = [&](raw_ostream &os) {
    ReportPage page(os, forms.title);
    forms.page(page);
  };
  auto writeJson = [&](raw_ostream &os) {
    llvm::json::OStream json(os, /*IndentSize=*/1);
    forms.json(json);
    json.flush();
    os << '\n';
  };
  if (files.text.empty() && files.json.empty() && files.html.empty()) {
    writeText(llvm::errs());
    return success();
  }
  return success(succeeded(writeForm(loc, files.text, writeText)) &&
                 succeeded(writeForm(loc, files.json, writeJson)) &&
                 succeeded(writeForm(loc, files.html, writeHtml)));
}

std::string attn::describeLocation(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return isa<UnknownLoc>(name.getChildLoc())
               ? name.getName().str()
               : describeLocation(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    return fused.getLocations().empty()
               ? "unknown"
               : describeLocation(fused.getLocations().front());
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return describeLocation(call.getCallee());
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
        .str();
  return "unknown";
}

std::string attn::getFunctionName(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    function = op->getParentOfType<FunctionOpInterface>();
  return function ? function.getName().str() : "";
}

std::string attn::printAttribute(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

void attn::writeNumbers(llvm::json::OStream &json,
                        ArrayRef<std::pair<StringRef, double>> numbers) {
  for (auto [key, number] : numbers)
    json.attribute(key, toJSON(number));
}
