//===- FollowAttention.cpp - Scores, weights and their sums ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Follower.h"
#include "attn/Analysis/Work.h"

#include <cmath>

using namespace mlir;

namespace attn::moments {

/// Rows are alike where they see as many keys, and count as many, but for this
/// factor.
constexpr double kAlike = 1.2;
/// Rows whose pairs stand for all pairs.
constexpr int64_t kSampledRows = 256;

/// n of a scale policy for one row.
static double getLength(LengthAttr length, double keys, double position,
                        double visible) {
  double n = keys;
  if (!length)
    return 1.0;
  switch (length.getKind()) {
  case LengthKind::Keys:
    break;
  case LengthKind::Position:
  case LengthKind::PositionOperand:
    n = position + 1.0;
    break;
  case LengthKind::Visible:
  case LengthKind::Seen:
    n = visible;
    break;
  case LengthKind::Constant:
  case LengthKind::HalfMax:
    n = length.getConstant().value_or(keys);
    break;
  }
  return std::max(1.0, n);
}

Expr Follower::scaleByOperand(Expr scores, Expr operand, RowPlan &plan) {
  double sign = engine.getMean(operand) < 0.0 ? -1.0 : 1.0;
  plan.operand = sign * std::sqrt(engine.getSecond(operand));
  return engine.multiply(scores, operand);
}

double Follower::getExtent(AttentionOp op, unsigned dim) {
  auto [operands, maps] = getShapedOperands(op);
  return getExtent(operands, maps, dim);
}

RowPlan Follower::planRows(AttentionOp op) {
  double rows = getExtent(op, op.getRowDim());
  double keys = getExtent(op, op.getKeyDim());
  double headDim = getExtent(op, op.getHeadDimDim());
  for (auto mask : op.getMasks().getAsRange<MaskAttrInterface>())
    if (!mask.isAdditive() && !mask.getParamSpecs().empty())
      engine.assume("masks that params decide hide no key");
  bool hasBand = !getBand(op.getMasks()).isOpen();
  double first = op.getAlign() == Alignment::BottomRight ? keys - rows : 0.0;
  auto getVisible = [&](double row) {
    auto position = int64_t(first + row);
    return getVisibleKeys(getBand(op.getMasks(), position), position,
                          int64_t(keys));
  };
  RowPlan plan =
      planLengths(op.getScale(), headDim, rows, keys, [&](double row) {
        auto [lower, upper] = getVisible(row);
        return std::pair(first + row, double(upper - lower));
      });
  if (!hasBand)
    return plan;
  engine.assume("the rows of an attention are equally large, also where some "
                "of them see fewer keys");
  plan.overlap = 0.0;
  SmallVector<std::pair<int64_t, int64_t>> ranges;
  auto sampled = double(std::min<int64_t>(int64_t(rows), kSampledRows));
  for (double i = 0; i < sampled; ++i)
    ranges.push_back(getVisible(std::floor((i + 0.5) * rows / sampled)));
  auto count = [](int64_t from, int64_t to) {
    return double(std::max<int64_t>(0, to - from));
  };
  for (auto [from, to] : ranges)
    for (auto [lower, upper] : ranges)
      plan.overlap += count(std::max(from, lower), std::min(to, upper)) /
                      (std::max(1.0, count(from, to)) *
                       std::max(1.0, count(lower, upper)) * sampled * sampled);
  return plan;
}

/// Rows that see, and count, nearly as many keys are one kind.
RowPlan Follower::planLengths(
    ScalePolicyAttrInterface scale, double headDim, double rows, double keys,
    llvm::function_ref<std::pair<double, double>(double)> getPosition) {
  struct Block {
    double firstSize, firstLength, rows = 0.0, inverse = 0.0, lengths = 0.0;
  };
  SmallVector<Block> blocks;
  RowPlan plan;
  LengthAttr length = scale.getLength();
  rows = std::max(rows, 1.0);
  auto isAlike = [](double a, double b) {
    return std::max(a, b) <= kAlike * std::min(a, b);
  };
  for (double row = 0.0; row < rows; ++row) {
    auto [position, size] = getPosition(row);
    double n = getLength(length, keys, position, size);
    if (blocks.empty() || !isAlike(blocks.back().firstSize, size) ||
        !isAlike(blocks.back().firstLength, n))
      blocks.push_back({size, n});
    Block &block = blocks.back();
    block.rows += 1.0;
    // sum p^2 goes with 1/n.
    block.inverse += 1.0 / std::max(size, 1e-3);
    block.lengths += n;
    plan.visible += size / rows;
  }
  double square = 0.0;
  for (const Block &block : blocks) {
    RowKind kind{block.firstSize > 0.0 ? block.rows / block.inverse : 0.0,
                 block.rows / rows};
    kind.scale = scale.evaluateUnit(headDim, block.lengths / block.rows);
    square += kind.share * kind.scale * kind.scale;
    plan.rows.push_back(kind);
  }
  plan.lambda = std::copysign(std::sqrt(square),
                              plan.rows.empty() ? 1.0 : plan.rows[0].scale);
  for (RowKind &kind : plan.rows)
    kind.scale = plan.lambda != 0.0 ? kind.scale / plan.lambda : 1.0;
  return plan;
}

/// ALiBi leaves few keys: n is (sum_j e^b_j)^2 / sum_j e^(2 b_j), over keys on
/// one side of a row or on both.
static double countBiasedKeys(double visible, double slope, double sides) {
  double sum = 0.0, squares = 0.0, distance = 0.0;
  for (double left = visible; left > 0.0; distance += 1.0) {
    double keys = std::min(left, distance == 0.0 ? 1.0 : sides);
    double factor = std::exp(-slope * distance);
    sum += keys * factor;
    squares += keys * factor * factor;
    left -= keys;
  }
  return squares > 0.0 ? sum * sum / squares : visible;
}

/// Rows of all heads; those that are left about as many keys are one kind.
static SmallVector<RowKind> biasRows(ArrayRef<RowKind> rows,
                                     ArrayRef<double> slopes, double sides) {
  std::map<std::pair<double, int>, RowKind> kinds;
  for (const RowKind &row : rows)
    for (double slope : slopes) {
      double seen = std::max(countBiasedKeys(row.visible, slope, sides), 1e-3);
      std::pair key(row.scale, int(std::log(seen) * 10.0));
      RowKind &kind = kinds.try_emplace(key, RowKind{1.0, 0.0}).first->second;
      double share = row.share / double(slopes.size());
      // sum p^2 goes with 1/n.
      kind.visible = (kind.share + share) /
                     (kind.share / std::max(kind.visible, 1e-3) + share / seen);
      kind.share += share;
      kind.scale = row.scale;
    }
  return llvm::map_to_vector(kinds, [](auto &one) { return one.second; });
}

Expr Follower::addBiases(AttentionOp op, Expr scores) {
  for (auto [i, bias] : llvm::enumerate(op.getBiases())) {
    if (!cast<BiasAttrInterface>(bias).getSlopes(1).empty())
      continue;
    unsigned first = op.getBiasParams(i).first;
    Expr term = view(op.getParams()[first], op.getParamMap(first));
    if (!term)
      return nullptr;
    scores = engine.graph.add(scores, term);
  }
  if (Region *region = op.getScoreBody()) {
    Block &block = region->front();
    Scope known;
    known[block.getArgument(0)] = scores;
    SmallVector<double> extents;
    for (unsigned dim = 0; dim < op.getNumDims(); ++dim)
      extents.push_back(getExtent(op, dim));
    unsigned next = 1;
    for (DimRole role :
         {DimRole::Batch, DimRole::Head, DimRole::Row, DimRole::Key}) {
      Value argument = block.getArgument(next++);
      if (std::optional<unsigned> dim = op.getDim(role))
        known[argument] = getIndex(*dim, extents[*dim]);
    }
    ParamRange params = op.getRegionParams();
    for (unsigned i = 0; i < params.count; ++i)
      if (Expr param = view(op.getParams()[params.first + i],
                            op.getParamMap(params.first + i)))
        known[block.getArgument(5 + i)] = param;
    scores = followBody(block, known, extents);
  }
  for (auto [i, mask] : llvm::enumerate(op.getMasks())) {
    if (!scores || !cast<MaskAttrInterface>(mask).isAdditive())
      continue;
    unsigned first = op.getMaskParams(i).first;
    Expr term = view(op.getParams()[first], op.getParamMap(first));
    scores = term ? engine.graph.add(scores, term) : nullptr;
  }
  return scores;
}

/// A row divided by its length.
static Expr normaliseRow(Engine &engine, Expr row, double width, double eps) {
  double length = std::sqrt(width * engine.getSecond(row) + eps);
  return engine.graph.scale(row, length > 0.0 ? 1.0 / length : 0.0);
}

/// The norms and rotations of `load_query` and `load_key`.
Expr Follower::changeRows(AttentionOp op, LoadedRows rows, Expr x,
                          double headDim) {
  for (auto [i, change] : llvm::enumerate(op.getRowChanges(rows))) {
    // Rotations keep squares and are alike for q and k.
    RowNormAttr norm = cast<RowChangeAttrInterface>(change).getNorm();
    if (!norm)
      continue;
    double count = getTraits(norm.getKind()).usesMean ? 1.0 : headDim;
    x = normaliseRow(engine, x, count, norm.getEps());
    ParamRange params = op.getRowChangeParams(rows, i);
    unsigned next = params.first;
    for (bool isGamma : {true, false}) {
      if (!(isGamma ? norm.getGamma() : norm.getBeta()))
        continue;
      Expr param = view(op.getParams()[next], op.getParamMap(next));
      ++next;
      if (!param)
        return nullptr;
      x = isGamma ? engine.multiply(x, param) : engine.graph.add(x, param);
    }
  }
  return x;
}

/// Whether two expressions are made of numbers from one tensor.
static bool sharesSources(Expr a, Expr b) {
  return llvm::any_of(a->draws, [&](Expr draw) {
    return llvm::any_of(b->draws, [&](Expr other) {
      return draw->source == other->source &&
             draw->source->shape != Shape::Index;
    });
  });
}

static bool normsRows(AttentionOp op, LoadedRows rows) {
  return llvm::any_of(op.getRowChanges(rows), [](Attribute change) {
    return cast<RowChangeAttrInterface>(change).getNorm() != nullptr;
  });
}

/// The dimensions whose cosines are like those of one row. A row k of weights
/// as uneven as `c` has, given the part t of it that a score sees, a squared
/// length of mean d + (1 + c) t^2, as in d / (1 + c) dimensions. Its variance
/// grows by 4 c t^2, too, which large scores gain by: e^(a t) as much as in
/// a t c / (1 + c) dimensions more. Where scores have the deviation a, the
/// largest of n of them count, or those about t = a.
static double getCosineDim(double headDim, double c, double deviation,
                           double keys) {
  double a = std::fabs(deviation);
  double t = std::min(a, std::sqrt(2.0 * std::log(std::max(keys, 1.0))));
  return (headDim + a * t * c / (1.0 + c)) / (1.0 + c);
}

Expr Follower::followScores(AttentionOp op, RowPlan &plan) {
  Expr query = view(op.getQuery(), op.getInputMap(0));
  Expr key = view(op.getKey(), op.getInputMap(1));
  if (!query || !key)
    return nullptr;
  double headDim = getExtent(op, op.getHeadDimDim());
  query = changeRows(op, LoadedRows::Query, query, headDim);
  key = changeRows(op, LoadedRows::Key, key, headDim);
  if (!query || !key)
    return nullptr;
  if (CosineAttr cosine = op.getCosine()) {
    query = normaliseRow(engine, query, headDim, cosine.getEps());
    key = normaliseRow(engine, key, headDim, cosine.getEps());
  }
  engine.assume(sharesSources(query, key)
                    ? "queries are keys or depend on them; that a row's score "
                      "with itself is larger is not counted"
                    : "queries are independent of keys, given what the rows of "
                      "each have in common");
  Expr scores =
      engine.sum(engine.multiply(query, key), int(op.getHeadDimDim()), headDim);
  Expr lambda = nullptr;
  ParamRange params = op.getScaleParams();
  if (params.count > 0 && !op.getScale().evaluate(headDim, 2.0)) {
    lambda = view(op.getParams()[params.first], op.getParamMap(params.first));
    if (!lambda)
      return nullptr;
  }
  bool isCosine = op.getCosine() != nullptr;
  bool hasUnitQueries = isCosine || normsRows(op, LoadedRows::Query);
  plan.hasUnitKeys = isCosine || normsRows(op, LoadedRows::Key);
  // A weight of d columns and m rows is not alike in all directions: lengths of
  // what it makes vary by c = d / m more, and so do rows seen from a direction.
  auto getUnevenness = [&](Expr rows) {
    double sum = 0.0;
    for (Expr draw : rows->draws)
      if (draw->source->terms > 0.0)
        sum += headDim / draw->source->terms / rows->draws.size();
    return sum;
  };
  double c = getUnevenness(key);
  double spread = c + (hasUnitQueries ? 0.0 : 1.0 + getUnevenness(query));
  std::optional<double> cosineDim;
  if (hasUnitQueries && plan.hasUnitKeys)
    cosineDim =
        getCosineDim(headDim, c,
                     plan.lambda * (lambda ? engine.getMean(lambda) : 1.0) *
                         std::sqrt(engine.getVariance(scores)),
                     getExtent(op, op.getKeyDim()));
  scores = engine.shapeScores(scores, cosineDim, query, 2.0 * spread / headDim,
                              int(op.getHeadDimDim()));
  scores = engine.graph.scale(scores, plan.lambda);
  if (lambda)
    scores = scaleByOperand(scores, lambda, plan);
  if (op.getSoftcap()) {
    double cap = op.getSoftcap()->convertToDouble();
    scores = engine.graph.scale(
        engine.apply(Fn::Tanh, engine.graph.scale(scores, 1.0 / cap)), cap);
  }
  plan.productVariance =
      engine.getSecond(scores) - engine.getCross(scores, int(op.getKeyDim()));
  return addBiases(op, scores);
}

/// e0 of the normaliser; nothing if a param is not known.
static std::optional<double> getExtra(Follower &follower,
                                      NormalizerAttrInterface normalizer,
                                      ValueRange params, unsigned first) {
  if (std::optional<double> extra = normalizer.evaluate())
    return extra;
  Expr logit = follower.lookup(params[first]);
  if (!logit)
    return std::nullopt;
  return std::exp(follower.engine.getMean(logit));
}

Expr Follower::weigh(Operation *op, Expr scores, int key, double keys,
                     int rowDim, const RowPlan &plan, double headDim) {
  ScoreMoments record;
  record.mean = engine.getMean(scores);
  record.secondMoment = engine.getSecond(scores);
  double own = engine.getSecond(scores) - engine.getCross(scores, key);
  record.rowVariance = std::max(0.0, own);
  if (plan.productVariance > 0.0 && plan.productVariance < own)
    record.productShare = plan.productVariance / own;
  record.scale = plan.lambda * plan.operand;
  record.headDim = headDim;
  record.keys = keys;
  record.visibleKeys = plan.visible;
  RowWeights weights;
  Expr result =
      engine.softmaxWeights(engine.apply(Fn::Exp, scores), key, keys, plan.rows,
                            rowDim, plan.overlap, &weights);
  record.weightSum = weights.sum;
  record.squaredWeightSum = weights.sumOfSquares;
  record.tilt = plan.hasUnitKeys ? weights.pairTilt : weights.tilt;
  engine.assume("scores of a row are independent of each other, given what "
                "they have in common");
  double common = engine.getCross(scores, key) -
                  engine.getMean(scores) * engine.getMean(scores);
  bool hasExtra = llvm::any_of(
      plan.rows, [](const RowKind &row) { return row.extra > 0.0; });
  if (hasExtra && keys > 1.0 && common > 1e-9 * record.secondMoment)
    engine.assume(
        "beside e0, what scores of a row have in common counts as its "
        "mean");
  this->scores[op] = record;
  return result;
}

/// Keys and values that are computed from the same rows: the more a row looks
/// into a direction, the more of that direction it sees.
Expr Follower::followTilt(AttentionOp op, Expr value) {
  const ScoreMoments &record = *this->scores[op];
  int key = op.getKeyDim();
  Expr keys = view(op.getKey(), op.getInputMap(1));
  double part = engine.getSharedPart(keys, value, key, record.headDim);
  if (part == 0.0) {
    engine.assume("values are independent of keys");
    return engine.graph.constant(0.0);
  }
  engine.assume("keys and values of a row are computed from one row of "
                "independent normal numbers");
  double own =
      atLeastZero(engine.getSecond(value) - engine.getCross(value, key));
  // Biases point nowhere.
  double variance = record.tilt * own * part * record.productShare;
  Expr query = view(op.getQuery(), op.getInputMap(0));
  Source source{Shape::Normal, 0.0, variance};
  SmallVector<int> dims;
  for (Expr side : {query, value})
    for (int dim : getVaryingDims(side))
      if (dim != key && dim != int(op.getHeadDimDim()) &&
          !llvm::is_contained(dims, dim)) {
        dims.push_back(dim);
        // Rows that ask alike see alike.
        source.correlations.push_back(dim == int(op.getRowDim())
                                          ? engine.getCorrelation(query, dim)
                                          : 0.0);
      }
  return engine.graph.draw(std::move(source), dims);
}

bool Follower::followAttention(AttentionOp op) {
  RowPlan plan = planRows(op);
  Expr scores = followScores(op, plan);
  Expr value = view(op.getValue(), op.getInputMap(2));
  ParamRange sink = op.getNormalizerParams();
  std::optional<double> extra =
      getExtra(*this, op.getNormalizer(), op.getParams(), sink.first);
  if (!scores || !value || !extra)
    return false;
  int key = op.getKeyDim(), row = op.getRowDim();
  double keys = getExtent(op, key);
  std::optional<unsigned> head = op.getDim(DimRole::Head);
  for (auto bias : op.getBiases().getAsRange<BiasAttrInterface>()) {
    SmallVector<double> slopes =
        bias.getSlopes(head ? int64_t(getExtent(op, *head)) : 1);
    if (slopes.empty())
      continue;
    engine.assume("ALiBi leaves a row of a head (sum e^b)^2 / sum e^2b keys");
    plan.rows =
        biasRows(plan.rows, slopes, getBand(op.getMasks()).right ? 1.0 : 2.0);
  }
  for (RowKind &kind : plan.rows)
    kind.extra = *extra;
  Expr weights = weigh(op, scores, key, keys, row, plan,
                       getExtent(op, op.getHeadDimDim()));
  Expr output = engine.sum(engine.multiply(weights, value), key, keys);
  output = engine.graph.add(output, followTilt(op, value));
  set(op->getResult(0), unview(output, op.getOutputMap(0)));
  const ScoreMoments &record = *this->scores[op];
  unsigned next = 1;
  if (op.getLse())
    miss(op->getResult(next++), "lse of an attention");
  for (Probe probe : op.getProbeKinds()) {
    Value result = op->getResult(next++);
    if (probe == Probe::SumP)
      set(result, engine.graph.constant(record.weightSum));
    else if (probe == Probe::SumP2)
      set(result, engine.graph.constant(record.squaredWeightSum));
    else
      miss(result, "probe of an attention");
  }
  return true;
}

Expr Follower::followOp(SoftmaxOp op) {
  Expr scores = lookup(op.getInput());
  if (!scores)
    return nullptr;
  int key = op.getKeyDim();
  double keys = getSize(op.getInput(), key);
  double headDim = op.getHeadDim().value_or(1);
  double rows = op.getRowDim() ? getSize(op.getInput(), *op.getRowDim()) : 1.0;
  SmallVector<ParamSpec> specs = op.getScale().getParamSpecs();
  std::optional<double> extra =
      getExtra(*this, op.getNormalizer(), op.getParams(), specs.size());
  if (!extra)
    return nullptr;
  RowPlan plan = planLengths(op.getScale(), headDim, rows, keys,
                             [&](double row) { return std::pair(row, keys); });
  for (RowKind &kind : plan.rows)
    kind.extra = *extra;
  scores = engine.graph.scale(scores, plan.lambda);
  if (!specs.empty() && !op.getScale().evaluate(headDim, 2.0)) {
    Expr lambda = lookup(op.getParams()[0]);
    auto dims = op.getParamDims(
        specs[0],
        isa<RankedTensorType>(op.getParams()[0].getType())
            ? cast<RankedTensorType>(op.getParams()[0].getType()).getRank()
            : 0);
    if (!lambda || !dims)
      return nullptr;
    scores = scaleByOperand(
        scores,
        view(op.getParams()[0], SmallVector<int>(dims->begin(), dims->end())),
        plan);
  }
  int rowDim = op.getRowDim() ? int(*op.getRowDim()) : key;
  return weigh(op, scores, key, keys, rowDim, plan, headDim);
}

} // namespace attn::moments
