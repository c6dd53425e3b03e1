//===- Report.h - Reports of analyses as text, JSON and HTML ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_ANALYSIS_REPORT_H
#define ATTN_ANALYSIS_REPORT_H

#include "attn/Support/ReportPage.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <string>

namespace mlir {
class Operation;
} // namespace mlir

namespace attn {

/// The files of a report, "-" for standard output, empty for none.
struct ReportFiles {
  std::string text, json, html;
};

/// What writes a report: a page, as text and as HTML, and JSON.
struct ReportForms {
  /// Of the HTML page.
  llvm::StringRef title;
  llvm::function_ref<void(ReportPage &)> page;
  llvm::function_ref<void(llvm::json::OStream &)> json;
};

/// Writes the forms that are asked for, the text to standard error if none is.
/// Fails with an error at `loc` when a file cannot be written.
llvm::LogicalResult writeReports(mlir::Location loc, const ReportFiles &files,
                                 const ReportForms &forms);

/// Where an op is, for people: file:line:column, or a name, or "unknown".
std::string describeLocation(mlir::Location loc);

/// The function an op is in, "" where there is none.
std::string getFunctionName(mlir::Operation *op);

/// An attribute as it is written.
std::string printAttribute(mlir::Attribute attribute);

/// The attribute `key`: an array of one object for each of `range`, in which
/// `write` writes attributes.
template <typename RangeT, typename WriteT>
void writeObjects(llvm::json::OStream &json, llvm::StringRef key,
                  const RangeT &range, WriteT write) {
  json.attributeArray(key, [&] {
    for (const auto &one : range)
      json.object([&] { write(one); });
  });
}

/// JSON has no infinity and no NaN: null.
inline llvm::json::Value toJSON(double number) {
  return std::isfinite(number) ? llvm::json::Value(number)
                               : llvm::json::Value(nullptr);
}

/// Attributes that are numbers.
void writeNumbers(llvm::json::OStream &json,
                  llvm::ArrayRef<std::pair<llvm::StringRef, double>> numbers);

} // namespace attn

#endif // ATTN_ANALYSIS_REPORT_H
