//===- ReportPage.h - Pages of reports, as text and as HTML -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pages of reports: headings, text, tables and line charts. As HTML a page
// needs nothing from the network, has its charts as inline SVG, and follows the
// reader's choice of light or dark; as text it has no charts.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_SUPPORT_REPORTPAGE_H
#define ATTN_SUPPORT_REPORTPAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace attn {

/// One line of a chart.
struct ChartSeries {
  /// Empty: not in the legend.
  std::string name;
  llvm::SmallVector<std::pair<double, double>> points;
  /// The colour, one of eight; series of one thing share it.
  unsigned color = 0;
  /// How points are drawn: joined, joined by dashes, or as dots only.
  enum class Style { Line, Dashes, Dots } style = Style::Line;
};

struct Chart {
  std::string title, xLabel, yLabel;
  bool logarithmicX = false, logarithmicY = false;
  llvm::SmallVector<ChartSeries> series = {};
};

/// The cells of a row of a table.
using ReportRow = llvm::SmallVector<std::string>;

/// What is to be said of a text, by line from 1.
using LineNotes = std::map<unsigned, std::vector<std::string>>;

/// A number with `digits` significant digits, as short as that allows.
std::string formatNumber(double number, int digits = 4);

/// Writes a page to a stream; its end when it is destroyed.
class ReportPage {
public:
  /// Of text, if it has no title.
  explicit ReportPage(llvm::raw_ostream &os, llvm::StringRef title = "");
  ~ReportPage();
  ReportPage(const ReportPage &) = delete;
  ReportPage &operator=(const ReportPage &) = delete;

  void addHeading(llvm::StringRef text);
  void addParagraph(llvm::StringRef text);
  void addTable(const ReportRow &header, llvm::ArrayRef<ReportRow> rows);
  void addChart(const Chart &chart);
  /// Lines with their numbers, and notes below theirs. As text only the lines
  /// that have notes.
  void addSource(llvm::StringRef source, const LineNotes &notes);
  /// Two of several versions of a text side by side, by name and text; which
  /// ones the reader chooses. Nothing as text.
  void addVersions(llvm::ArrayRef<std::pair<std::string, std::string>> texts);

private:
  llvm::raw_ostream &os;
  bool isHtml;
  uint64_t begin;
};

} // namespace attn

#endif // ATTN_SUPPORT_REPORTPAGE_H
