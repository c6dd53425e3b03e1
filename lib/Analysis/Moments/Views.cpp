//===- Views.cpp - Tensors under other indices ----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Follower.h"

using namespace mlir;

namespace attn::moments {

double Follower::getSize(Value tensor, unsigned dim) {
  if (std::optional<int64_t> size = sizes->getSize(tensor, dim))
    return *size;
  engine.assume("sizes that are not known are " +
                std::to_string(options.unknownSize));
  return options.unknownSize;
}

SmallVector<int64_t> Follower::getSizes(Value tensor) {
  SmallVector<int64_t> result;
  if (auto type = dyn_cast<RankedTensorType>(tensor.getType()))
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      result.push_back(int64_t(getSize(tensor, dim)));
  return result;
}

double Follower::getCount(Value tensor) {
  return llvm::product_of(getSizes(tensor), 1.0);
}

Expr Follower::view(Value value, ArrayRef<int> dims) {
  Expr expr = lookup(value);
  if (!expr)
    return nullptr;
  return engine.graph.remap(expr, [&](int dim) { return dims[dim]; });
}

Expr Follower::view(Value value, AffineMap map) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  SmallVector<int> dims;
  for (auto [i, result] : llvm::enumerate(map.getResults())) {
    if (type && type.getDimSize(i) == 1) {
      dims.push_back(kNoDim);
      continue;
    }
    AffineExpr expr = result;
    // Neighbouring query heads that share a key head are few.
    if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
        binary && binary.getKind() == AffineExprKind::FloorDiv &&
        isa<AffineConstantExpr>(binary.getRHS())) {
      engine.assume("indices i floordiv c are those of different elements");
      expr = binary.getLHS();
    }
    // Weights differ along a window: what they meet may be one element.
    if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
        binary && binary.getKind() == AffineExprKind::Add) {
      engine.assume("a window of a convolution reads one element many times");
      expr = binary.getLHS();
      if (auto steps = dyn_cast<AffineBinaryOpExpr>(expr);
          steps && steps.getKind() == AffineExprKind::Mul)
        expr = steps.getLHS();
    }
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      dims.push_back(dim.getPosition());
    else if (isa<AffineConstantExpr>(expr))
      dims.push_back(kNoDim);
    else
      return nullptr;
  }
  return view(value, dims);
}

Expr Follower::unview(Expr expr, AffineMap map) {
  return engine.graph.remap(expr, [&](int dim) {
    for (auto [i, result] : llvm::enumerate(map.getResults()))
      if (auto position = dyn_cast<AffineDimExpr>(result);
          position && int(position.getPosition()) == dim)
        return int(i);
    return kNoDim;
  });
}

Expr Follower::getIndex(int dim, double count) {
  if (count <= 1.0)
    return engine.graph.constant(0.0);
  const Source *&source = indexSources[count];
  if (!source)
    source = engine.graph.addSource({Shape::Index,
                                     0.5 * (count - 1.0),
                                     (count * count - 1.0) / 12.0,
                                     {0.0},
                                     count});
  return engine.graph.draw(source, dim);
}

Expr Follower::mix(Expr a, Expr b, double share, unsigned rank) {
  double rest = 1.0 - share;
  double mean = share * engine.getMean(a) + rest * engine.getMean(b);
  double second = share * engine.getSecond(a) + rest * engine.getSecond(b);
  Source source{Shape::Normal, mean, atLeastZero(second - mean * mean)};
  SmallVector<int> dims;
  for (unsigned dim = 0; dim < rank; ++dim) {
    dims.push_back(dim);
    double covariance = 0.0;
    for (auto [part, expr] : {std::pair(share, a), std::pair(rest, b)}) {
      double own = engine.getMean(expr);
      covariance += part * (engine.getCross(expr, int(dim)) - own * own);
    }
    source.correlations.push_back(correlate(covariance, source.variance));
  }
  return engine.graph.draw(std::move(source), dims);
}

/// Of two elements of the merged dimension: they differ in the index of some of
/// its parts.
static double mergeCorrelations(ArrayRef<double> sizes,
                                ArrayRef<double> correlations) {
  double count = llvm::product_of(sizes), total = 0.0;
  for (unsigned subset = 1; subset < (1u << sizes.size()); ++subset) {
    double pairs = 1.0, product = 1.0;
    for (size_t i = 0; i < sizes.size(); ++i)
      if (subset >> i & 1) {
        pairs *= sizes[i] - 1.0;
        product *= correlations[i];
      }
    total += pairs * product;
  }
  return count > 1.0 ? total / (count - 1.0) : 1.0;
}

namespace {
/// A reshape of one draw: groups of dimensions of the wide side, each of which
/// is one dimension of the narrow side.
struct DrawReshape {
  Expr draw;
  ArrayRef<int64_t> wide;
  ArrayRef<ReassociationIndices> groups;
  bool collapse;
  /// What the draw's dimensions become if none is merged or cut up.
  SmallVector<int> renamed;
  bool isRenaming = true;
  /// The new dimensions otherwise, and their correlations.
  SmallVector<int> dims;
  SmallVector<double, 4> correlations;

  std::optional<double> find(int dim) const {
    const int *found = llvm::find(draw->dims, dim);
    if (found == draw->dims.end())
      return std::nullopt;
    return draw->source->correlations[found - draw->dims.begin()];
  }
  void addGroup(int narrow, ArrayRef<int64_t> group);
  void run() {
    renamed.assign(draw->dims.begin(), draw->dims.end());
    for (auto [narrow, group] : llvm::enumerate(groups))
      addGroup(narrow, group);
  }
};
} // namespace

void DrawReshape::addGroup(int narrow, ArrayRef<int64_t> group) {
  SmallVector<int> parts;
  SmallVector<double> sizes, partCorrelations;
  bool occurs = false;
  for (int64_t dim : group) {
    if (wide[dim] <= 1)
      continue;
    std::optional<double> correlation = find(collapse ? int(dim) : narrow);
    occurs |= correlation.has_value();
    parts.push_back(int(dim));
    sizes.push_back(double(wide[dim]));
    partCorrelations.push_back(correlation.value_or(1.0));
  }
  if (!occurs)
    return;
  isRenaming &= parts.size() == 1;
  if (parts.size() == 1)
    for (auto [from, to] : llvm::zip(draw->dims, renamed))
      if (from == (collapse ? parts[0] : narrow))
        to = collapse ? narrow : parts[0];
  if (collapse) {
    dims.push_back(narrow);
    correlations.push_back(mergeCorrelations(sizes, partCorrelations));
    return;
  }
  llvm::append_range(dims, parts);
  llvm::append_range(correlations, partCorrelations);
}

Expr Follower::reshape(Expr expr, ArrayRef<int64_t> wide,
                       ArrayRef<ReassociationIndices> groups, bool collapse) {
  auto replace = [&](Expr draw) -> Expr {
    std::vector<int> grouping;
    for (const ReassociationIndices &group : groups) {
      for (int64_t dim : group)
        grouping.push_back(wide[dim] > 1 ? int(dim) : kNoDim);
      grouping.push_back(-2);
    }
    std::vector<int> key(draw->dims.begin(), draw->dims.end());
    key.push_back(collapse);
    llvm::append_range(key, grouping);
    Expr &result = reshaped[{draw->source, key}];
    if (result)
      return result;
    DrawReshape reshape{draw, wide, groups, collapse, {}, true, {}, {}};
    reshape.run();
    if (reshape.isRenaming)
      return result = engine.graph.draw(draw->source, reshape.renamed);
    if (!collapse)
      if (auto origin = origins.find(draw->source);
          origin != origins.end() && origin->second.second == grouping)
        return result = origin->second.first;
    Source source = *draw->source;
    source.correlations = reshape.correlations;
    // An index of a merged dimension is not an index of a part.
    if (source.shape == Shape::Index)
      source.shape = Shape::Positive;
    const Source *added = engine.graph.addSource(std::move(source));
    origins[added] = {draw, grouping};
    return result = engine.graph.draw(added, reshape.dims);
  };
  return engine.graph.replaceDraws(expr, replace);
}

} // namespace attn::moments
