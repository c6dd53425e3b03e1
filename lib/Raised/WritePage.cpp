//===- WritePage.cpp - The report on raising for people -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "attn/Analysis/Report.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace attn;

namespace {

/// Writes the layers of one function.
class LayerWriter {
public:
  LayerWriter(ReportPage &page, const RaisedFunction &function)
      : page(page), function(function), rows(function.rows.rows) {}

  void write();

private:
  /// A line of the table; equal neighbours are one.
  struct Line {
    ReportRow cells;
    /// Where it is, without the numbers of layers in names.
    std::string place;
    size_t count = 1;
    RaisedCost cost;
    bool isKnown = true;
  };

  std::vector<Line> makeLines(const RaisedLayer &layer);
  Line makeLine(size_t row);
  /// The number of a reason below the table, as it is first used.
  std::string cite(const GivenRemark &remark);
  void writeLayer(const RaisedLayer &layer, const std::vector<Line> &lines);
  ReportRow finish(const Line &line) const;

  ReportPage &page;
  const RaisedFunction &function;
  ArrayRef<RaisedRow> rows;
  /// Of the layer; texts and what of them is the same in equal layers.
  std::vector<std::string> cited, citedKeys;
};

} // namespace

std::string LayerWriter::cite(const GivenRemark &one) {
  std::string text = one.id + " " + one.text;
  std::string key = text + getLayerKey(getFrames(one.loc));
  if (std::string at = describe(getFrames(one.loc)); !at.empty())
    text += " (" + at + ")";
  auto known = llvm::find(cited, text);
  size_t number = known - cited.begin() + 1;
  if (known == cited.end()) {
    cited.push_back(text);
    citedKeys.push_back(key);
  }
  return "(" + std::to_string(number) + ")";
}

LayerWriter::Line LayerWriter::makeLine(size_t row) {
  const RaisedRow &one = rows[row];
  const RowReasons &reasons = function.reasons[row];
  Line line;
  std::string why = one.isLeft ? "left" : "";
  if (reasons.why)
    why += " " + cite(*reasons.why);
  // What a raised op lacks is said beside it.
  for (const GivenRemark &remark : reasons.own)
    if (!one.isLeft && !StringRef(remark.text).starts_with("raised "))
      why += (why.empty() ? "" : " ") + cite(remark);
  line.cells = {one.op->getName().getStringRef().str(), one.what, one.type, why,
                describe(one.frames)};
  line.place = getLayerKey(one.frames);
  line.cost.add(one);
  line.isKnown = one.cycles.has_value();
  return line;
}

std::vector<LayerWriter::Line>
LayerWriter::makeLines(const RaisedLayer &layer) {
  cited.clear();
  citedKeys.clear();
  std::vector<Line> lines;
  for (size_t row = layer.begin; row < layer.end; ++row) {
    Line line = makeLine(row);
    if (lines.empty() || lines.back().cells != line.cells) {
      lines.push_back(std::move(line));
      continue;
    }
    Line &last = lines.back();
    ++last.count;
    last.cost.add(rows[row]);
    last.isKnown &= line.isKnown;
  }
  return lines;
}

ReportRow LayerWriter::finish(const Line &line) const {
  const RaisedCost &all = function.rows.cost;
  auto share = [&](double part, double whole) {
    return formatShare(line.isKnown ? std::optional(part) : std::nullopt,
                       whole);
  };
  std::string name = line.cells[0];
  if (line.count > 1)
    name += " x" + std::to_string(line.count);
  return {name,
          line.cells[1],
          line.cells[2],
          share(line.cost.flops, all.flops),
          share(line.cost.bytes, all.bytes),
          share(line.cost.cycles, all.cycles),
          line.cells[3],
          line.cells[4]};
}

void LayerWriter::writeLayer(const RaisedLayer &layer,
                             const std::vector<Line> &lines) {
  double cycles = RaisedCost(function.getRows(layer)).cycles;
  page.addHeading("@" + function.name + ", " + layer.name +
                  (layer.where.empty() ? "" : ", in " + layer.where) + ": " +
                  formatShare(cycles, function.rows.cost.cycles) +
                  " % of the time");
  std::vector<ReportRow> table;
  for (const Line &line : lines)
    table.push_back(finish(line));
  page.addTable(
      {"op", "what", "result", "flops %", "bytes %", "time %", "why", "where"},
      table);
  for (auto [i, reason] : llvm::enumerate(cited))
    page.addParagraph("(" + std::to_string(i + 1) + ") " + reason);
}

void LayerWriter::write() {
  // A layer that reads like another one is a line.
  std::map<std::string, std::string> written;
  for (const RaisedLayer &layer : function.layers.layers) {
    std::vector<Line> lines = makeLines(layer);
    std::string key;
    for (const Line &line : lines)
      key += llvm::join(ArrayRef(finish(line)).drop_back(), "|") + line.place +
             "\n";
    key += llvm::join(citedKeys, "\n");
    auto [like, isNew] = written.try_emplace(key, layer.name);
    if (isNew)
      writeLayer(layer, lines);
    else
      page.addHeading("@" + function.name + ", " + layer.name + ": as " +
                      like->second);
  }
}

static std::string listCounts(const std::map<std::string, int64_t> &counts) {
  std::string text;
  for (const auto &[name, count] : counts)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  return text.empty() ? "none" : text;
}

static std::string describeLayersBy(StringRef by) {
  return llvm::StringSwitch<StringRef>(by)
      .Case("source", "Layers: what repeats at the same places of the source.")
      .Case("structure", "Layers: the same products in the same order.")
      .Case("order", "Parts: each attention begins one; no layers repeat.")
      .Default("One part: no layers repeat.")
      .str();
}

static void writeSummary(ReportPage &page, const RaisedModel &model,
                         const RaisedFunction &function) {
  const RaisedCost &left = function.leftCost, &all = function.rows.cost;
  page.addHeading("@" + function.name);
  if (!function.before.empty())
    page.addParagraph("Before: " + listCounts(function.before) + ".");
  page.addParagraph("Raised: " + listCounts(function.raised) + ".");
  page.addParagraph("Left: " + std::to_string(function.left) + " ops, " +
                    formatShare(left.flops, all.flops) + " % of the flops, " +
                    formatShare(left.bytes, all.bytes) + " % of the bytes, " +
                    formatShare(left.cycles, all.cycles) + " % of the time.");
  page.addParagraph(describeLayersBy(function.layers.by));
  if (function.rows.hasGuessed)
    page.addParagraph("Sizes that are not known are taken for " +
                      std::to_string(model.input.unknownSize) + ".");
}

void attn::writePage(ReportPage &page, const RaisedModel &model) {
  for (const RaisedFunction &function : model.functions) {
    writeSummary(page, model, function);
    LayerWriter(page, function).write();
  }
  page.addHeading("How to read this");
  page.addParagraph(
      "time: estimated for " + model.target.name +
      ", as long as an op's flops or its bytes take at best, whichever is "
      "longer. A left-over loop may be slower than that.");
  page.addParagraph("left: no attn op stands for it; a number is the remark "
                    "that says what was looked for and did not fit. Without "
                    "one nothing was looked for: a sum, a copy, a mask.");
}
