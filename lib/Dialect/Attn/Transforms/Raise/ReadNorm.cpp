//===- ReadNorm.cpp - A norm read off an expression -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/ReadNorm.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;

namespace attn::raise {
namespace {

bool isSum(Expr x) {
  return x->is(ExprKind::Reduce) && x->getReduction() == Reduction::Add;
}

/// The constant factor of `x`; the others in `rest`.
double splitFactors(Expr x, SmallVectorImpl<Expr> &rest) {
  double coefficient = 1.0;
  for (Expr factor : ExprGraph::getFactors(x)) {
    if (factor->is(ExprKind::Constant))
      coefficient *= factor->number;
    else
      rest.push_back(factor);
  }
  return coefficient;
}

class NormReader {
public:
  NormReader(ExprGraph &graph, Expr x, NormReading &norm, Rejection &why)
      : graph(graph), x(x), norm(norm), why(why) {
    norm.indices.assign(x->indices.begin(), x->indices.end());
  }

  bool read(Expr y);

private:
  /// Up to 4 ulp, which the compilation of 1/n to a factor may lose.
  bool isOne(double number) const {
    bool isWide = getElementTypeOrSelf(x->tensor.getType()).isF64();
    return std::abs(number - 1.0) <= (isWide ? 0x1p-51 : 0x1p-22);
  }
  bool isRoot(Expr factor) const;
  bool isGiven(Expr statistic) const;
  bool readTerms(Expr y);
  bool readRoot();
  bool readVariance(Expr variance);
  bool readCount(double coefficient);
  bool readGiven(Expr variance);
  bool isDifferenceOfMoments(ArrayRef<Expr> terms);
  bool findAxes(Expr reduction, function_ref<bool(Expr)> matches);
  Expr openAll(Expr reduction) const;
  bool isMean(Expr term, double sign) const;
  bool isCentred(Expr difference) const;
  Expr splitChannels(Expr y);
  bool readAffine();
  bool nameKind();
  bool isOfRows() const {
    return norm.axes.size() == 1 &&
           norm.axes[0] + 1 == int64_t(norm.indices.size());
  }
  bool isAffine(Expr param) const;
  bool setAxes(ArrayRef<int64_t> dims);

  ExprGraph &graph;
  Expr x;
  NormReading &norm;
  Rejection &why;
  Expr root = nullptr, value = nullptr; // of value / root * gamma + beta
  double count = 1.0;                   // elements that share a statistic
  bool isCentredInside = false;
  Substitution joined; // from a group and a channel of it to the channel
};

/// Whether `statistic` is an operand with one number for each index along a
/// dimension of x.
bool NormReader::isGiven(Expr statistic) const {
  if (!statistic->is(ExprKind::Load) || statistic->free.count() != 1 ||
      x->free.count() < 2 || !isOperand(graph, statistic))
    return false;
  Type element = getElementTypeOrSelf(statistic->tensor.getType());
  return (element.isF32() || element.isF64()) &&
         x->dependsOn(statistic->free.find_first());
}

/// Whether `factor` is one over something with a root of a sum, or of a
/// variance that is given.
bool NormReader::isRoot(Expr factor) const {
  if (!factor->is(ExprKind::Reciprocal))
    return false;
  auto hasSum = [](auto &self, Expr e) -> bool {
    return isSum(e) || llvm::any_of(e->operands, [&](Expr operand) {
             return self(self, operand);
           });
  };
  auto isSqrt = [&](Expr e) {
    return e->is(ExprKind::Sqrt) &&
           (hasSum(hasSum, e->operands[0]) ||
            isGiven(ExprGraph::getTerms(e->operands[0]).back()));
  };
  Expr norm = factor->operands[0];
  return isSqrt(norm) ||
         ((norm->is(ExprKind::Max) || norm->is(ExprKind::Sum)) &&
          llvm::any_of(norm->operands, isSqrt));
}

/// `reduction` and the sums inside of it, each over its axis or over the
/// elements of several, in their order. Null where the elements along the axes
/// do not share it.
Expr NormReader::openAll(Expr reduction) const {
  ArrayRef<unsigned> left = norm.variables;
  if (llvm::any_of(left, [&](unsigned variable) {
        return reduction->dependsOn(variable);
      }))
    return nullptr;
  while (!left.empty()) {
    if (!isSum(reduction))
      return nullptr;
    int64_t whole = graph.getExtent(reduction->variable), extent = 1;
    AffineExpr place = getAffineConstantExpr(0, graph.getContext());
    for (; !left.empty() && extent < whole; left = left.drop_front()) {
      extent *= graph.getExtent(left.front());
      place =
          place * graph.getExtent(left.front()) + graph.getIndex(left.front());
    }
    if (extent != whole)
      return nullptr;
    reduction =
        graph.substitute(reduction->operands[0],
                         {{reduction->variable, graph.simplifyIndex(place)}});
  }
  return reduction;
}

bool NormReader::setAxes(ArrayRef<int64_t> dims) {
  norm.axes.assign(dims.begin(), dims.end());
  norm.variables.clear();
  count = 1.0;
  for (int64_t dim : dims) {
    unsigned variable = *ExprGraph::asVariable(norm.indices[dim]);
    norm.variables.push_back(variable);
    int64_t extent = graph.getExtent(variable);
    if (ShapedType::isDynamic(extent))
      return why.reject(3, "the size of a normalised dimension is not known");
    count *= static_cast<double>(extent);
  }
  return true;
}

/// Finds the dimensions that `reduction` runs over, so that its body
/// `matches`.
bool NormReader::findAxes(Expr reduction, function_ref<bool(Expr)> matches) {
  SmallVector<int64_t> dims;
  for (auto [dim, index] : llvm::enumerate(norm.indices)) {
    std::optional<unsigned> variable = ExprGraph::asVariable(index);
    if (variable && !reduction->dependsOn(*variable))
      dims.push_back(dim);
  }
  size_t depth = 0;
  for (Expr inner = reduction; isSum(inner); inner = inner->operands[0])
    ++depth;
  if (depth == 0 || depth > dims.size() || !setAxes(dims))
    return false;
  Expr body = openAll(reduction);
  return body && matches(body);
}

/// Whether `term` is `sign` times the mean of x along the axes.
bool NormReader::isMean(Expr term, double sign) const {
  SmallVector<Expr> rest;
  double coefficient = splitFactors(term, rest);
  return rest.size() == 1 && isOne(sign * coefficient * count) &&
         openAll(rest[0]) == x;
}

bool NormReader::isCentred(Expr difference) const {
  if (!difference->is(ExprKind::Sum) || difference->operands.size() != 2)
    return false;
  ArrayRef<Expr> terms = difference->operands;
  return (terms[0] == x && isMean(terms[1], -1.0)) ||
         (terms[1] == x && isMean(terms[0], -1.0));
}

/// mean x^2 - (mean x)^2, as Flax computes a variance.
bool NormReader::isDifferenceOfMoments(ArrayRef<Expr> terms) {
  if (terms.size() != 2)
    return false;
  for (bool swapped : {false, true}) {
    SmallVector<Expr> squares, means;
    double ofSquares = splitFactors(terms[swapped], squares),
           ofMeans = splitFactors(terms[!swapped], means);
    if (squares.size() != 1 || means.size() != 2 || means[0] != means[1] ||
        !findAxes(squares[0],
                  [&](Expr body) { return body == graph.product({x, x}); }) ||
        openAll(means[0]) != x)
      continue;
    if (isOne(ofSquares * count) && isOne(-ofMeans * count * count))
      return true;
    return why.reject(4, "the mean of the squares or the squared mean is "
                         "divided by another number than their count");
  }
  return false;
}

/// Names the kind of norm by the factor of the sum of squares.
bool NormReader::readCount(double coefficient) {
  if (isOne(coefficient * count)) {
    norm.kind = isCentredInside ? NormKind::Layer : NormKind::Rms;
    return true;
  }
  if (isCentredInside && isOne(coefficient * (count - 1.0)))
    return why.reject(
        5, "the variance is unbiased: divided by the count less one");
  if (coefficient == 1.0 && !isCentredInside) {
    norm.kind = NormKind::L2;
    return true;
  }
  return why.reject(5, "the sum of squares is multiplied by " +
                           llvm::formatv("{0:f6}", coefficient).str() +
                           ", not by one over the count of " +
                           Twine(int64_t(count)));
}

/// Mean and variance of a batch norm, that are given.
bool NormReader::readGiven(Expr variance) {
  norm.variance = variance;
  for (Expr term : ExprGraph::getTerms(value))
    if (term != x)
      norm.mean = norm.mean ? x : graph.product({graph.constant(-1.0), term});
  if (!norm.mean || !isGiven(norm.mean) || norm.mean->free != variance->free)
    return why.reject(2, "no mean goes with the variance that is given");
  SmallVector<int64_t> others;
  for (auto [dim, index] : llvm::enumerate(norm.indices))
    if (std::optional<unsigned> variable = ExprGraph::asVariable(index);
        !variable || !variance->dependsOn(*variable))
      others.push_back(dim);
  norm.axes = others;
  norm.kind = NormKind::Batch;
  return true;
}

bool NormReader::readVariance(Expr variance) {
  if (isGiven(variance))
    return readGiven(variance);
  // Rounding may make a difference of moments negative.
  if (variance->is(ExprKind::Max) && variance->operands.size() == 2 &&
      variance->operands[0]->isConstant(0.0))
    variance = variance->operands[1];
  if (isDifferenceOfMoments(ExprGraph::getTerms(variance))) {
    isCentredInside = true;
    norm.kind = NormKind::Layer;
    return true;
  }
  SmallVector<Expr> rest;
  double coefficient = splitFactors(variance, rest);
  bool found = rest.size() == 1 && findAxes(rest[0], [&](Expr body) {
                 ArrayRef<Expr> factors = ExprGraph::getFactors(body);
                 if (factors.size() != 2 || factors[0] != factors[1])
                   return false;
                 isCentredInside = isCentred(factors[0]);
                 return isCentredInside || factors[0] == x;
               });
  if (!found)
    return why.reject(2, "what is under the root is not the mean square, the "
                         "variance or the sum of squares of the tensor that "
                         "is divided by it");
  return readCount(coefficient);
}

/// `root` is one over a factor that isRoot.
bool NormReader::readRoot() {
  if (root->is(ExprKind::Sum))
    return why.reject(3, "eps is added to the root, not inside of it");
  bool isClamped = root->is(ExprKind::Max);
  if (isClamped) {
    if (root->operands.size() != 2 ||
        !root->operands[0]->is(ExprKind::Constant))
      return why.reject(3, "the root has a bound that is not constant");
    norm.epsMode = EpsMode::MaxNorm;
    norm.eps = root->operands[0]->number;
    root = root->operands[1];
  }
  Expr variance = root->operands[0];
  if (!isClamped && variance->is(ExprKind::Sum) &&
      variance->operands[0]->is(ExprKind::Constant)) {
    norm.eps = variance->operands[0]->number;
    variance = graph.sum(ArrayRef<Expr>(variance->operands).drop_front());
  }
  if (norm.eps < 0.0 || !std::isfinite(norm.eps))
    return why.reject(3, "eps is negative or not finite");
  return readVariance(variance);
}

/// The number of neighbours along the dimension that share an index in `y`, if
/// there is one: x[.., c / size * size + j, ..].
static std::optional<int64_t> findGroupSize(Expr y, Value tensor, int64_t dim,
                                            AffineExpr channel,
                                            DenseSet<Expr> &visited) {
  if (!visited.insert(y).second)
    return std::nullopt;
  std::optional<int64_t> size;
  if (y->is(ExprKind::Load) && y->tensor == tensor)
    y->indices[dim].walk([&](AffineExpr part) {
      auto division = dyn_cast<AffineBinaryOpExpr>(part);
      if (!division || division.getKind() != AffineExprKind::FloorDiv ||
          division.getLHS() != channel)
        return;
      if (auto divisor = dyn_cast<AffineConstantExpr>(division.getRHS()))
        size = divisor.getValue();
    });
  for (Expr operand : y->operands)
    if (!size)
      size = findGroupSize(operand, tensor, dim, channel, visited);
  return size;
}

/// `y` by the indices of groups and of channels in them, if statistics are
/// those of groups of channels; so are x and `norm.indices` then.
Expr NormReader::splitChannels(Expr y) {
  for (auto [dim, index] : llvm::enumerate(x->indices)) {
    std::optional<unsigned> channel = ExprGraph::asVariable(index);
    DenseSet<Expr> visited;
    std::optional<int64_t> size =
        channel ? findGroupSize(y, x->tensor, dim, index, visited)
                : std::nullopt;
    int64_t extent = channel ? graph.getExtent(*channel) : 1;
    if (!size || *size < 2 || ShapedType::isDynamic(extent) ||
        extent % *size != 0)
      continue;
    unsigned group = graph.addVariable(extent / *size),
             inside = graph.addVariable(*size);
    AffineExpr first = graph.getIndex(group), second = graph.getIndex(inside);
    joined = {{group, index.floorDiv(*size)}, {inside, index % *size}};
    norm.channelDim = dim;
    norm.indices[dim] = first;
    norm.indices.insert(norm.indices.begin() + dim + 1, second);
    Substitution split = {{*channel, first * *size + second}};
    x = graph.substitute(x, split);
    return graph.substitute(y, split);
  }
  return y;
}

/// Whether `param` has one number for each index along the norm's own
/// `affineAxes`.
bool NormReader::isAffine(Expr param) const {
  return canEmit(param) && param->free.count() == norm.affineAxes.size() &&
         llvm::all_of(norm.affineAxes, [&](size_t dim) {
           if (dim == norm.indices.size())
             return false;
           auto variable = ExprGraph::asVariable(norm.indices[dim]);
           return variable && param->dependsOn(*variable);
         });
}

/// Gamma and beta are those of the normalised elements, of one other dimension,
/// or of all channels, where their groups are normalised.
bool NormReader::readAffine() {
  Expr some = norm.gamma ? norm.gamma : norm.beta;
  norm.affineAxes.assign(norm.axes);
  if (norm.variance)
    norm.affineAxes = {
        llvm::find(norm.indices,
                   graph.getIndex(norm.variance->free.find_first())) -
        norm.indices.begin()};
  else if (norm.channelDim)
    norm.affineAxes = {*norm.channelDim, *norm.channelDim + 1};
  else if (some && some->free.count() == 1 &&
           (!isOfRows() ||
            (norm.kind == NormKind::Layer && norm.indices.size() > 2)))
    norm.affineAxes = {
        llvm::find(norm.indices, graph.getIndex(some->free.find_first())) -
        norm.indices.begin()};
  for (Expr *param : {&norm.gamma, &norm.beta}) {
    if (!*param)
      continue;
    if (!isAffine(*param))
      return why.reject(6, "a factor or a term does not belong to the "
                           "normalised dimensions");
    *param = graph.substitute(*param, joined);
  }
  return true;
}

/// Layer, RMS and l2 norms are what `kind` is so far.
bool NormReader::nameKind() {
  if (norm.channelDim && norm.axes.size() == 1 && !norm.gamma && !norm.beta)
    return why.reject(6, "rows of a reshaped tensor are no groups of channels");
  if (norm.channelDim && norm.kind == NormKind::L2)
    return why.reject(6, "the sum of squares is that of a group of channels");
  if (norm.channelDim) {
    norm.isCentred = norm.kind == NormKind::Layer;
    norm.kind = NormKind::Group;
  }
  bool isKept = llvm::none_of(norm.affineAxes, [&](int64_t dim) {
    return llvm::is_contained(norm.axes, dim);
  });
  if (norm.kind == NormKind::Layer && isKept)
    norm.kind = norm.axes.size() + norm.affineAxes.size() == norm.indices.size()
                    ? NormKind::Batch
                    : NormKind::Instance;
  return true;
}

/// Takes a root out of the terms that have it, `value` and what is beside them.
/// Factors of all such terms are gains: x r g - mean r g, as PyTorch spells it,
/// is (x - mean) r g.
bool NormReader::readTerms(Expr y) {
  SmallVector<SmallVector<Expr>> scaled;
  SmallVector<Expr> shifts, gains;
  for (Expr term : ExprGraph::getTerms(y)) {
    ArrayRef<Expr> factors = ExprGraph::getFactors(term);
    if (!root)
      if (const Expr *found = llvm::find_if(
              factors, [&](Expr factor) { return isRoot(factor); });
          found != factors.end())
        root = *found;
    if (root && llvm::is_contained(factors, root))
      scaled.emplace_back(factors);
    else
      shifts.push_back(term);
  }
  if (!root)
    return why.reject(0, "nothing is divided by a root");
  auto hasElement = [&](Expr factor) {
    return factor == x || (factor->is(ExprKind::Sum) &&
                           llvm::is_contained(factor->operands, x));
  };
  for (Expr factor : SmallVector<Expr>(scaled.front())) {
    if (scaled.size() == 1 && !value && hasElement(factor)) {
      value = factor;
    } else if (llvm::all_of(scaled, [&](ArrayRef<Expr> factors) {
                 return llvm::is_contained(factors, factor);
               })) {
      for (SmallVector<Expr> &factors : scaled)
        factors.erase(llvm::find(factors, factor));
      gains.push_back(factor);
    }
  }
  gains.erase(llvm::find(gains, root));
  root = root->operands[0];
  if (scaled.size() > 1)
    value = graph.sum(llvm::map_to_vector(
        scaled, [&](ArrayRef<Expr> rest) { return graph.product(rest); }));
  if (!value || !hasElement(value))
    return why.reject(1, "the tensor that is divided by the root is another");
  if (!gains.empty())
    norm.gamma = graph.product(gains);
  if (!shifts.empty())
    norm.beta = graph.sum(shifts);
  return true;
}

bool NormReader::read(Expr y) {
  if (!readTerms(splitChannels(y)) || !readRoot())
    return false;
  if (norm.variance)
    return readAffine();
  if (value != x && !isCentred(value))
    return why.reject(5, "what is subtracted is not the mean along the "
                         "normalised dimensions");
  if ((value != x) != isCentredInside)
    return why.reject(5, "the mean is subtracted in one place only: under the "
                         "root or above it");
  return readAffine() && nameKind();
}

} // namespace

bool readNorm(ExprGraph &graph, Expr y, Expr x, NormReading &norm,
              Rejection &why) {
  norm = NormReading();
  return NormReader(graph, x, norm, why).read(y);
}

} // namespace attn::raise
