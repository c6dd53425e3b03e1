//===- HtmlPage.h - One self-contained page with charts ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pages of reports: headings, text, tables and line charts as inline SVG. A
// page needs nothing from the network and follows the reader's choice of light
// or dark.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_ANALYSIS_HTMLPAGE_H
#define ATTN_ANALYSIS_HTMLPAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <utility>

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
  llvm::SmallVector<ChartSeries> series;
};

/// Writes a page to a stream; its end when it is destroyed.
class HtmlPage {
public:
  HtmlPage(llvm::raw_ostream &os, llvm::StringRef title);
  ~HtmlPage();
  HtmlPage(const HtmlPage &) = delete;
  HtmlPage &operator=(const HtmlPage &) = delete;

  void addHeading(llvm::StringRef text);
  void addParagraph(llvm::StringRef text);
  void addTable(llvm::ArrayRef<std::string> header,
                llvm::ArrayRef<llvm::SmallVector<std::string>> rows);
  void addChart(const Chart &chart);

private:
  llvm::raw_ostream &os;
};

} // namespace attn

#endif // ATTN_ANALYSIS_HTMLPAGE_H
