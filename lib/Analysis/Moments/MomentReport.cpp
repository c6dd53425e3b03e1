//===- MomentReport.cpp - Moments as text, JSON and HTML ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/MomentAnalysis.h"
#include "attn/Analysis/Report.h"
#include "attn/Analysis/ResidualBlock.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace mlir;
using namespace attn;

namespace {
/// What the reports say of one function, ready to be written.
class MomentReport {
public:
  explicit MomentReport(const MomentAnalysis &analysis);

  void writePage(ReportPage &page) const;
  void writeJson(llvm::json::OStream &json) const;

private:
  /// One value, in the order of the program.
  struct Line {
    std::string name, op, location;
    bool isFeature, overflows;
    ValueMoments moments;
  };
  struct Scores {
    std::string name, location;
    ScoreMoments moments;
  };

  std::string nameOf(Value value);
  void addValueChart(ReportPage &page) const;
  void addResidualChart(ReportPage &page) const;
  void addTables(ReportPage &page) const;

  const MomentAnalysis &analysis;
  std::string function;
  std::vector<Line> lines;
  std::vector<Scores> scores;
  std::vector<std::pair<std::string, std::string>> notFollowed;
  /// Of the function, and of those that it calls.
  llvm::DenseMap<Operation *, std::unique_ptr<AsmState>> names;
  /// The first value of each name.
  llvm::StringMap<Value> taken;
};
} // namespace

MomentReport::MomentReport(const MomentAnalysis &analysis)
    : analysis(analysis),
      function(func::FuncOp(analysis.function).getName().str()) {
  for (Value value : analysis.followed) {
    Operation *op = value.getDefiningOp();
    // Arguments have a list of their own; numbers that are no tensors are
    // parts of bodies and attributes, other modules parts of composite ops.
    if (!op || !isa<RankedTensorType>(value.getType()) ||
        op->getParentOfType<ModuleOp>() !=
            analysis.function->getParentOfType<ModuleOp>() ||
        op->hasTrait<OpTrait::ConstantLike>())
      continue;
    bool isFeature = isLayer(op) || isa<ActivationOp, NormOp, ResidualOp>(op);
    lines.push_back(
        {nameOf(value), op->getName().getStringRef().str(),
         describeLocation(op->getLoc()), isFeature, analysis.overflows(value),
         analysis.lookup(value).value_or(ValueMoments{NAN, INFINITY, {}})});
    if (auto found = analysis.scores.lookup(op))
      scores.push_back({lines.back().name, lines.back().location, *found});
  }
  for (const NotFollowed &missed : analysis.notFollowed) {
    std::string what = nameOf(missed.value);
    if (Operation *op = missed.value.getDefiningOp())
      what += " = " + op->getName().getStringRef().str() + " at " +
              describeLocation(op->getLoc());
    notFollowed.emplace_back(what, missed.reason);
  }
}

std::string MomentReport::nameOf(Value value) {
  auto parent = value.getParentRegion()->getParentOfType<func::FuncOp>();
  std::unique_ptr<AsmState> &state = names[parent];
  if (!state)
    state = std::make_unique<AsmState>(parent);
  std::string name;
  llvm::raw_string_ostream stream(name);
  value.printAsOperand(stream, *state);
  if (parent != analysis.function)
    stream << " in @" << parent.getName();
  // Regions beside each other number their values alike, those of one op, too.
  Region *region = value.getParentRegion();
  Operation *around = region->getParentOp();
  auto isTaken = [&] {
    return taken.try_emplace(name, value).first->second != value;
  };
  if (isTaken() && around != parent && around->getNumResults() > 0) {
    stream << " in " << nameOf(around->getResult(0));
    if (isTaken())
      stream << ", region " << region->getRegionNumber();
  }
  return name;
}

static std::string getPolicyName(const ResidualMoments &residual) {
  std::optional<ResidualPolicy> policy = residual.block.policy;
  return policy ? stringifyResidualPolicy(*policy).str() : "sum";
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void writeList(llvm::json::OStream &json, StringRef key,
                      ArrayRef<double> numbers) {
  json.attributeArray(key, [&] {
    for (double number : numbers)
      json.value(toJSON(number));
  });
}

static void writeMoments(llvm::json::OStream &json,
                         const ValueMoments &moments) {
  writeNumbers(json, {{"mean", moments.mean},
                      {"second_moment", moments.secondMoment},
                      {"variance", moments.getVariance()}});
  writeList(json, "correlations", moments.correlations);
}

static void writeScores(llvm::json::OStream &json, const ScoreMoments &scores) {
  writeNumbers(json, {{"mean", scores.mean},
                      {"variance", scores.getVariance()},
                      {"row_variance", scores.rowVariance},
                      {"scale", scores.scale},
                      {"head_dim", scores.headDim},
                      {"keys", scores.keys},
                      {"visible_keys", scores.visibleKeys},
                      {"sum_p", scores.weightSum},
                      {"sum_p2", scores.squaredWeightSum}});
}

static void writeResidual(llvm::json::OStream &json,
                          const ResidualMoments &residual) {
  json.attribute("stream", int64_t(residual.stream));
  json.attribute("depth", int64_t(residual.depth));
  json.attribute("policy", getPolicyName(residual));
  json.attribute("location", describeLocation(residual.block.op->getLoc()));
  json.attribute("input_second_moment", toJSON(residual.inputSecondMoment));
  if (residual.block.inputFactor != 1.0)
    json.attribute("input_factor", toJSON(residual.block.inputFactor));
  writeNumbers(json, {{"branch_second_moment", residual.branchSecondMoment},
                      {"result_second_moment", residual.resultSecondMoment}});
  writeList(json, "shares", residual.shares);
}

void MomentReport::writeJson(llvm::json::OStream &json) const {
  json.attribute("function", function);
  writeObjects(json, "arguments", analysis.arguments,
               [&](const ArgumentMoments &argument) {
                 json.attribute("index", int64_t(argument.index));
                 json.attribute("role", stringifyArgumentRole(argument.role));
                 writeMoments(json, argument.moments);
               });
  writeObjects(json, "values", lines, [&](const Line &line) {
    json.attribute("value", line.name);
    json.attribute("op", line.op);
    json.attribute("location", line.location);
    json.attribute("overflows", line.overflows);
    writeMoments(json, line.moments);
  });
  writeObjects(json, "scores", scores, [&](const Scores &line) {
    json.attribute("value", line.name);
    json.attribute("location", line.location);
    writeScores(json, line.moments);
  });
  writeObjects(json, "residuals", analysis.residuals,
               [&](const ResidualMoments &one) { writeResidual(json, one); });
  writeObjects(json, "not_followed", notFollowed, [&](const auto &missed) {
    json.attribute("value", missed.first);
    json.attribute("reason", missed.second);
  });
  writeObjects(
      json, "findings", analysis.findings, [&](const MomentFinding &finding) {
        json.attribute("op", finding.op->getName().getStringRef());
        json.attribute("location", describeLocation(finding.op->getLoc()));
        json.attribute("id", getLabel(finding.kind));
        json.attribute("kind", stringifyMomentFindingKind(finding.kind));
        json.attribute("value", toJSON(finding.value));
        json.attribute("expected", toJSON(finding.expected));
        json.attribute("proposal", finding.proposal);
      });
  json.attributeArray("assumptions", [&] {
    for (const std::string &assumption : analysis.assumptions)
      json.value(assumption);
  });
}

//===----------------------------------------------------------------------===//
// Pages
//===----------------------------------------------------------------------===//

void MomentReport::addResidualChart(ReportPage &page) const {
  unsigned streams = 0;
  for (const ResidualMoments &residual : analysis.residuals)
    streams = std::max(streams, residual.stream + 1);
  for (unsigned stream = 0; stream < streams; ++stream) {
    Chart chart{"Residual stream " + std::to_string(stream) + " over depth",
                "block", "second moment", false, true};
    ChartSeries result{"stream", {}, 0}, branch{"branch", {}, 1},
        share{"share of the stream's input", {}, 2, ChartSeries::Style::Dashes};
    for (const ResidualMoments &residual : analysis.residuals) {
      if (residual.stream != stream)
        continue;
      double depth = residual.depth + 1;
      auto add = [&](ChartSeries &series, double y) {
        if (y > 1e-30)
          series.points.push_back({depth, y});
      };
      add(result, residual.resultSecondMoment);
      add(branch, residual.branchSecondMoment);
      add(share, residual.shares.front());
    }
    chart.series = {result, branch, share};
    if (result.points.size() > 1)
      page.addChart(chart);
  }
}

void MomentReport::addValueChart(ReportPage &page) const {
  Chart chart{"Second moments in the order of the program",
              "position in the program", "second moment", false, true};
  ChartSeries values{"other values", {}, 7, ChartSeries::Style::Dots};
  ChartSeries features{"linear, norm, activation, residual, attention", {}, 0};
  for (auto [i, line] : llvm::enumerate(lines)) {
    double second = line.moments.secondMoment;
    if (second > 1e-30 && !line.overflows)
      (line.isFeature ? features : values)
          .points.push_back({double(i), second});
  }
  for (const ChartSeries &series : {values, features})
    if (!series.points.empty())
      chart.series.push_back(series);
  if (!chart.series.empty())
    page.addChart(chart);
}

/// A row whose last cells are numbers.
static ReportRow makeRow(ReportRow cells, ArrayRef<double> numbers) {
  for (double number : numbers)
    cells.push_back(formatNumber(number));
  return cells;
}

void MomentReport::addTables(ReportPage &page) const {
  SmallVector<ReportRow> rows;
  for (const ArgumentMoments &argument : analysis.arguments)
    rows.push_back(
        makeRow({"%arg" + std::to_string(argument.index),
                 stringifyArgumentRole(argument.role).str()},
                {argument.moments.mean, argument.moments.secondMoment}));
  page.addTable({"argument", "taken for", "mean", "second moment"}, rows);
  rows.clear();
  for (const Line &line : lines) {
    const ValueMoments &m = line.moments;
    rows.push_back(line.overflows
                       ? ReportRow{line.name, line.op, "-", "overflows", "-"}
                       : makeRow({line.name, line.op},
                                 {m.mean, m.secondMoment, m.getVariance()}));
    rows.back().push_back(line.location);
  }
  page.addTable({"value", "op", "mean", "second moment", "variance", "at"},
                rows);
  rows.clear();
  for (const auto &[name, location, s] : scores)
    rows.push_back(
        makeRow({name}, {s.getVariance(), s.rowVariance, s.scale, s.visibleKeys,
                         s.weightSum, s.squaredWeightSum}));
  if (!rows.empty())
    page.addTable({"scores of", "variance", "variance in a row", "scale",
                   "keys seen", "sum of p", "sum of p^2"},
                  rows);
  rows.clear();
  for (const ResidualMoments &one : analysis.residuals) {
    std::string policy = getPolicyName(one);
    if (one.block.inputFactor != 1.0)
      policy += ", x times " + formatNumber(one.block.inputFactor);
    rows.push_back(makeRow(
        {std::to_string(one.stream) + "." + std::to_string(one.depth), policy},
        {one.inputSecondMoment, one.branchSecondMoment, one.resultSecondMoment,
         one.shares.front(), one.shares.back()}));
  }
  if (!rows.empty())
    page.addTable({"residual block", "policy", "x^2", "branch^2", "result^2",
                   "share of x_0", "share of branch"},
                  rows);
}

void MomentReport::writePage(ReportPage &page) const {
  page.addHeading("Moments of @" + function);
  addValueChart(page);
  addResidualChart(page);
  addTables(page);
  for (const auto &[name, reason] : notFollowed)
    page.addParagraph("not followed: " + name + ": " + reason);
  for (const MomentFinding &finding : analysis.findings)
    page.addParagraph(("warning: " + finding.op->getName().getStringRef() +
                       " at " + describeLocation(finding.op->getLoc()) + ": " +
                       finding.getMessage())
                          .str());
  for (const std::string &assumption : analysis.assumptions)
    page.addParagraph("assumed: " + assumption);
}

LogicalResult attn::writeMomentReports(Location loc,
                                       ArrayRef<MomentAnalysis> analyses,
                                       const ReportFiles &files) {
  std::vector<std::unique_ptr<MomentReport>> reports;
  for (const MomentAnalysis &analysis : analyses)
    reports.push_back(std::make_unique<MomentReport>(analysis));
  auto page = [&](ReportPage &page) {
    for (const auto &report : reports)
      report->writePage(page);
  };
  auto json = [&](llvm::json::OStream &json) {
    json.array([&] {
      for (const auto &report : reports)
        json.object([&] { report->writeJson(json); });
    });
  };
  return writeReports(loc, files, {"Moments at initialisation", page, json});
}
