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
  if (std::optional<int64_t> size = sizes.getSize(tensor, dim))
    return *size;
  engine.assume("sizes that are not known are " +
                std::to_string(options.unknownSize));
  return options.unknownSize;
}

SmallVector<double> Follower::getSizes(Value tensor) {
  SmallVector<double> result;
  if (auto type = dyn_cast<RankedTensorType>(tensor.getType()))
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      result.push_back(getSize(tensor, dim));
  return result;
}

double Follower::getCount(Value tensor) {
  double count = 1.0;
  for (double size : getSizes(tensor))
    count *= size;
  return count;
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
  Source source{Shape::Normal, mean, std::max(0.0, second - mean * mean), {}};
  SmallVector<int> dims;
  for (unsigned dim = 0; dim < rank; ++dim) {
    dims.push_back(dim);
    double covariance = 0.0;
    for (auto [part, expr] : {std::pair(share, a), std::pair(rest, b)}) {
      double own = engine.getMean(expr);
      covariance += part * (engine.getCross(expr, int(dim)) - own * own);
    }
    source.correlations.push_back(
        source.variance > 0.0
            ? std::clamp(covariance / source.variance, -1., 1.)
            : 1.0);
  }
  return engine.graph.draw(engine.graph.addSource(std::move(source)), dims);
}

/// Of two elements of the merged dimension: they differ in the index of some of
/// its parts.
static double mergeCorrelations(ArrayRef<double> sizes,
                                ArrayRef<double> correlations) {
  double count = 1.0, total = 0.0;
  for (double size : sizes)
    count *= size;
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

Expr Follower::reshape(Expr expr, ArrayRef<double> fromSizes,
                       ArrayRef<SmallVector<int>> groups, bool collapse,
                       ArrayRef<double> toSizes) {
  // Dimensions of the result that each group of dimensions becomes, without
  // those of size 1. `groups` are of the larger side.
  ArrayRef<double> wide = collapse ? fromSizes : toSizes;
  auto replace = [&](Expr draw) -> Expr {
    std::vector<int> key(draw->dims.begin(), draw->dims.end());
    key.push_back(collapse);
    for (const SmallVector<int> &group : groups) {
      for (int dim : group)
        key.push_back(wide[dim] > 1.0 ? dim : kNoDim);
      key.push_back(-2);
    }
    Expr &result = reshaped[{draw->source, key}];
    if (result)
      return result;
    Source source = *draw->source;
    source.correlations.clear();
    SmallVector<int> dims;
    bool isRenaming = true;
    auto correlationOf = [&](int dim) {
      const int *found = llvm::find(draw->dims, dim);
      return found == draw->dims.end()
                 ? 1.0
                 : draw->source->correlations[found - draw->dims.begin()];
    };
    SmallVector<int> renamed(ArrayRef<int>(draw->dims));
    for (auto [narrow, group] : llvm::enumerate(groups)) {
      SmallVector<int> parts;
      for (int dim : group)
        if (wide[dim] > 1.0)
          parts.push_back(dim);
      if (parts.empty())
        continue;
      SmallVector<double> partSizes, correlations;
      bool occurs = false;
      for (int dim : parts) {
        int mine = collapse ? dim : int(narrow);
        partSizes.push_back(wide[dim]);
        correlations.push_back(correlationOf(mine));
        occurs |= llvm::is_contained(draw->dims, mine);
      }
      if (!occurs)
        continue;
      isRenaming &= parts.size() == 1;
      if (parts.size() == 1)
        for (auto [from, to] : llvm::zip(draw->dims, renamed))
          if (from == (collapse ? parts[0] : int(narrow)))
            to = collapse ? int(narrow) : parts[0];
      if (collapse) {
        dims.push_back(narrow);
        source.correlations.push_back(
            mergeCorrelations(partSizes, correlations));
      } else {
        for (auto [dim, correlation] : llvm::zip(parts, correlations)) {
          dims.push_back(dim);
          source.correlations.push_back(correlation);
        }
      }
    }
    if (isRenaming)
      return result = engine.graph.draw(draw->source, renamed);
    // An index of a merged dimension is not an index of a part.
    if (source.shape == Shape::Index)
      source.shape = Shape::Positive;
    std::vector<int> grouping(key.begin() + draw->dims.size() + 1, key.end());
    if (!collapse)
      if (auto origin = origins.find(draw->source);
          origin != origins.end() && origin->second.second == grouping)
        return result = origin->second.first;
    const Source *added = engine.graph.addSource(std::move(source));
    origins[added] = {draw, grouping};
    return result = engine.graph.draw(added, dims);
  };
  return engine.graph.replaceDraws(expr, replace);
}

} // namespace attn::moments
