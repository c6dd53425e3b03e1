//===- AttnPolicies.cpp - Policies as functions in double -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place where the reference learns of a new policy: write its function
// and name it here.
//
//===----------------------------------------------------------------------===//

#include "AttnPolicies.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Reference/ScaleSolver.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>
#include <map>

using namespace mlir;

namespace attn::reference::detail {

static constexpr double infinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Scale policies
//===----------------------------------------------------------------------===//

/// A function of n that is costly and meets the same few n again.
static std::function<double(double)>
remember(std::function<double(double)> solve) {
  auto known = std::make_shared<std::map<double, double>>();
  return [known, solve](double n) {
    auto [entry, isNew] = known->try_emplace(n, 0.0);
    if (isNew)
      entry->second = solve(n);
    return entry->second;
  };
}

static ScaleFunction getGradientMax(GradientMaxAttr policy, int64_t headDim) {
  if (policy.getScores() == ScoreModel::Normal)
    return [](const RowPlace &row) {
      return solveNormalScale(row.length) / std::sqrt(double(row.headDim));
    };
  auto solve = remember([scores = CosineScores(headDim)](double n) {
    return scores.solveScale(n);
  });
  return [solve](const RowPlace &row) { return solve(row.length); };
}

static ScaleFunction getGradientMaxFit(GradientMaxFitAttr policy,
                                       int64_t headDim) {
  if (policy.getScores() == ScoreModel::Normal)
    return [](const RowPlace &row) {
      return 0.84 * std::sqrt(std::log(row.length) / row.headDim);
    };
  double slope = CosineScores(headDim).fitSlope();
  return [slope](const RowPlace &row) { return slope * std::log(row.length); };
}

static ScaleFunction getEntropyInvariant(EntropyInvariantAttr policy) {
  FloatAttr fixed = policy.getKappa();
  return [fixed](const RowPlace &row) {
    double kappa = fixed ? fixed.getValueAsDouble() : row.params[0];
    return kappa * std::log(row.length) / row.headDim;
  };
}

ScaleFunction getScaleFunction(Attribute policy, int64_t headDim) {
  return TypeSwitch<Attribute, ScaleFunction>(policy)
      .Case([](InvSqrtDimAttr) -> ScaleFunction {
        return [](const RowPlace &row) {
          return 1 / std::sqrt(double(row.headDim));
        };
      })
      .Case([](NoScaleAttr) -> ScaleFunction {
        return [](const RowPlace &) { return 1.0; };
      })
      .Case([](InvDimAttr) -> ScaleFunction {
        return [](const RowPlace &row) { return 1.0 / row.headDim; };
      })
      .Case([](ConstantScaleAttr constant) -> ScaleFunction {
        double value = constant.getValue();
        return [value](const RowPlace &) { return value; };
      })
      .Case<OperandScaleAttr, LearnedScaleAttr>([](auto) -> ScaleFunction {
        return [](const RowPlace &row) { return row.params[0]; };
      })
      .Case([](EntropyInvariantAttr entropy) -> ScaleFunction {
        return getEntropyInvariant(entropy);
      })
      .Case([](LogLengthAttr logLength) -> ScaleFunction {
        double base = logLength.getBase();
        return [base](const RowPlace &row) {
          return std::log(row.length) / std::log(base) /
                 std::sqrt(double(row.headDim));
        };
      })
      .Case([](GradientMaxBlindAttr) -> ScaleFunction {
        return [](const RowPlace &row) {
          return 2.5 / std::sqrt(double(row.headDim));
        };
      })
      .Case([&](GradientMaxFitAttr fit) -> ScaleFunction {
        return getGradientMaxFit(fit, headDim);
      })
      .Case([&](GradientMaxAttr solved) -> ScaleFunction {
        return getGradientMax(solved, headDim);
      })
      .Default([](Attribute) { return ScaleFunction(); });
}

//===----------------------------------------------------------------------===//
// Biases
//===----------------------------------------------------------------------===//

double getAlibiSlope(int64_t head, int64_t numHeads) {
  int64_t power = 1;
  while (2 * power <= numHeads)
    power *= 2;
  // Heads beyond the power of two take every second slope of twice as many.
  if (head < power)
    return std::exp2(-8.0 * (head + 1) / power);
  return std::exp2(-8.0 * (2 * (head - power) + 1) / (2 * power));
}

TermFunction getBiasFunction(Attribute policy) {
  return TypeSwitch<Attribute, TermFunction>(policy)
      .Case([](DenseBiasAttr) -> TermFunction {
        return [](const ElementPlace &at) { return at.params[0]; };
      })
      .Case([](AlibiAttr alibi) -> TermFunction {
        bool given = alibi.getOperandSlopes();
        return [given](const ElementPlace &at) {
          double slope =
              given ? at.params[0] : getAlibiSlope(at.head, at.numHeads);
          return -slope * double(std::abs(at.position - at.column));
        };
      })
      .Default([](Attribute) { return TermFunction(); });
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

template <typename Fn> static TermFunction hideUnless(Fn visible) {
  return [visible](const ElementPlace &at) {
    return visible(at) ? 0.0 : -infinity;
  };
}

TermFunction getMaskFunction(Attribute policy) {
  return TypeSwitch<Attribute, TermFunction>(policy)
      .Case([](CausalAttr) {
        return hideUnless(
            [](const ElementPlace &at) { return at.column <= at.position; });
      })
      .Case([](WindowAttr window) {
        int64_t left = window.getLeft(), right = window.getRight();
        return hideUnless([left, right](const ElementPlace &at) {
          int64_t ahead = at.column - at.position;
          return (left < 0 || ahead >= -left) && (right < 0 || ahead <= right);
        });
      })
      .Case([](KvLengthsAttr) {
        return hideUnless([](const ElementPlace &at) {
          return double(at.column) < at.params[0];
        });
      })
      .Case([](SegmentIdsAttr) {
        return hideUnless([](const ElementPlace &at) {
          return at.params[0] == at.params[1];
        });
      })
      .Case([](DenseMaskAttr) {
        return hideUnless(
            [](const ElementPlace &at) { return at.params[0] != 0.0; });
      })
      .Case([](AdditiveMaskAttr) -> TermFunction {
        return [](const ElementPlace &at) { return at.params[0]; };
      })
      .Case([](ChunkedAttr chunked) {
        int64_t size = chunked.getSize();
        return hideUnless([size](const ElementPlace &at) {
          return at.column <= at.position &&
                 at.column / size == at.position / size;
        });
      })
      .Case([](PrefixLMAttr) {
        return hideUnless([](const ElementPlace &at) {
          return at.column <= at.position || double(at.column) < at.params[0];
        });
      })
      .Default([](Attribute) { return TermFunction(); });
}

bool limitsVisible(Attribute mask) {
  return isa<CausalAttr, WindowAttr, KvLengthsAttr, ChunkedAttr, PrefixLMAttr>(
      mask);
}

//===----------------------------------------------------------------------===//
// Normalisers
//===----------------------------------------------------------------------===//

ExtraFunction getExtraFunction(Attribute policy) {
  using Params = ArrayRef<double>;
  return TypeSwitch<Attribute, ExtraFunction>(policy)
      .Case([](SoftmaxNormAttr) -> ExtraFunction {
        return [](Params) { return -infinity; };
      })
      .Case([](Softmax1Attr) -> ExtraFunction {
        return [](Params) { return 0.0; };
      })
      .Case([](SoftmaxNAttr norm) -> ExtraFunction {
        double extra = std::log(double(norm.getCount()));
        return [extra](Params) { return extra; };
      })
      .Case([](SinkAttr) -> ExtraFunction {
        return [](Params params) { return params[0]; };
      })
      .Default([](Attribute) { return ExtraFunction(); });
}

} // namespace attn::reference::detail
