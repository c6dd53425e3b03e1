//===- ReportPage.cpp - Pages of reports, as text and as HTML -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Support/ReportPage.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace attn;
using llvm::raw_ostream;
using llvm::StringRef;

namespace {

constexpr const char kStyle[] = R"(
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #5b6470; --rule: #d8dde3; --page: #ffffff; --panel: #f6f8fa;
  --c0: #0b62c4; --c1: #c2410c; --c2: #15803d; --c3: #7e22ce; --c4: #7a6a00; --c5: #0e7490; --c6: #be185d; --c7: #4d5562; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #9aa4b0; --rule: #343b44; --page: #14171b; --panel: #1c2026;
  --c0: #6cb0ff; --c1: #ff9a6b; --c2: #5fd38d; --c3: #c99bff; --c4: #f0c04f; --c5: #58cfe6; --c6: #ff8dbf; --c7: #b7c0cb; } }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
p { max-width: 46rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13.5px; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th { color: var(--soft); font-weight: 600; } th:first-child, td:first-child { text-align: left; }
svg { width: 100%; min-width: 36rem; height: auto; background: var(--panel); border-radius: 6px; }
svg text { fill: var(--soft); font: 12px system-ui, sans-serif; } svg .title { fill: var(--ink); font-weight: 600; font-size: 14px; }
pre { background: var(--panel); border-radius: 6px; padding: .6rem; overflow: auto; max-height: 40rem; font: 12.5px/1.4 ui-monospace, monospace; }
pre .line { color: var(--soft); user-select: none; } pre .note { color: var(--c1); white-space: pre-wrap; }
.versions { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; width: calc(100vw - 4rem); margin-left: calc(50% - 50vw + 2rem); }
.versions pre { max-height: 80vh; }
@media (max-width: 50rem) { .versions { grid-template-columns: 1fr; width: auto; margin-left: 0; } body { margin: 1rem auto; } }
svg .grid { stroke: var(--rule); stroke-width: 1; } svg .line { fill: none; stroke-width: 2; }
)";

/// A range of values and where it lies on the page, linear or logarithmic.
class Axis {
public:
  Axis(double low, double high, double from, double to, bool logarithmic)
      : from(from), to(to), logarithmic(logarithmic) {
    if (!logarithmic) {
      double margin = high > low ? 0.05 * (high - low) : 1.0;
      low -= margin, high += margin;
    } else if (!(high > low)) {
      low /= 2, high *= 2;
    }
    this->low = low, this->high = high;
  }
  double place(double value) const {
    double t = logarithmic ? std::log(value / low) / std::log(high / low)
                           : (value - low) / (high - low);
    return from + t * (to - from);
  }
  /// Round numbers within the range, not more than about ten.
  llvm::SmallVector<double> getTicks() const {
    llvm::SmallVector<double> ticks;
    if (logarithmic) {
      // Powers of 2 over a short range, of 10 over a long one.
      double base = high / low < 1e4 ? 2.0 : 10.0;
      double first = std::ceil(std::log(low) / std::log(base) - 1e-9);
      double last = std::floor(std::log(high) / std::log(base) + 1e-9);
      double step = std::max(1.0, std::ceil((last - first) / 10));
      for (double power = first; power <= last; power += step)
        ticks.push_back(std::pow(base, power));
      return ticks;
    }
    double rough = (high - low) / 6;
    double unit = std::pow(10.0, std::floor(std::log10(rough)));
    double step = unit * (rough / unit < 1.5   ? 1
                          : rough / unit < 3.5 ? 2
                          : rough / unit < 7.5 ? 5
                                               : 10);
    for (double tick = std::ceil(low / step) * step; tick <= high; tick += step)
      ticks.push_back(std::fabs(tick) < step * 1e-9 ? 0.0 : tick);
    return ticks;
  }

private:
  double low, high, from, to;
  bool logarithmic;
};

constexpr double kWidth = 760, kHeight = 400, kLeft = 64, kRight = 736,
                 kTop = 40, kBottom = 350, kLegendRow = 19;

/// Draws one chart as SVG.
class ChartWriter {
public:
  ChartWriter(raw_ostream &os, const Chart &chart)
      : os(os), chart(chart), x(makeAxis(false)), y(makeAxis(true)) {}

  void write() {
    auto isNamed = [](const ChartSeries &series) {
      return !series.name.empty();
    };
    double legend = kLegendRow * double(llvm::count_if(chart.series, isNamed));
    os << "<svg viewBox=\"0 0 " << kWidth << ' ' << kHeight + legend + 8
       << "\" role=\"img\" aria-label=\"";
    llvm::printHTMLEscaped(chart.title, os);
    os << "\">\n";
    writeText(kLeft, 24, chart.title, "class=\"title\"");
    writeFrame();
    for (const ChartSeries &series : chart.series)
      writeSeries(series);
    writeLegend();
    os << "</svg>\n";
  }

private:
  static bool isDrawn(const std::pair<double, double> &point,
                      const Chart &chart) {
    return std::isfinite(point.first) && std::isfinite(point.second) &&
           (!chart.logarithmicX || point.first > 0) &&
           (!chart.logarithmicY || point.second > 0);
  }

  Axis makeAxis(bool vertical) const {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const ChartSeries &series : chart.series)
      for (const auto &point : series.points) {
        if (!isDrawn(point, chart))
          continue;
        double value = vertical ? point.second : point.first;
        low = std::min(low, value), high = std::max(high, value);
      }
    if (!(low <= high))
      low = high = 1.0;
    return vertical ? Axis(low, high, kBottom, kTop, chart.logarithmicY)
                    : Axis(low, high, kLeft, kRight, chart.logarithmicX);
  }

  void writeText(double left, double base, StringRef text, StringRef style) {
    os << "<text x=\"" << llvm::format("%.1f", left) << "\" y=\""
       << llvm::format("%.1f", base) << "\" " << style << '>';
    llvm::printHTMLEscaped(text, os);
    os << "</text>\n";
  }

  void writeGridLine(double x1, double y1, double x2, double y2) {
    os << llvm::format("<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" "
                       "x2=\"%.1f\" y2=\"%.1f\"/>\n",
                       x1, y1, x2, y2);
  }

  void writeFrame() {
    for (double tick : x.getTicks()) {
      writeGridLine(x.place(tick), kTop, x.place(tick), kBottom);
      writeText(x.place(tick), kBottom + 18, formatNumber(tick, 6),
                "text-anchor=\"middle\"");
    }
    for (double tick : y.getTicks()) {
      writeGridLine(kLeft, y.place(tick), kRight, y.place(tick));
      writeText(kLeft - 8, y.place(tick) + 4, formatNumber(tick, 4),
                "text-anchor=\"end\"");
    }
    writeText((kLeft + kRight) / 2, kBottom + 40, chart.xLabel,
              "text-anchor=\"middle\"");
    std::string turned;
    llvm::raw_string_ostream(turned)
        << "text-anchor=\"middle\" transform=\"rotate(-90 16 "
        << (kTop + kBottom) / 2 << ")\"";
    writeText(16, (kTop + kBottom) / 2, chart.yLabel, turned);
  }

  static std::string getColor(const ChartSeries &series) {
    return "var(--c" + std::to_string(series.color % 8) + ")";
  }

  static StringRef getDashes(const ChartSeries &series) {
    return series.style == ChartSeries::Style::Dashes
               ? " stroke-dasharray=\"5 4\""
               : "";
  }

  void writeSeries(const ChartSeries &series) {
    std::string color = getColor(series);
    if (series.style != ChartSeries::Style::Dots) {
      os << "<polyline class=\"line\" style=\"stroke:" << color << '"'
         << getDashes(series) << " points=\"";
      for (const auto &point : series.points)
        if (isDrawn(point, chart))
          os << llvm::format("%.1f,%.1f ", x.place(point.first),
                             y.place(point.second));
      os << "\"/>\n";
    }
    // Dots carry the numbers as tooltips.
    for (const auto &point : series.points) {
      if (!isDrawn(point, chart))
        continue;
      bool shown = series.style == ChartSeries::Style::Dots;
      os << llvm::format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" ",
                         x.place(point.first), y.place(point.second),
                         shown ? 3.5 : 5.0)
         << "style=\"fill:" << (shown ? color : "transparent") << "\"><title>";
      llvm::printHTMLEscaped(series.name, os);
      os << ": " << formatNumber(point.first, 8) << ", "
         << formatNumber(point.second, 5) << "</title></circle>\n";
    }
  }

  /// One row for each series that has a name, below the chart.
  void writeLegend() {
    double base = kHeight + 8;
    for (const ChartSeries &series : chart.series) {
      if (series.name.empty())
        continue;
      std::string color = getColor(series);
      if (series.style == ChartSeries::Style::Dots)
        os << llvm::format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" ",
                           kLeft + 12, base - 4)
           << "style=\"fill:" << color << "\"/>\n";
      else
        os << llvm::format("<line class=\"line\" x1=\"%.1f\" y1=\"%.1f\" "
                           "x2=\"%.1f\" y2=\"%.1f\" ",
                           kLeft, base - 4, kLeft + 24, base - 4)
           << "style=\"stroke:" << color << '"' << getDashes(series) << "/>\n";
      writeText(kLeft + 34, base, series.name, "");
      base += kLegendRow;
    }
  }

  raw_ostream &os;
  const Chart &chart;
  Axis x, y;
};

} // namespace

std::string attn::formatNumber(double number, int digits) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*g", digits, number);
  return text;
}

static void writeElement(raw_ostream &os, StringRef tag, StringRef text) {
  os << '<' << tag << '>';
  llvm::printHTMLEscaped(text, os);
  os << "</" << tag << '>';
}

ReportPage::ReportPage(raw_ostream &os, StringRef title)
    : os(os), isHtml(!title.empty()), begin(os.tell()) {
  if (!isHtml)
    return;
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n";
  writeElement(os, "title", title);
  os << "\n<style>" << kStyle << "</style>\n</head>\n<body>\n";
  writeElement(os, "h1", title);
  os << '\n';
}

ReportPage::~ReportPage() {
  if (isHtml)
    os << "</body>\n</html>\n";
}

void ReportPage::addHeading(StringRef text) {
  if (isHtml)
    writeElement(os, "h2", text);
  else
    os << (os.tell() > begin ? "\n" : "") << text;
  os << '\n';
}

void ReportPage::addParagraph(StringRef text) {
  if (isHtml)
    writeElement(os, "p", text);
  else
    os << "  " << text;
  os << '\n';
}

/// Columns wide enough for what is in them, numbers to the right.
static void writeTextTable(raw_ostream &os, const ReportRow &header,
                           llvm::ArrayRef<ReportRow> rows) {
  llvm::SmallVector<size_t> widths;
  auto forEachRow = [&](llvm::function_ref<void(const ReportRow &)> visit) {
    visit(header);
    llvm::for_each(rows, visit);
  };
  forEachRow([&](const ReportRow &row) {
    widths.resize(std::max(widths.size(), row.size()));
    for (auto [width, cell] : llvm::zip(widths, row))
      width = std::max(width, cell.size());
  });
  forEachRow([&](const ReportRow &row) {
    std::string line = " ";
    for (auto [width, cell] : llvm::zip(widths, row)) {
      std::string space(width - cell.size(), ' ');
      bool isNumber = !cell.empty() && (llvm::isDigit(cell[0]) ||
                                        (cell[0] == '-' && cell.size() > 1));
      line += ' ' + (isNumber ? space + cell : cell + space) + ' ';
    }
    os << StringRef(line).rtrim() << '\n';
  });
}

void ReportPage::addTable(const ReportRow &header,
                          llvm::ArrayRef<ReportRow> rows) {
  if (!isHtml)
    return writeTextTable(os, header, rows);
  auto addRow = [&](const ReportRow &cells, StringRef tag) {
    os << "<tr>";
    for (const std::string &cell : cells)
      writeElement(os, tag, cell);
    os << "</tr>\n";
  };
  os << "<div class=\"wide\"><table>\n";
  addRow(header, "th");
  for (const ReportRow &row : rows)
    addRow(row, "td");
  os << "</table></div>\n";
}

void ReportPage::addChart(const Chart &chart) {
  if (!isHtml)
    return;
  os << "<div class=\"wide\">\n";
  ChartWriter(os, chart).write();
  os << "</div>\n";
}

void ReportPage::addSource(StringRef source, const LineNotes &notes) {
  llvm::SmallVector<StringRef> lines;
  source.rtrim('\n').split(lines, '\n');
  if (isHtml)
    os << "<pre>";
  for (auto [index, line] : llvm::enumerate(lines)) {
    auto found = notes.find(static_cast<unsigned>(index) + 1);
    if (!isHtml && found == notes.end())
      continue;
    if (isHtml)
      os << "<span class=\"line\">" << llvm::format("%5zu  ", index + 1)
         << "</span>";
    else
      os << llvm::format("%5zu  ", index + 1);
    isHtml ? llvm::printHTMLEscaped(line, os) : void(os << line);
    os << '\n';
    if (found == notes.end())
      continue;
    for (const std::string &note : found->second) {
      os << (isHtml ? "<span class=\"note\">       " : "       ");
      isHtml ? llvm::printHTMLEscaped(note, os) : void(os << note);
      os << (isHtml ? "</span>\n" : "\n");
    }
  }
  if (isHtml)
    os << "</pre>\n";
}

/// The text of a pane is that of its list's choice.
static constexpr const char kChoose[] = R"(<script>
for (const pane of document.querySelectorAll('.versions > div')) {
  const list = pane.querySelector('select'), text = pane.querySelector('pre');
  const show = () => { text.textContent = document.getElementById(list.value).content.textContent; };
  list.addEventListener('change', show);
  show();
}
</script>
)";

void ReportPage::addVersions(
    llvm::ArrayRef<std::pair<std::string, std::string>> texts) {
  if (!isHtml || texts.empty())
    return;
  for (auto [index, version] : llvm::enumerate(texts)) {
    os << "<template id=\"version" << index << "\">";
    llvm::printHTMLEscaped(version.second, os);
    os << "</template>\n";
  }
  os << "<div class=\"versions\">\n";
  for (size_t pane = 0; pane < 2; ++pane) {
    os << "<div><select aria-label=\"version\">";
    for (auto [index, version] : llvm::enumerate(texts)) {
      bool isFirst = index == std::min(pane, texts.size() - 1);
      os << "<option value=\"version" << index
         << (isFirst ? "\" selected>" : "\">");
      llvm::printHTMLEscaped(version.first, os);
      os << "</option>";
    }
    os << "</select><pre></pre></div>\n";
  }
  os << "</div>\n" << kChoose;
}
