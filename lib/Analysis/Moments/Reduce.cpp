//===- Reduce.cpp - Sums and maxima of expressions ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine.h"

#include <cmath>

using namespace mlir;

namespace attn::moments {

SmallVector<int> getVaryingDims(Expr expr) {
  SmallVector<int> dims;
  for (Expr draw : expr->draws)
    for (int dim : draw->dims)
      if (dim != kNoDim && !llvm::is_contained(dims, dim))
        dims.push_back(dim);
  llvm::sort(dims);
  return dims;
}

static bool varies(Expr expr, ArrayRef<int> dims) {
  return llvm::any_of(expr->draws,
                      [&](Expr draw) { return draw->variesAlong(dims); });
}

bool Engine::isNonNegative(Expr expr) {
  auto all = [&] {
    return llvm::all_of(expr->operands,
                        [&](Expr e) { return isNonNegative(e); });
  };
  switch (expr->kind) {
  case Kind::Constant:
    return expr->number >= 0.0;
  case Kind::Draw:
    return expr->source->shape == Shape::Positive ||
           expr->source->shape == Shape::Index;
  case Kind::Sum:
    return all();
  case Kind::Affine:
    return expr->number >= 0.0 &&
           llvm::all_of(expr->coefficients, [](double c) { return c > 0.0; }) &&
           all();
  case Kind::Apply:
    break;
  }
  switch (expr->fn) {
  case Fn::Mul:
    return expr->operands[0] == expr->operands[1] || all();
  case Fn::Div:
  case Fn::Min:
  case Fn::MinNum:
    return all();
  case Fn::Select:
    return isNonNegative(expr->operands[1]) && isNonNegative(expr->operands[2]);
  case Fn::Max:
  case Fn::MaxNum:
    return isNonNegative(expr->operands[0]) || isNonNegative(expr->operands[1]);
  case Fn::Exp:
  case Fn::Exp2:
  case Fn::Sqrt:
  case Fn::Rsqrt:
  case Fn::Erfc:
  case Fn::Cosh:
  case Fn::Abs:
  case Fn::Compare:
  case Fn::And:
  case Fn::Or:
  case Fn::Xor:
    return true;
  case Fn::Activation: {
    auto function = static_cast<Function>(expr->detail);
    return function == Function::Relu || function == Function::Sigmoid ||
           function == Function::Softplus ||
           function == Function::ReluSquared || function == Function::Relu6 ||
           function == Function::HardSigmoid;
  }
  default:
    return false;
  }
}

Expr Engine::materialise(Expr expr) {
  if (expr->isConstant() || expr->kind == Kind::Draw)
    return expr;
  SmallVector<int> dims = getVaryingDims(expr);
  Source source{isNonNegative(expr) ? Shape::Positive : Shape::Normal,
                getMean(expr), getVariance(expr)};
  for (int dim : dims)
    source.correlations.push_back(getCorrelation(expr, dim));
  return graph.draw(std::move(source), dims);
}

Expr Engine::collapse(Expr expr) {
  auto [known, isNew] = collapsed.try_emplace(expr, nullptr);
  if (!isNew)
    return known->second;
  Expr result = graph.replaceDraws(expr, [&](Expr draw) {
    return nearlyConstant.contains(draw->source)
               ? graph.constant(draw->source->mean)
               : draw;
  });
  if (result->isAffine() && result->operands.size() > 1)
    result = mergeDraws(result);
  if (result->draws.size() > 4)
    result = materialise(result);
  return collapsed[expr] = result;
}

/// Normal numbers that are only added up are one normal number.
Expr Engine::mergeDraws(Expr expr) {
  SmallVector<double> factors, others;
  SmallVector<Expr> merged, rest;
  llvm::DenseMap<Expr, unsigned> users;
  for (Expr operand : expr->operands)
    for (Expr draw : operand->draws)
      ++users[draw];
  for (auto [factor, term] : llvm::zip(expr->coefficients, expr->operands)) {
    bool isAlone = term->kind == Kind::Draw &&
                   term->source->shape != Shape::Index &&
                   users.lookup(term) == 1;
    (isAlone ? factors : others).push_back(factor);
    (isAlone ? merged : rest).push_back(term);
  }
  if (merged.size() < 2)
    return expr;
  others.push_back(1.0);
  rest.push_back(materialise(graph.affine(0.0, factors, merged)));
  return graph.affine(expr->number, others, rest);
}

Expr Engine::apply(Fn fn, ArrayRef<Expr> operands, unsigned detail) {
  SmallVector<Expr> simple;
  for (Expr operand : operands)
    simple.push_back(collapse(operand));
  return graph.apply(fn, simple, detail);
}

Expr Engine::multiply(Expr a, Expr b) {
  if (a->isConstant() || b->isConstant())
    return graph.multiply(a, b);
  // A factor 1 / z is a division by z.
  for (unsigned side : {0, 1}) {
    Expr factor = side ? b : a;
    if (factor->is(Fn::Div) && factor->operands[0]->isConstant())
      return divide(graph.scale(side ? a : b, factor->operands[0]->number),
                    factor->operands[1]);
  }
  return graph.multiply(collapse(a), collapse(b));
}

Expr Engine::subtract(Expr a, Expr b) {
  Expr difference = graph.subtract(a, b);
  bool isBelowMaximum = llvm::any_of(
      b->draws, [&](Expr draw) { return maxima.contains(draw->source); });
  return isBelowMaximum && !difference->isConstant()
             ? apply(Fn::ClipAtMax, difference)
             : difference;
}

Expr Engine::divide(Expr a, Expr b) {
  if (b->isConstant())
    return graph.divide(a, b);
  if (Expr weights = weightsOfQuotient(a, b))
    return weights;
  return graph.divide(collapse(a), collapse(b));
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

static void collectFactors(Expr expr, SmallVectorImpl<Expr> &factors) {
  if (!expr->is(Fn::Mul))
    return factors.push_back(expr);
  for (Expr operand : expr->operands)
    collectFactors(operand, factors);
}

Expr Engine::sum(Expr expr, ArrayRef<int> dims, ArrayRef<double> sizes) {
  std::tuple key(expr, std::vector<int>(dims.begin(), dims.end()),
                 std::vector<double>(sizes.begin(), sizes.end()));
  if (auto known = sums.find(key); known != sums.end())
    return known->second;
  Expr total = computeSum(expr, dims, sizes);
  return sums[key] = total;
}

Expr Engine::computeSum(Expr expr, ArrayRef<int> dims, ArrayRef<double> sizes) {
  double count = llvm::product_of(sizes);
  if (!varies(expr, dims))
    return graph.scale(expr, count);
  if (expr->is(Fn::Mul)) {
    SmallVector<Expr> factors;
    collectFactors(expr, factors);
    Expr fixed = graph.constant(1.0), varying = fixed;
    for (Expr factor : factors) {
      Expr &product = varies(factor, dims) ? varying : fixed;
      product = graph.multiply(product, factor);
    }
    if (!fixed->isConstant())
      return multiply(fixed, sum(varying, dims, sizes));
  }
  if (expr->is(Fn::Div) && !varies(expr->operands[1], dims))
    return divide(sum(expr->operands[0], dims, sizes), expr->operands[1]);
  if (!expr->isAffine())
    return sumVarying(expr, dims, sizes);
  // Fixed terms are counted; those that vary add up together unless they
  // depend on something fixed.
  SmallVector<double> fixedFactors, factors;
  SmallVector<Expr> fixed, varying;
  for (auto [factor, term] : llvm::zip(expr->coefficients, expr->operands)) {
    bool depends = varies(term, dims);
    bool mixed = depends && llvm::any_of(term->draws, [&](Expr draw) {
                   return !draw->variesAlong(dims);
                 });
    if (mixed) {
      fixedFactors.push_back(factor);
      fixed.push_back(sum(term, dims, sizes));
    } else if (depends) {
      factors.push_back(factor);
      varying.push_back(term);
    } else {
      fixedFactors.push_back(factor * count);
      fixed.push_back(term);
    }
  }
  if (!varying.empty()) {
    Expr rest = graph.affine(0.0, factors, varying);
    fixedFactors.push_back(1.0);
    fixed.push_back(rest->isAffine() ? independentSum(rest, dims, sizes)
                                     : sumVarying(rest, dims, sizes));
  }
  return graph.affine(expr->number * count, fixedFactors, fixed);
}

Expr Engine::sumVarying(Expr expr, ArrayRef<int> dims, ArrayRef<double> sizes) {
  bool dependsOnFixed = llvm::any_of(
      expr->draws, [&](Expr draw) { return !draw->variesAlong(dims); });
  bool isExponential = expr->is(Fn::Exp) || expr->is(Fn::Exp2);
  if ((!dependsOnFixed && !isExponential) || !isNonNegative(expr))
    return independentSum(expr, dims, sizes);
  // Given what is fixed, a sum of many terms of one sign is its mean.
  assume("a sum of terms that are not negative and depend on numbers common to "
         "all of them is its mean, given these");
  SmallVector<int> bound;
  for (size_t i = 0; i < sizes.size(); ++i)
    bound.push_back(graph.newBoundDim());
  Expr body = graph.remap(expr, [&](int dim) {
    const int *found = llvm::find(dims, dim);
    return found == dims.end() ? dim : bound[found - dims.begin()];
  });
  return graph.conditionalSum(body, llvm::product_of(sizes), bound);
}

/// They differ in some subset of `dims`.
double Engine::sumPairs(Expr expr, ArrayRef<int> dims, ArrayRef<double> sizes,
                        double factor, ArrayRef<int> also) {
  double total = 0.0;
  for (unsigned subset = 0; subset < (1u << dims.size()); ++subset) {
    SmallVector<int> differing(also);
    double pairs = factor;
    for (auto [i, size] : llvm::enumerate(sizes))
      if (subset >> i & 1) {
        differing.push_back(dims[i]);
        pairs *= size - 1.0;
      }
    if (pairs != 0.0)
      total += pairs * (differing.empty() ? getSecond(expr)
                                          : getCross(expr, differing));
  }
  return total;
}

Expr Engine::independentSum(Expr expr, ArrayRef<int> dims,
                            ArrayRef<double> sizes) {
  double count = llvm::product_of(sizes);
  double mean = count * getMean(expr),
         second = sumPairs(expr, dims, sizes, count);
  double variance = atLeastZero(second - mean * mean);
  Source source{isNonNegative(expr) ? Shape::Positive : Shape::Normal, mean,
                variance};
  source.terms = count;
  for (Expr draw : expr->draws)
    if (draw->variesAlong(dims))
      source.summed.push_back(draw->source);
  SmallVector<int> kept;
  for (int dim : getVaryingDims(expr)) {
    if (llvm::is_contained(dims, dim))
      continue;
    kept.push_back(dim);
    double cross = sumPairs(expr, dims, sizes, count, {dim});
    double correlation = correlate(cross - mean * mean, variance);
    source.correlations.push_back(std::fabs(correlation) < 1e-9 ? 0.0
                                                                : correlation);
  }
  const Source *added = graph.addSource(std::move(source));
  // Statistics such as a mean of squares depend on each of their terms a
  // little. A factor 1 / sqrt(mean x^2) taken as independent of x would be
  // wrong by that much; taken as a constant it is right.
  if (count > 1.0 && added->shape == Shape::Positive &&
      variance < 0.25 * mean * mean) {
    nearlyConstant.insert(added);
    assume("a sum of many numbers that are not negative is its mean where "
           "a function is applied to it");
  }
  return graph.draw(added, kept);
}

//===----------------------------------------------------------------------===//
// Maxima
//===----------------------------------------------------------------------===//

Summary summariseMaximum(Sample values, double n) {
  llvm::sort(values);
  double below = 0.0, powerBelow = 0.0;
  for (auto &[value, weight] : values) {
    below = std::min(1.0, below + weight);
    double power = std::pow(below, n);
    weight = power - std::exchange(powerBelow, power);
  }
  return summariseValues(values);
}

Expr Engine::maximum(Expr expr, ArrayRef<int> dims, ArrayRef<double> sizes,
                     bool isMinimum) {
  if (isMinimum)
    return graph.scale(maximum(graph.scale(expr, -1.0), dims, sizes), -1.0);
  if (!varies(expr, dims))
    return expr;
  double count = llvm::product_of(sizes);
  SmallVector<double> factors{1.0};
  SmallVector<Expr> terms{nullptr};
  Expr rest = expr;
  if (expr->isAffine()) {
    SmallVector<double> varyingFactors;
    SmallVector<Expr> varying;
    for (auto [factor, term] : llvm::zip(expr->coefficients, expr->operands)) {
      bool depends = varies(term, dims);
      (depends ? varyingFactors : factors).push_back(factor);
      (depends ? varying : terms).push_back(term);
    }
    rest = graph.affine(expr->number, varyingFactors, varying);
  }
  rest = collapse(rest);
  assume("the terms of a maximum are independent");
  Summary summary = summariseMaximum(sampleValues(rest), count);
  Source source{Shape::Normal, summary.mean,
                atLeastZero(summary.second - summary.mean * summary.mean)};
  SmallVector<int> kept;
  for (int dim : getVaryingDims(rest)) {
    if (llvm::is_contained(dims, dim))
      continue;
    kept.push_back(dim);
    source.correlations.push_back(getCorrelation(rest, dim));
  }
  const Source *added = graph.addSource(std::move(source));
  maxima.insert(added);
  terms[0] = graph.draw(added, kept);
  return graph.affine(0.0, factors, terms);
}

} // namespace attn::moments
