//===- IntervalTests.cpp - Bounds of expressions --------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Interval.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace attn::raise;
using namespace mlir;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class IntervalTest : public testing::Test {
protected:
  /// From `lower` to `upper`, whole numbers.
  Expr between(int64_t lower, int64_t upper) {
    AffineExpr index = graph.addIndex(upper - lower + 1);
    return graph.index(index + lower);
  }
  /// Of an unknown number of elements.
  Expr unbounded(int64_t lower) {
    return graph.index(graph.addIndex(ShapedType::kDynamic) + lower);
  }
  void expect(Expr x, double lower, double upper) {
    Interval found = getInterval(graph, x);
    EXPECT_EQ(found.lower, lower);
    EXPECT_EQ(found.upper, upper);
  }

  MLIRContext context;
  ExprGraph graph{&context};
};

TEST_F(IntervalTest, Leaves) {
  expect(graph.constant(-2.5), -2.5, -2.5);
  expect(between(-3, 7), -3, 7);
  expect(unbounded(2), 2, kInfinity);
}

TEST_F(IntervalTest, ProductsOfAllSigns) {
  // Products of ranges are no ranges of products of ends in one order.
  const struct {
    int64_t x[2], y[2];
    double lower, upper;
  } cases[] = {{{2, 3}, {4, 5}, 8, 15},     {{-3, -2}, {4, 5}, -15, -8},
               {{2, 3}, {-5, -4}, -15, -8}, {{-3, -2}, {-5, -4}, 8, 15},
               {{-3, 2}, {4, 5}, -15, 10},  {{-3, 2}, {-5, -4}, -10, 15},
               {{-3, 2}, {-5, 4}, -12, 15}, {{-2, 3}, {-5, 4}, -15, 12},
               {{0, 3}, {-5, 4}, -15, 12}};
  for (const auto &c : cases)
    expect(graph.product({between(c.x[0], c.x[1]), between(c.y[0], c.y[1])}),
           c.lower, c.upper);
}

TEST_F(IntervalTest, NothingTimesInfinityIsNothing) {
  expect(graph.product({between(0, 3), unbounded(1)}), 0, kInfinity);
  expect(graph.product({between(-2, 0), unbounded(1)}), -kInfinity, 0);
}

TEST_F(IntervalTest, SumsAndFunctions) {
  Expr x = between(-3, 2), y = between(4, 9);
  expect(graph.sum({x, y, graph.constant(0.5)}), 1.5, 11.5);
  expect(graph.exp(x), std::exp(-3.0), std::exp(2.0));
  expect(graph.unary(ExprKind::Abs, x), 0, 3);
  expect(graph.unary(ExprKind::Abs, between(-2, 5)), 0, 5);
  expect(graph.unary(ExprKind::Tanh, x), -1, 1);
}

TEST_F(IntervalTest, OneOfSeveral) {
  Expr x = between(-3, 2), y = between(1, 9);
  Expr isSmall = graph.compare(Comparison::Less, x, y);
  expect(isSmall, 0, 1);
  expect(graph.select(isSmall, x, y), -3, 9);
  expect(graph.select(isSmall, y, x), -3, 9);
}

} // namespace
