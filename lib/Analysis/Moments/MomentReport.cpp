//===- MomentReport.cpp - Moments as text, JSON and HTML ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MomentReport.h"
#include "attn/Analysis/ReportPage.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"

#include <cmath>

using namespace mlir;
using namespace attn;

MomentReport::MomentReport(const MomentAnalysis &analysis)
    : analysis(analysis), function(analysis.getFunction().getName().str()) {
  for (Value value : analysis.getFollowed()) {
    Operation *op = value.getDefiningOp();
    // Arguments have a list of their own; numbers that are no tensors are
    // parts of bodies and attributes, other modules parts of composite ops.
    if (!op || !isa<RankedTensorType>(value.getType()) ||
        op->getParentOfType<ModuleOp>() !=
            analysis.getFunction()->getParentOfType<ModuleOp>() ||
        op->hasTrait<OpTrait::ConstantLike>())
      continue;
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    bool isFeature =
        isa<LinearOp, ActivationOp, NormOp, ResidualOp, AttentionOp,
            MultiHeadAttentionOp, FeedForwardOp>(op) ||
        (structured && linalg::isaContractionOpInterface(structured));
    lines.push_back(
        {nameOf(value), op->getName().getStringRef().str(),
         describeLocation(op->getLoc()), isFeature, analysis.overflows(value),
         analysis.lookup(value).value_or(ValueMoments{NAN, INFINITY, {}})});
    if (auto found = analysis.lookupScores(op))
      scores.push_back({lines.back().name, lines.back().location, *found});
  }
  for (const NotFollowed &missed : analysis.getNotFollowed()) {
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
  if (parent != analysis.getFunction())
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

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static ReportRow cells(const ValueMoments &moments, bool overflows) {
  if (overflows)
    return {"-", "overflows", "-"};
  return {formatNumber(moments.mean), formatNumber(moments.secondMoment),
          formatNumber(moments.getVariance())};
}

static ReportRow getScoreRow(const ScoreMoments &s, const std::string &name) {
  return {name,
          formatNumber(s.getVariance()),
          formatNumber(s.rowVariance),
          formatNumber(s.scale),
          formatNumber(s.visibleKeys),
          formatNumber(s.weightSum),
          formatNumber(s.squaredWeightSum)};
}

static std::string getPolicyName(const ResidualMoments &residual) {
  return residual.policy ? stringifyResidualPolicy(*residual.policy).str()
                         : "sum";
}
static ReportRow getResidualRow(const ResidualMoments &residual) {
  std::string policy = getPolicyName(residual);
  if (residual.inputFactor != 1.0)
    policy += ", x times " + formatNumber(residual.inputFactor);
  return {std::to_string(residual.stream) + "." +
              std::to_string(residual.depth),
          policy,
          formatNumber(residual.inputSecondMoment),
          formatNumber(residual.branchSecondMoment),
          formatNumber(residual.resultSecondMoment),
          formatNumber(residual.shares.front()),
          formatNumber(residual.shares.back())};
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// JSON has no infinity and no NaN.
static llvm::json::Value toJSON(double number) {
  return std::isfinite(number) ? llvm::json::Value(number)
                               : llvm::json::Value(nullptr);
}

static void writeMoments(llvm::json::OStream &json,
                         const ValueMoments &moments) {
  json.attribute("mean", toJSON(moments.mean));
  json.attribute("second_moment", toJSON(moments.secondMoment));
  json.attribute("variance", toJSON(moments.getVariance()));
  json.attributeArray("correlations", [&] {
    for (double correlation : moments.correlations)
      json.value(toJSON(correlation));
  });
}

void MomentReport::writeValues(llvm::json::OStream &json) const {
  json.attributeArray("values", [&] {
    for (const Line &line : lines)
      json.object([&] {
        json.attribute("value", line.name);
        json.attribute("op", line.op);
        json.attribute("location", line.location);
        json.attribute("overflows", line.overflows);
        writeMoments(json, line.moments);
      });
  });
  json.attributeArray("scores", [&] {
    for (const Scores &line : scores)
      json.object([&] {
        json.attribute("value", line.name);
        json.attribute("location", line.location);
        json.attribute("mean", toJSON(line.moments.mean));
        json.attribute("variance", toJSON(line.moments.getVariance()));
        json.attribute("row_variance", toJSON(line.moments.rowVariance));
        json.attribute("scale", toJSON(line.moments.scale));
        json.attribute("head_dim", toJSON(line.moments.headDim));
        json.attribute("keys", toJSON(line.moments.keys));
        json.attribute("visible_keys", toJSON(line.moments.visibleKeys));
        json.attribute("sum_p", toJSON(line.moments.weightSum));
        json.attribute("sum_p2", toJSON(line.moments.squaredWeightSum));
      });
  });
}

void MomentReport::writeResiduals(llvm::json::OStream &json) const {
  json.attributeArray("residuals", [&] {
    for (const ResidualMoments &residual : analysis.getResiduals())
      json.object([&] {
        json.attribute("stream", int64_t(residual.stream));
        json.attribute("depth", int64_t(residual.depth));
        json.attribute("policy", getPolicyName(residual));
        json.attribute("location", describeLocation(residual.op->getLoc()));
        json.attribute("input_second_moment",
                       toJSON(residual.inputSecondMoment));
        if (residual.inputFactor != 1.0)
          json.attribute("input_factor", toJSON(residual.inputFactor));
        json.attribute("branch_second_moment",
                       toJSON(residual.branchSecondMoment));
        json.attribute("result_second_moment",
                       toJSON(residual.resultSecondMoment));
        json.attributeArray("shares", [&] {
          for (double share : residual.shares)
            json.value(toJSON(share));
        });
      });
  });
}

void MomentReport::writeJson(llvm::json::OStream &json) const {
  json.object([&] {
    json.attribute("function", function);
    json.attributeArray("arguments", [&] {
      for (const ArgumentMoments &argument : analysis.getArguments())
        json.object([&] {
          json.attribute("index", int64_t(argument.index));
          json.attribute("role", stringifyArgumentRole(argument.role));
          writeMoments(json, argument.moments);
        });
    });
    writeValues(json);
    writeResiduals(json);
    json.attributeArray("not_followed", [&] {
      for (const auto &missed : notFollowed)
        json.object([&] {
          json.attribute("value", missed.first);
          json.attribute("reason", missed.second);
        });
    });
    json.attributeArray("findings", [&] {
      for (const MomentFinding &finding : analysis.getFindings())
        json.object([&] {
          json.attribute("op", finding.op->getName().getStringRef());
          json.attribute("location", describeLocation(finding.op->getLoc()));
          json.attribute("kind", stringifyMomentFindingKind(finding.kind));
          json.attribute("value", toJSON(finding.value));
          json.attribute("expected", toJSON(finding.expected));
          json.attribute("proposal", finding.proposal);
        });
    });
    json.attributeArray("assumptions", [&] {
      for (const std::string &assumption : analysis.getAssumptions())
        json.value(assumption);
    });
  });
}

//===----------------------------------------------------------------------===//
// Pages
//===----------------------------------------------------------------------===//

void MomentReport::addResidualChart(ReportPage &page) const {
  unsigned streams = 0;
  for (const ResidualMoments &residual : analysis.getResiduals())
    streams = std::max(streams, residual.stream + 1);
  for (unsigned stream = 0; stream < streams; ++stream) {
    Chart chart{"Residual stream " + std::to_string(stream) + " over depth",
                "block",
                "second moment",
                false,
                true,
                {}};
    ChartSeries result{"stream", {}, 0}, branch{"branch", {}, 1},
        share{"share of the stream's input", {}, 2, ChartSeries::Style::Dashes};
    for (const ResidualMoments &residual : analysis.getResiduals()) {
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
              "position in the program",
              "second moment",
              false,
              true,
              {}};
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

void MomentReport::addTables(ReportPage &page) const {
  SmallVector<ReportRow> rows;
  for (const ArgumentMoments &argument : analysis.getArguments())
    rows.push_back({"%arg" + std::to_string(argument.index),
                    stringifyArgumentRole(argument.role).str(),
                    formatNumber(argument.moments.mean),
                    formatNumber(argument.moments.secondMoment)});
  page.addTable({"argument", "taken for", "mean", "second moment"}, rows);
  rows.clear();
  for (const Line &line : lines) {
    rows.push_back({line.name, line.op});
    llvm::append_range(rows.back(), cells(line.moments, line.overflows));
    rows.back().push_back(line.location);
  }
  page.addTable({"value", "op", "mean", "second moment", "variance", "at"},
                rows);
  rows.clear();
  for (const Scores &line : scores)
    rows.push_back(getScoreRow(line.moments, line.name));
  if (!rows.empty())
    page.addTable({"scores of", "variance", "variance in a row", "scale",
                   "keys seen", "sum of p", "sum of p^2"},
                  rows);
  rows.clear();
  for (const ResidualMoments &residual : analysis.getResiduals())
    rows.push_back(getResidualRow(residual));
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
  for (const MomentFinding &finding : analysis.getFindings())
    page.addParagraph(("warning: " + finding.op->getName().getStringRef() +
                       " at " + describeLocation(finding.op->getLoc()) + ": " +
                       finding.getMessage())
                          .str());
  for (const std::string &assumption : analysis.getAssumptions())
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
        report->writeJson(json);
    });
  };
  return writeReports(loc, files, {"Moments at initialisation", page, json});
}
