//===- EntropyReport.cpp - What attn-analyze-entropy writes ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntropyReport.h"
#include "attn/Analysis/ReportPage.h"
#include "attn/Analysis/ScoreProduct.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace attn;

std::vector<int64_t> EntropyRange::getLengths() const {
  std::vector<int64_t> lengths;
  for (int64_t n = from; n < to; n *= 2)
    lengths.push_back(n);
  lengths.push_back(to);
  return lengths;
}

/// Policies worth comparing with, each made for scores of this similarity.
static SmallVector<ScalePolicyAttrInterface>
getUsualPolicies(MLIRContext *context, bool cosine) {
  auto keys = LengthAttr::get(context, LengthKind::Keys, 0);
  if (cosine)
    return {GradientMaxFitAttr::get(context, ScoreModel::Cosine, keys),
            GradientMaxAttr::get(context, ScoreModel::Cosine, keys)};
  return {InvSqrtDimAttr::get(context),
          LogLengthAttr::get(context, 512.0, keys),
          GradientMaxFitAttr::get(context, ScoreModel::Normal, keys),
          GradientMaxAttr::get(context, ScoreModel::Normal, keys),
          GradientMaxBlindAttr::get(context)};
}

void EntropyReport::addAttention(
    AttentionOp op, ArrayRef<ScalePolicyAttrInterface> alternatives,
    double headDim) {
  auto query = cast<ShapedType>(op.getQuery().getType());
  AffineMap map = op.getInputMap(0);
  std::optional<unsigned> at = map.getResultPosition(
      getAffineDimExpr(op.getHeadDimDim(), op.getContext()));
  if (at && !query.isDynamicDim(*at))
    headDim = query.getDimSize(*at);
  addOp(op, op.getScale(), alternatives, headDim, op.isCosine());
}

void EntropyReport::addAttention(
    MultiHeadAttentionOp op, ArrayRef<ScalePolicyAttrInterface> alternatives) {
  addOp(op, op.getScale(), alternatives, double(op.getHeadDim()),
        op.isCosine());
}

void EntropyReport::addSoftmax(SoftmaxOp op,
                               ArrayRef<ScalePolicyAttrInterface> alternatives,
                               double headDim) {
  std::optional<ScoreProduct> product = findScoreProduct(op);
  if (op.getHeadDim())
    headDim = double(*op.getHeadDim());
  else if (product && product->dim)
    headDim = double(*product->dim);
  addOp(op, op.getScale(), alternatives, headDim,
        op.getScale().isForCosines() || (product && product->isCosine),
        product ? product->factor : 1.0);
}

void EntropyReport::addOp(Operation *op, ScalePolicyAttrInterface own,
                          ArrayRef<ScalePolicyAttrInterface> alternatives,
                          double headDim, bool isCosine, double factor) {
  // One direction has no distribution of angles.
  if (isCosine && headDim < 2)
    return;
  EntropySubject subject;
  subject.name = op->getName().getStringRef().str();
  subject.function = getFunctionName(op);
  subject.location = describeLocation(op->getLoc());
  subject.headDim = headDim;
  subject.cosine = isCosine;
  subject.factor = factor;
  SmallVector<ScalePolicyAttrInterface> policies(alternatives);
  if (policies.empty())
    policies = getUsualPolicies(op->getContext(), isCosine);
  addCurves(std::move(subject), own, policies);
}

void EntropyReport::addPolicies(ArrayRef<ScalePolicyAttrInterface> policies,
                                double headDim) {
  for (bool cosine : {false, true}) {
    SmallVector<ScalePolicyAttrInterface> own =
        llvm::filter_to_vector(policies, [&](ScalePolicyAttrInterface policy) {
          return policy.isForCosines() == cosine;
        });
    if (own.empty())
      continue;
    EntropySubject subject;
    subject.name = "scale policies";
    subject.headDim = headDim;
    subject.cosine = cosine;
    addCurves(std::move(subject), {}, own);
  }
}

void EntropyReport::addCurves(EntropySubject subject,
                              ScalePolicyAttrInterface own,
                              ArrayRef<ScalePolicyAttrInterface> policies) {
  SmallVector<ScalePolicyAttrInterface> all;
  if (own)
    all.push_back(own);
  for (ScalePolicyAttrInterface policy : policies) {
    // A policy for the other similarity would be refused by the op as well.
    ScopedDiagnosticHandler quiet(policy.getContext(),
                                  [](Diagnostic &) { return success(); });
    auto refuse = [&] {
      return emitError(UnknownLoc::get(policy.getContext()));
    };
    if (!llvm::is_contained(all, policy) &&
        succeeded(policy.verifyPolicy(refuse, int64_t(subject.headDim),
                                      subject.cosine)))
      all.push_back(policy);
  }
  ScoreDistribution scores(subject.cosine ? ScoreModel::Cosine
                                          : ScoreModel::Normal,
                           subject.headDim);
  SmallVector<size_t> known;
  for (ScalePolicyAttrInterface policy : all) {
    if (getScaleAt(policy, subject.headDim, 2.0))
      known.push_back(subject.curves.size());
    subject.curves.push_back({printAttribute(policy), policy == own, {}});
  }
  for (int64_t n : range.getLengths()) {
    SmallVector<double> lambdas, factors;
    for (size_t i : known) {
      // An alternative stands for the factor, too.
      lambdas.push_back(*getScaleAt(all[i], subject.headDim, n) *
                        (all[i] == own ? subject.factor : 1.0));
      factors.push_back(scores.getFactor(lambdas.back()));
    }
    int64_t rows = std::max<int64_t>(16, range.samples / n);
    std::vector<MeasuredEntropy> measured =
        measureEntropy(scores, factors, n, rows, range.seed);
    for (auto [k, i] : llvm::enumerate(known)) {
      double a = factors[k];
      double product =
          subject.cosine ? lambdas[k] : lambdas[k] * subject.headDim;
      subject.curves[i].points.push_back(
          {n, lambdas[k], computeExpectedEntropy(scores, a, n),
           computeEntropyFormula(scores, a, n), std::log(n) - 0.24 * product,
           measured[k]});
    }
  }
  subjects.push_back(std::move(subject));
}

LogicalResult EntropyReport::write(Location loc,
                                   const ReportFiles &files) const {
  return writeReports(loc, files,
                      {"Entropy of attention weights over length",
                       [&](ReportPage &page) { writePage(page); },
                       [&](llvm::json::OStream &json) { writeJson(json); }});
}

static std::string describe(const EntropySubject &subject) {
  std::string text = subject.name;
  if (!subject.function.empty())
    text += " in @" + subject.function;
  if (!subject.location.empty())
    text += " at " + subject.location;
  text += ", d = " + formatNumber(subject.headDim) +
          (subject.cosine ? ", cosine" : ", dot product");
  if (subject.factor != 1.0)
    text += " times " + formatNumber(subject.factor);
  return text;
}

/// From the first length to the last: expected and measured.
static std::pair<double, double> getGrowth(const EntropyCurve &curve) {
  const EntropyPoint &first = curve.points.front(), &last = curve.points.back();
  return {last.expected - first.expected,
          last.measured.mean - first.measured.mean};
}

static const char kNoScale[] = "lambda depends on a param";

static void writePoint(llvm::json::OStream &json, const EntropyPoint &point) {
  json.object([&] {
    json.attribute("n", point.n);
    json.attribute("lambda", point.lambda);
    json.attribute("expected", point.expected);
    json.attribute("formula", point.formula);
    json.attribute("published", point.published);
    json.attribute("measured", point.measured.mean);
    json.attribute("measured_error", point.measured.error);
  });
}

static void writeCurve(llvm::json::OStream &json, const EntropyCurve &curve) {
  json.object([&] {
    json.attribute("policy", curve.policy);
    json.attribute("own", curve.isOwn);
    if (curve.points.empty()) {
      json.attribute("unknown", kNoScale);
      return;
    }
    json.attributeArray("lengths", [&] {
      for (const EntropyPoint &point : curve.points)
        writePoint(json, point);
    });
    auto [expected, measured] = getGrowth(curve);
    json.attribute("growth_expected", expected);
    json.attribute("growth_measured", measured);
  });
}

void EntropyReport::writeJson(llvm::json::OStream &json) const {
  json.object([&] {
    json.attribute("unit", "nat");
    json.attribute("samples", range.samples);
    json.attribute("seed", int64_t(range.seed));
    json.attributeArray("subjects", [&] {
      for (const EntropySubject &subject : subjects)
        json.object([&] {
          json.attribute("op", subject.name);
          json.attribute("function", subject.function);
          json.attribute("location", subject.location);
          json.attribute("head_dim", subject.headDim);
          json.attribute("similarity", subject.cosine ? "cosine" : "dot");
          if (subject.factor != 1.0)
            json.attribute("factor", subject.factor);
          json.attributeArray("policies", [&] {
            for (const EntropyCurve &curve : subject.curves)
              writeCurve(json, curve);
          });
        });
    });
  });
}

/// Expected entropies as lines, measured ones as dots of the same colour.
static Chart makeChart(const EntropySubject &subject, bool ofLambda) {
  Chart chart;
  chart.title = ofLambda ? "Scale over length"
                         : "Entropy over length: lines are expected values, "
                           "dots are measured on sampled scores";
  chart.xLabel = "keys n";
  chart.yLabel = ofLambda ? "lambda" : "H in nats";
  chart.logarithmicX = true;
  for (auto [i, curve] : llvm::enumerate(subject.curves)) {
    if (curve.points.empty())
      continue;
    ChartSeries line{
        StringRef(curve.policy).drop_front(6).str(), {}, unsigned(i)};
    ChartSeries dots{"", {}, unsigned(i), ChartSeries::Style::Dots};
    for (const EntropyPoint &point : curve.points) {
      line.points.push_back(
          {double(point.n), ofLambda ? point.lambda : point.expected});
      dots.points.push_back({double(point.n), point.measured.mean});
    }
    chart.series.push_back(std::move(line));
    if (!ofLambda)
      chart.series.push_back(std::move(dots));
  }
  return chart;
}

static void addCurve(ReportPage &page, const EntropyCurve &curve) {
  page.addParagraph(curve.policy + (curve.isOwn ? " (its own)" : ""));
  if (curve.points.empty())
    return page.addParagraph(kNoScale);
  auto fixed = [](double number) {
    return llvm::formatv("{0:F3}", number).str();
  };
  SmallVector<ReportRow> rows;
  for (const EntropyPoint &point : curve.points)
    rows.push_back(
        {std::to_string(point.n), llvm::formatv("{0:F5}", point.lambda).str(),
         fixed(point.expected), fixed(point.formula), fixed(point.published),
         fixed(point.measured.mean) + " +- " + fixed(point.measured.error)});
  page.addTable({"n", "lambda", "expected", "formula", "published", "measured"},
                rows);
  auto [expected, measured] = getGrowth(curve);
  page.addParagraph(
      llvm::formatv("from {0} to {1} it grows by {2:F3} (measured {3:F3})",
                    curve.points.front().n, curve.points.back().n, expected,
                    measured)
          .str());
}

void EntropyReport::writePage(ReportPage &page) const {
  page.addParagraph("Entropy of the weights in nats, scores of random rows.");
  for (const EntropySubject &subject : subjects) {
    page.addHeading(describe(subject));
    page.addChart(makeChart(subject, /*ofLambda=*/false));
    page.addChart(makeChart(subject, /*ofLambda=*/true));
    for (const EntropyCurve &curve : subject.curves)
      addCurve(page, curve);
  }
}
