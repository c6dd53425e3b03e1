//===- AnalyzeEntropy.cpp - How policies let entropy grow with n ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/Entropy.h"
#include "attn/Analysis/Passes.h"
#include "attn/Analysis/Report.h"
#include "attn/Analysis/ScoreProduct.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ANALYZEENTROPYPASS
#include "attn/Analysis/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {
using Policies = SmallVector<ScalePolicyAttrInterface>;

/// The lengths from, 2 from, ..., to and how they are sampled.
struct EntropyRange {
  int64_t from, to, samples;
  uint64_t seed;

  std::vector<int64_t> getLengths() const {
    std::vector<int64_t> lengths;
    for (int64_t n = from; n < to; n *= 2)
      lengths.push_back(n);
    lengths.push_back(to);
    return lengths;
  }
};

/// One policy at one length.
struct EntropyPoint {
  int64_t n;
  double lambda, expected, formula, published;
  MeasuredEntropy measured;
};

/// One policy over the range; without points where lambda is not known.
struct EntropyCurve {
  std::string policy;
  bool isOwn;
  std::vector<EntropyPoint> points;
};

/// One attention, or the policies of the options alone.
struct EntropySubject {
  std::string name, function, location;
  double headDim;
  bool cosine;
  std::vector<EntropyCurve> curves;
  /// What the scores are multiplied by before the op's own policy.
  double factor = 1.0;
};

class EntropyReport {
public:
  EntropyReport(const EntropyRange &range, Policies alternatives,
                double headDim)
      : range(range), alternatives(std::move(alternatives)), headDim(headDim) {}

  /// Compares the policy of an attention or softmax with the alternatives, or
  /// with the usual ones if there are none.
  void addOp(Operation *op);
  /// The alternatives alone.
  void addPolicies();
  void writePage(ReportPage &page) const;
  void writeJson(llvm::json::OStream &json) const;

private:
  void addCurves(EntropySubject subject, ScalePolicyAttrInterface own,
                 const Policies &policies);

  EntropyRange range;
  Policies alternatives;
  /// Of ops that do not know theirs.
  double headDim;
  std::vector<EntropySubject> subjects;
};
} // namespace

/// Policies worth comparing with, each made for scores of this similarity.
static Policies getUsualPolicies(MLIRContext *context, bool cosine) {
  auto keys = LengthAttr::get(context, LengthKind::Keys, 0);
  if (cosine)
    return {getPolicyOfLength(context, cosine),
            GradientMaxAttr::get(context, ScoreModel::Cosine, keys)};
  return {InvSqrtDimAttr::get(context), getPolicyOfLength(context, cosine),
          GradientMaxFitAttr::get(context, ScoreModel::Normal, keys),
          GradientMaxAttr::get(context, ScoreModel::Normal, keys),
          GradientMaxBlindAttr::get(context)};
}

void EntropyReport::addOp(Operation *op) {
  ScoreSubject scores = describeScores(op);
  EntropySubject subject;
  subject.headDim = scores.headDim ? double(*scores.headDim) : headDim;
  // One direction has no distribution of angles.
  if (scores.isCosine && subject.headDim < 2)
    return;
  subject.name = op->getName().getStringRef().str();
  subject.function = getFunctionName(op);
  subject.location = describeLocation(op->getLoc());
  subject.cosine = scores.isCosine;
  if (scores.product)
    subject.factor = scores.product->factor;
  addCurves(std::move(subject), scores.scale,
            alternatives.empty()
                ? getUsualPolicies(op->getContext(), scores.isCosine)
                : alternatives);
}

void EntropyReport::addPolicies() {
  for (bool cosine : {false, true}) {
    Policies own = llvm::filter_to_vector(
        alternatives, [&](ScalePolicyAttrInterface policy) {
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
                              const Policies &policies) {
  Policies all;
  if (own)
    all.push_back(own);
  // A policy for the other similarity would be refused by the op as well.
  for (ScalePolicyAttrInterface policy : policies)
    if (!llvm::is_contained(all, policy) &&
        isScaleOf(policy, int64_t(subject.headDim), subject.cosine))
      all.push_back(policy);
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

//===----------------------------------------------------------------------===//
// What is written
//===----------------------------------------------------------------------===//

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

static void writeCurve(llvm::json::OStream &json, const EntropyCurve &curve) {
  json.attribute("policy", curve.policy);
  json.attribute("own", curve.isOwn);
  if (curve.points.empty())
    return json.attribute("unknown", kNoScale);
  writeObjects(json, "lengths", curve.points, [&](const EntropyPoint &point) {
    writeNumbers(json, {{"n", double(point.n)},
                        {"lambda", point.lambda},
                        {"expected", point.expected},
                        {"formula", point.formula},
                        {"published", point.published},
                        {"measured", point.measured.mean},
                        {"measured_error", point.measured.error},
                        {"measured_sum_p2", point.measured.squaredWeights}});
  });
  auto [expected, measured] = getGrowth(curve);
  writeNumbers(json,
               {{"growth_expected", expected}, {"growth_measured", measured}});
}

void EntropyReport::writeJson(llvm::json::OStream &json) const {
  json.object([&] {
    json.attribute("unit", "nat");
    json.attribute("samples", range.samples);
    json.attribute("seed", int64_t(range.seed));
    writeObjects(json, "subjects", subjects, [&](const EntropySubject &one) {
      json.attribute("op", one.name);
      json.attribute("function", one.function);
      json.attribute("location", one.location);
      json.attribute("head_dim", one.headDim);
      json.attribute("similarity", one.cosine ? "cosine" : "dot");
      if (one.factor != 1.0)
        json.attribute("factor", one.factor);
      writeObjects(json, "policies", one.curves,
                   [&](const EntropyCurve &curve) { writeCurve(json, curve); });
    });
  });
}

namespace {
/// What is drawn over the length, in the order of the page.
enum class Quantity { Entropy, Keys, Lambda };
} // namespace

/// Expected entropies as lines, measured ones as dots of the same colour.
static Chart makeChart(const EntropySubject &subject, Quantity quantity) {
  static constexpr std::pair<StringLiteral, StringLiteral> texts[] = {
      {"Entropy over length: lines are expected values, dots are measured on "
       "sampled scores",
       "H in nats"},
      {"Concentration of the weights over length, measured on sampled scores",
       "keys that count, 1 / sum p^2"},
      {"Scale over length", "lambda"}};
  auto [title, label] = texts[unsigned(quantity)];
  Chart chart{title.str(), "keys n", label.str(), /*logarithmicX=*/true,
              /*logarithmicY=*/quantity == Quantity::Keys};
  for (auto [i, curve] : llvm::enumerate(subject.curves)) {
    if (curve.points.empty())
      continue;
    ChartSeries line{
        StringRef(curve.policy).drop_front(6).str(), {}, unsigned(i)};
    ChartSeries dots{"", {}, unsigned(i), ChartSeries::Style::Dots};
    for (const EntropyPoint &point : curve.points) {
      const double drawn[] = {
          point.expected, 1.0 / point.measured.squaredWeights, point.lambda};
      line.points.push_back({double(point.n), drawn[unsigned(quantity)]});
      dots.points.push_back({double(point.n), point.measured.mean});
    }
    chart.series.push_back(std::move(line));
    if (quantity == Quantity::Entropy)
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
    for (Quantity quantity :
         {Quantity::Entropy, Quantity::Keys, Quantity::Lambda})
      page.addChart(makeChart(subject, quantity));
    for (const EntropyCurve &curve : subject.curves)
      addCurve(page, curve);
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct AnalyzeEntropyPass
    : attn::impl::AnalyzeEntropyPassBase<AnalyzeEntropyPass> {
  using Base::Base;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(checkOptions()))
      return signalPassFailure();
    Policies alternatives;
    if (failed(parsePolicies(alternatives)))
      return signalPassFailure();

    EntropyReport report({from, to, samples, seed}, alternatives, headDim);
    bool hasOps = false;
    getOperation()->walk([&](Operation *op) {
      if (!isa<AttentionOp, MultiHeadAttentionOp, SoftmaxOp>(op))
        return;
      report.addOp(op);
      hasOps = true;
    });
    if (!hasOps)
      report.addPolicies();
    auto page = [&](ReportPage &page) { report.writePage(page); };
    auto numbers = [&](llvm::json::OStream &json) { report.writeJson(json); };
    if (failed(writeReports(
            getOperation().getLoc(), {text, json, html},
            {"Entropy of attention weights over length", page, numbers})))
      signalPassFailure();
  }

private:
  LogicalResult checkOptions() {
    auto fail = [&](const Twine &what) {
      return emitError(getOperation().getLoc(),
                       "attn-analyze-entropy: " + what);
    };
    if (from < 1 || to < from)
      return fail("lengths need 1 <= from <= to");
    // A row of samples is kept in memory.
    if (to > (1 << 24))
      return fail("to must not exceed 16777216");
    if (samples < 1)
      return fail("samples must be positive");
    if (headDim < 1)
      return fail("head-dim must be positive");
    return success();
  }

  LogicalResult parsePolicies(Policies &alternatives) {
    SmallVector<StringRef> names;
    StringRef(policies).split(names, ';', -1, /*KeepEmpty=*/false);
    for (StringRef name : names) {
      name = name.trim();
      ScalePolicyAttrInterface policy = parseScalePolicy(&getContext(), name);
      if (!policy)
        return emitError(getOperation().getLoc())
               << "attn-analyze-entropy: '" << name
               << "' is not a scale policy";
      alternatives.push_back(policy);
    }
    return success();
  }
};

} // namespace
