//===- InterpreterTest.cpp - func, arith, math, tensor, linalg, scf -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"
#include <cmath>

using namespace mlir;
using namespace attn::reference;

namespace {

class InterpreterTest : public ReferenceTest {};

// 0.1f + 0.2f differs between one rounding per op and no rounding.
TEST_F(InterpreterTest, RoundsEachOpAsWritten) {
  std::string text = R"(func.func @f(%a: f32, %b: f32) -> f32 {
    %0 = arith.addf %a, %b : f32
    return %0 : f32
  })";
  std::vector<Tensor> arguments = {Tensor::scalar(type("f32"), 0.1f),
                                   Tensor::scalar(type("f32"), 0.2f)};
  EXPECT_EQ(run(text, arguments).at(0).floats[0], double(0.1f) + double(0.2f));
  EXPECT_EQ(run(text, arguments, Rounding::AsWritten).at(0).floats[0],
            double(0.1f + 0.2f));
}

// An op on whole tensors rounds each element as the same op on scalars does:
// 1 + 2^-9 is 1 in bf16, and the second op sees that 1.
TEST_F(InterpreterTest, RoundsEachElementAsWritten) {
  std::string text =
      R"(func.func @f(%a: tensor<2xbf16>, %b: tensor<2xbf16>) -> (tensor<2xbf16>, tensor<2xf16>) {
    %0 = arith.addf %a, %b : tensor<2xbf16>
    %1 = arith.subf %0, %a : tensor<2xbf16>
    %2 = arith.extf %1 : tensor<2xbf16> to tensor<2xf32>
    %3 = arith.truncf %2 : tensor<2xf32> to tensor<2xf16>
    %4 = math.sqrt %3 : tensor<2xf16>
    return %1, %4 : tensor<2xbf16>, tensor<2xf16>
  })";
  std::vector<Tensor> arguments = {floats("bf16", {2}, {1.0, 0.0}),
                                   floats("bf16", {2}, {0x1p-9, 2.0})};
  std::vector<Tensor> exact = run(text, arguments);
  ASSERT_EQ(exact.size(), 2u) << messages;
  EXPECT_EQ(exact[0].floats, (std::vector<double>{0x1p-9, 2.0}));
  EXPECT_EQ(exact[1].floats[1], std::sqrt(2.0));
  std::vector<Tensor> rounded = run(text, arguments, Rounding::AsWritten);
  EXPECT_EQ(rounded.at(0).floats, (std::vector<double>{0.0, 2.0}));
  EXPECT_EQ(rounded.at(1).floats[1], roundToType(std::sqrt(2.0), type("f16")));
}

// Ties go to even, small numbers to denormals, large ones to infinity.
TEST_F(InterpreterTest, RoundsToNarrowTypes) {
  Type f16 = type("f16"), bf16 = type("bf16");
  EXPECT_EQ(roundToType(2049.0, f16), 2048.0);
  EXPECT_EQ(roundToType(2051.0, f16), 2052.0);
  EXPECT_EQ(roundToType(-0x1p-24, f16), -0x1p-24);
  EXPECT_EQ(roundToType(0x1p-25, f16), 0.0);
  EXPECT_EQ(roundToType(65519.0, f16), 65504.0);
  EXPECT_EQ(roundToType(65520.0, f16), infinity);
  EXPECT_EQ(roundToType(257.0, bf16), 256.0);
  EXPECT_EQ(roundToType(259.0, bf16), 260.0);
  EXPECT_TRUE(std::signbit(roundToType(-0.0, bf16)));
  EXPECT_TRUE(std::isnan(roundToType(nan, bf16)));
  EXPECT_EQ(roundToType(1e39, type("f32")), infinity);
}

// Integers wrap at their width; i1 is -1 when read as signed.
TEST_F(InterpreterTest, IntegersWrap) {
  std::string text = R"(func.func @f(%a: i8, %c: i1) -> (i8, i8, i1, i32) {
    %0 = arith.addi %a, %a : i8
    %1 = arith.extsi %c : i1 to i8
    %2 = arith.cmpi ult, %a, %0 : i8
    %3 = arith.extui %0 : i8 to i32
    return %0, %1, %2, %3 : i8, i8, i1, i32
  })";
  auto results = run(text, {Tensor::scalar(type("i8"), int64_t(100)),
                            Tensor::scalar(type("i1"), int64_t(1))});
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results[0].ints[0], -56);
  EXPECT_EQ(results[1].ints[0], -1);
  EXPECT_EQ(results[2].ints[0], 1);
  EXPECT_EQ(results[3].ints[0], 200);
}

// Every predicate of cmpf on less, equal, greater and unordered operands.
TEST_F(InterpreterTest, FloatComparisons) {
  struct Row {
    const char *predicate;
    std::vector<int64_t> expected;
  } rows[] = {
      {"oeq", {0, 1, 0, 0}},  {"ogt", {0, 0, 1, 0}}, {"oge", {0, 1, 1, 0}},
      {"olt", {1, 0, 0, 0}},  {"ole", {1, 1, 0, 0}}, {"one", {1, 0, 1, 0}},
      {"ord", {1, 1, 1, 0}},  {"ueq", {0, 1, 0, 1}}, {"ugt", {0, 0, 1, 1}},
      {"uge", {0, 1, 1, 1}},  {"ult", {1, 0, 0, 1}}, {"ule", {1, 1, 0, 1}},
      {"une", {1, 0, 1, 1}},  {"uno", {0, 0, 0, 1}}, {"true", {1, 1, 1, 1}},
      {"false", {0, 0, 0, 0}}};
  for (const Row &row : rows) {
    std::string text = std::string(R"(
      func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xi1> {
        %0 = arith.cmpf )") +
                       row.predicate +
                       R"(, %a, %b : tensor<4xf32>
        return %0 : tensor<4xi1>
      })";
    auto results = run(text, {floats("f32", {4}, {1, 2, 3, nan}),
                              floats("f32", {4}, {2, 2, 2, 2})});
    ASSERT_EQ(results.size(), 1u) << row.predicate;
    EXPECT_EQ(results[0].ints, row.expected) << row.predicate;
  }
}

// A reduction with two results where one body output feeds the other.
TEST_F(InterpreterTest, GenericWithTwoResultsAndIndex) {
  std::string text = R"(
  #in = affine_map<(i, j) -> (i, j)>
  #out = affine_map<(i, j) -> (i)>
  func.func @argmax(%x: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xi64>) {
    %m = arith.constant dense<0xFF800000> : tensor<2xf32>
    %z = arith.constant dense<-1> : tensor<2xi64>
    %r:2 = linalg.generic {indexing_maps = [#in, #out, #out],
        iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<2x3xf32>) outs(%m, %z : tensor<2xf32>, tensor<2xi64>) {
    ^bb0(%a: f32, %best: f32, %at: i64):
      %j = linalg.index 1 : index
      %k = arith.index_cast %j : index to i64
      %n = arith.maximumf %a, %best : f32
      %c = arith.cmpf ogt, %a, %best : f32
      %s = arith.select %c, %k, %at : i64
      linalg.yield %n, %s : f32, i64
    } -> (tensor<2xf32>, tensor<2xi64>)
    return %r#0, %r#1 : tensor<2xf32>, tensor<2xi64>
  })";
  auto results = run(text, {floats("f32", {2, 3}, {1, 5, 2, 7, 3, 4})});
  ASSERT_EQ(results.size(), 2u) << messages;
  EXPECT_EQ(results[0].floats, (std::vector<double>{5, 7}));
  EXPECT_EQ(results[1].ints, (std::vector<int64_t>{1, 0}));
}

// Maps with a constant result and a floordiv (three heads share one).
TEST_F(InterpreterTest, GenericWithOddMaps) {
  std::string text = R"(
  func.func @f(%x: tensor<2x1xf32>, %e: tensor<6xf32>) -> tensor<6xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 3, 0)>,
        affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<2x1xf32>) outs(%e : tensor<6xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %o : f32
      linalg.yield %s : f32
    } -> tensor<6xf32>
    return %0 : tensor<6xf32>
  })";
  auto results = run(text, {floats("f32", {2, 1}, {10, 20}),
                            floats("f32", {6}, {1, 2, 3, 4, 5, 6})});
  ASSERT_EQ(results.size(), 1u) << messages;
  EXPECT_EQ(results[0].floats, (std::vector<double>{11, 12, 13, 24, 25, 26}));
}

// A matmul longer than one strip sums in the order of the loops, in f32.
TEST_F(InterpreterTest, MatmulAccumulatesInItsType) {
  std::string text = R"(
  func.func @f(%a: tensor<1x?xf32>, %b: tensor<?x300xf32>) -> tensor<1x300xf32> {
    %z = arith.constant dense<0.0> : tensor<1x300xf32>
    %0 = linalg.matmul ins(%a, %b : tensor<1x?xf32>, tensor<?x300xf32>)
        outs(%z : tensor<1x300xf32>) -> tensor<1x300xf32>
    return %0 : tensor<1x300xf32>
  })";
  Tensor a = full("f32", {1, 4}, 1.0), b = full("f32", {4, 300}, 1.0);
  b.floats[299] = 0x1p24; // Then 2^24 + 1 + 1 + 1 stays 2^24 in f32.
  std::vector<Tensor> exact = run(text, {a, b});
  std::vector<Tensor> rounded = run(text, {a, b}, Rounding::AsWritten);
  ASSERT_EQ(exact.size() + rounded.size(), 2u) << messages;
  EXPECT_EQ(exact[0].floats[299], 0x1p24 + 3);
  EXPECT_EQ(rounded[0].floats[299], 0x1p24);
  EXPECT_EQ(exact[0].floats[0], 4.0);
}

// Parts of bf16 are what a number becomes where it is rounded, not in f64.
TEST_F(InterpreterTest, ProductsInParts) {
  std::string text = R"(
  func.func @f(%a: tensor<1x1xf32>, %b: tensor<1x1xf32>) -> tensor<1x1xf32> {
    %zero = arith.constant dense<0.0> : tensor<1x1xf32>
    %0 = linalg.matmul {attn.products = #attn.products<bf16x3>}
        ins(%a, %b : tensor<1x1xf32>, tensor<1x1xf32>)
        outs(%zero : tensor<1x1xf32>) -> tensor<1x1xf32>
    return %0 : tensor<1x1xf32>
  })";
  // 1, 2^-12, and what is in neither part.
  std::vector<Tensor> arguments = {
      floats("f32", {1, 1}, {1.0 + 0x1p-12 + 0x1p-23}),
      full("f32", {1, 1}, 1.0)};
  std::vector<Tensor> exact = run(text, arguments);
  ASSERT_EQ(exact.size(), 1u) << messages;
  EXPECT_EQ(exact[0].floats[0], 1.0 + 0x1p-12 + 0x1p-23);
  std::vector<Tensor> rounded = run(text, arguments, Rounding::AsWritten);
  ASSERT_EQ(rounded.size(), 1u) << messages;
  EXPECT_EQ(rounded[0].floats[0], 1.0 + 0x1p-12);
}

// Slices, pads, concatenations and reshapes move the right elements.
TEST_F(InterpreterTest, TensorOps) {
  std::string text = R"(
  func.func @f(%x: tensor<2x3xf32>, %i: index)
      -> (tensor<2x2xf32>, tensor<2x4xf32>, tensor<4x3xf32>, tensor<3x2xf32>, f32, index) {
    %s = tensor.extract_slice %x[0, 1] [2, 2] [1, 1] : tensor<2x3xf32> to tensor<2x2xf32>
    %c9 = arith.constant 9.0 : f32
    %p = tensor.pad %x low[0, 1] high[0, 0] {
    ^bb0(%a: index, %b: index):
      tensor.yield %c9 : f32
    } : tensor<2x3xf32> to tensor<2x4xf32>
    %r = tensor.extract_slice %x[1, 0] [1, 3] [1, 1] : tensor<2x3xf32> to tensor<3xf32>
    %n = tensor.insert_slice %r into %x[0, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<2x3xf32>
    %k = tensor.concat dim(0) %x, %n : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    %f = tensor.collapse_shape %x [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
    %g = tensor.expand_shape %f [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32>
    %e = tensor.extract %g[%i, %i] : tensor<3x2xf32>
    %d = tensor.dim %g, %i : tensor<3x2xf32>
    return %s, %p, %k, %g, %e, %d : tensor<2x2xf32>, tensor<2x4xf32>, tensor<4x3xf32>, tensor<3x2xf32>, f32, index
  })";
  auto results = run(text, {floats("f32", {2, 3}, {1, 2, 3, 4, 5, 6}),
                            Tensor::scalar(type("index"), int64_t(1))});
  ASSERT_EQ(results.size(), 6u) << messages;
  using Values = std::vector<double>;
  EXPECT_EQ(results[0].floats, (Values{2, 3, 5, 6}));
  EXPECT_EQ(results[1].floats, (Values{9, 1, 2, 3, 9, 4, 5, 6}));
  EXPECT_EQ(results[2].floats, (Values{1, 2, 3, 4, 5, 6, 4, 5, 6, 4, 5, 6}));
  EXPECT_EQ(results[3].floats, (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(results[4].floats[0], 4.0);
  EXPECT_EQ(results[5].ints[0], 2);
}

// The named softmax runs along its own dimension.
TEST_F(InterpreterTest, NamedSoftmax) {
  std::string text = R"(func.func @f(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %e = tensor.empty() : tensor<3x2xf32>
    %0 = linalg.softmax dimension(0) ins(%x : tensor<3x2xf32>) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  })";
  double two = std::log(2.0);
  auto results = run(text, {floats("f32", {3, 2}, {0, 900, 0, 900, 0, -900})});
  ASSERT_EQ(results.size(), 1u) << messages;
  std::vector<double> expected = {1.0 / 3, 0.5, 1.0 / 3, 0.5, 1.0 / 3, 0};
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(results[0].floats[i], expected[i], 1e-15) << i;
  results = run(text, {floats("f32", {3, 2}, {0, two, 0, 0, 0, 0})});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_NEAR(results[0].floats[1], 0.5, 1e-7);
}

// Loops carry tensors, calls pass them, branches choose.
TEST_F(InterpreterTest, ControlFlow) {
  std::string text = R"(
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %x) -> tensor<4xf32> {
      %odd = arith.remui %i, %c1 : index
      %low = arith.cmpi ult, %i, %c1 : index
      %v = tensor.extract %t[%i] : tensor<4xf32>
      %w = scf.if %low -> f32 {
        scf.yield %v : f32
      } else {
        %d = func.call @double(%v) : (f32) -> f32
        scf.yield %d : f32
      }
      %n = tensor.insert %w into %t[%i] : tensor<4xf32>
      scf.yield %n : tensor<4xf32>
    }
    return %r : tensor<4xf32>
  }
  func.func private @double(%v: f32) -> f32 {
    %s = arith.addf %v, %v : f32
    return %s : f32
  })";
  Tensor x = floats("f32", {4}, {1, 2, 3, 4});
  auto results = run(text, {x});
  ASSERT_EQ(results.size(), 1u) << messages;
  EXPECT_EQ(results[0].floats, (std::vector<double>{1, 4, 6, 8}));
  EXPECT_EQ(x.floats, (std::vector<double>{1, 2, 3, 4}));
}

// Each lane takes its branch, and reads only there: the sides of a
// concatenation are out of bounds for the lanes of the other. A branch inside
// another one uses an index, a value of the outer one and one of the body.
TEST_F(InterpreterTest, BranchesInBodies) {
  std::string text =
      R"(func.func @f(%a: tensor<2xf32>, %b: tensor<3xf32>, %limit: index) -> (tensor<5xf32>, tensor<5xi32>) {
    %c2 = arith.constant 2 : index
    %e = tensor.empty() : tensor<5xf32>
    %ei = tensor.empty() : tensor<5xi32>
    %0:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%e, %ei : tensor<5xf32>, tensor<5xi32>) {
    ^bb0(%x: f32, %y: i32):
      %i = linalg.index 0 : index
      %n = arith.index_cast %i : index to i32
      %first = arith.cmpi slt, %i, %c2 : index
      %v:2 = scf.if %first -> (f32, i32) {
        %u = tensor.extract %a[%i] : tensor<2xf32>
        scf.yield %u, %n : f32, i32
      } else {
        %j = arith.subi %i, %c2 : index
        %u = tensor.extract %b[%j] : tensor<3xf32>
        %late = arith.cmpi sge, %i, %limit : index
        %w = scf.if %late -> (f32) {
          %z = arith.negf %u : f32
          scf.yield %z : f32
        } else {
          %atf = arith.sitofp %n : i32 to f32
          %z = arith.addf %u, %atf : f32
          scf.yield %z : f32
        }
        %seven = arith.constant 7 : i32
        scf.yield %w, %seven : f32, i32
      }
      linalg.yield %v#0, %v#1 : f32, i32
    } -> (tensor<5xf32>, tensor<5xi32>)
    return %0#0, %0#1 : tensor<5xf32>, tensor<5xi32>
  })";
  std::vector<Tensor> arguments = {floats("f32", {2}, {1.0, 2.0}),
                                   floats("f32", {3}, {3.0, 4.0, 5.0}),
                                   Tensor::scalar(type("index"), int64_t(3))};
  std::vector<Tensor> results = run(text, arguments);
  ASSERT_EQ(results.size(), 2u) << messages;
  EXPECT_EQ(results[0].floats,
            (std::vector<double>{1.0, 2.0, 5.0, -4.0, -5.0}));
  EXPECT_EQ(results[1].ints, (std::vector<int64_t>{0, 1, 7, 7, 7}));
}

// What cannot be interpreted, does not fit or is undefined is an error.
TEST_F(InterpreterTest, Errors) {
  std::string bounds = R"(func.func @f(%x: tensor<4xf32>, %i: index) -> f32 {
    %0 = tensor.extract %x[%i] : tensor<4xf32>
    return %0 : f32
  })";
  Tensor x = full("f32", {4}, 1.0);
  EXPECT_TRUE(
      run(bounds, {x, Tensor::scalar(type("index"), int64_t(4))}).empty());
  EXPECT_NE(messages.find("out of bounds"), std::string::npos) << messages;
  EXPECT_TRUE(run(bounds, {x}).empty());
  EXPECT_NE(messages.find("needs 2 arguments, not 1"), std::string::npos);
  Tensor longer = full("f32", {5}, 1.0);
  EXPECT_TRUE(
      run(bounds, {longer, Tensor::scalar(type("index"), int64_t(0))}).empty());
  EXPECT_NE(messages.find("does not fit"), std::string::npos) << messages;
  EXPECT_TRUE(run(R"(func.func @f(%a: i32) -> i32 {
    %c0 = arith.constant 0 : i32
    %0 = arith.divsi %a, %c0 : i32
    return %0 : i32
  })",
                  {Tensor::scalar(type("i32"), int64_t(4))})
                  .empty());
  EXPECT_NE(messages.find("undefined integer division"), std::string::npos);
  EXPECT_TRUE(run("func.func private @g(f32) -> f32\n"
                  "func.func @f(%a: f32) -> f32 {\n"
                  "  %0 = call @g(%a) : (f32) -> f32\n"
                  "  return %0 : f32\n}",
                  {Tensor::scalar(type("f32"), 4.0)})
                  .empty());
  EXPECT_NE(messages.find("needs the body"), std::string::npos) << messages;
}

} // namespace
