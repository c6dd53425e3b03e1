//===- TilingTests.cpp - Tiled and split attentions compute the same ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each module is interpreted in f64 before and after upstream's tiling driver
// has used the ops' interfaces.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/InitAll.h"
#include "attn/Reference/Interpreter.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <random>

using namespace attn;
using namespace mlir;

namespace {

class Tiling : public testing::Test {
protected:
  Tiling() {
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  void parse(const char *text) {
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    function = *module->getOps<func::FuncOp>().begin();
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    for (Type type : function.getArgumentTypes()) {
      auto tensor = cast<RankedTensorType>(type);
      reference::Tensor argument(tensor.getElementType(),
                                 SmallVector<int64_t>(tensor.getShape()));
      for (double &value : argument.floats)
        value = static_cast<float>(normal(random));
      arguments.push_back(argument);
    }
    auto results =
        reference::interpret(function, arguments, reference::Rounding::F64);
    ASSERT_TRUE(succeeded(results));
    expected = *results;
  }

  /// Tiles the only attention op and compares with the untiled results.
  void tileAndCompare(const scf::SCFTilingOptions &options) {
    TilingInterface op;
    function.walk([&](TilingInterface candidate) { op = candidate; });
    ASSERT_TRUE(op);
    IRRewriter rewriter(&context);
    rewriter.setInsertionPoint(op);
    auto tiled = scf::tileUsingSCF(rewriter, op, options);
    ASSERT_TRUE(succeeded(tiled));
    ASSERT_FALSE(tiled->loops.empty());
    rewriter.replaceOp(op, tiled->replacements);
    auto results =
        reference::interpret(function, arguments, reference::Rounding::F64);
    ASSERT_TRUE(succeeded(results));
    ASSERT_EQ(results->size(), expected.size());
    for (auto [actual, wanted] : llvm::zip_equal(*results, expected)) {
      ASSERT_EQ(actual.shape, wanted.shape);
      for (auto [a, b] : llvm::zip_equal(actual.floats, wanted.floats))
        ASSERT_NEAR(a, b, 1e-6 * (1 + std::abs(b)));
    }
  }

  DialectRegistry registry;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  std::vector<reference::Tensor> arguments, expected;
};

constexpr const char *kCausal = R"mlir(
func.func @f(%q: tensor<2x4x13x8xf32>, %k: tensor<2x2x17x8xf32>, %v: tensor<2x2x17x6xf32>, %t: tensor<4xf32>,
             %o: tensor<2x4x13x6xf32>, %l: tensor<2x4x13xf32>) -> (tensor<2x4x13x6xf32>, tensor<2x4x13xf32>) {
  %r:2 = attn.attention scale(#attn.log_length<base = 512.0, n = position>) softmax(#attn.sink) align(bottom_right)
      bias [#attn.alibi] masks [#attn.causal]
      ins(%q, %k, %v : tensor<2x4x13x8xf32>, tensor<2x2x17x8xf32>, tensor<2x2x17x6xf32>) params(%t : tensor<4xf32>)
      outs(%o, %l : tensor<2x4x13x6xf32>, tensor<2x4x13xf32>) -> tensor<2x4x13x6xf32>, tensor<2x4x13xf32>
  return %r#0, %r#1 : tensor<2x4x13x6xf32>, tensor<2x4x13xf32>
})mlir";

// Rows keep their positions, query heads their key heads and slopes.
TEST_F(Tiling, AttentionByBatchHeadAndRows) {
  parse(kCausal);
  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(&context, {1, 2, 5}));
  tileAndCompare(options);
}

// A tile of heads across two groups has no single key head.
TEST_F(Tiling, AttentionRefusesHalfGroups) {
  parse(kCausal);
  auto op = *function.getOps<AttentionOp>().begin();
  IRRewriter rewriter(&context);
  rewriter.setInsertionPoint(op);
  std::string message;
  ScopedDiagnosticHandler catcher(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str();
    return success();
  });
  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(&context, {1, 3}));
  EXPECT_TRUE(failed(scf::tileUsingSCF(rewriter, op, options)));
  EXPECT_NE(message.find("inside one key head's group"), std::string::npos)
      << message;
}

constexpr const char *kOnline = R"mlir(
func.func @f(%q: tensor<9x8xf32>, %k: tensor<20x8xf32>, %v: tensor<20x6xf32>,
             %acc: tensor<6x9xf32>, %max: tensor<9xf32>, %sum: tensor<9xf32>)
    -> (tensor<6x9xf32>, tensor<9xf32>, tensor<9xf32>) {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %c20 = arith.constant 20 : index
  %r:3 = attn.online_attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) align(top_left) masks [#attn.causal]
      indexing_maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>,
        affine_map<(m, n, d, e) -> (e, m)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
      origin(%c0, %c0, %c0, %c0) sizes(%c9, %c20, %c8, %c6)
      ins(%q, %k, %v : tensor<9x8xf32>, tensor<20x8xf32>, tensor<20x6xf32>)
      outs(%acc, %max, %sum : tensor<6x9xf32>, tensor<9xf32>, tensor<9xf32>)
      -> tensor<6x9xf32>, tensor<9xf32>, tensor<9xf32>
  return %r#0, %r#1, %r#2 : tensor<6x9xf32>, tensor<9xf32>, tensor<9xf32>
})mlir";

// Ranges of keys side by side, one of them hidden from every row, merge with
// the state that was there before.
TEST_F(Tiling, OnlineAttentionSplitsKeys) {
  parse(kOnline);
  scf::SCFTilingOptions options;
  options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  options.setReductionTilingStrategy(
      ReductionTilingStrategy::PartialReductionOuterParallel);
  options.setReductionDims({1});
  options.setTileSizes(getAsIndexOpFoldResult(&context, {0, 5}));
  tileAndCompare(options);
}

constexpr const char *kLayerNorm = R"mlir(
func.func @f(%x: tensor<4x7x16xf32>, %r: tensor<4x7x16xf32>, %g: tensor<4x16xf32>, %b: tensor<4x16xf32>)
    -> (tensor<4x7x16xf32>, tensor<4x7x16xf32>) {
  %e = tensor.empty() : tensor<4x7x16xf32>
  %y:2 = attn.norm layer axes [2] eps(1.0e-5) affine_axes [0, 2] ins(%x : tensor<4x7x16xf32>)
      residual(%r : tensor<4x7x16xf32>) gamma(%g : tensor<4x16xf32>) beta(%b : tensor<4x16xf32>)
      outs(%e : tensor<4x7x16xf32>) sum(%e : tensor<4x7x16xf32>) -> tensor<4x7x16xf32>, tensor<4x7x16xf32>
  return %y#0, %y#1 : tensor<4x7x16xf32>, tensor<4x7x16xf32>
})mlir";

// gamma and beta follow the tile along the one dimension that they share with
// it; both results are put together.
TEST_F(Tiling, NormByRows) {
  parse(kLayerNorm);
  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(&context, {2, 3}));
  tileAndCompare(options);
}

// A part of a row does not know the row's mean.
TEST_F(Tiling, NormRefusesPartsOfRows) {
  parse(kLayerNorm);
  auto op = *function.getOps<NormOp>().begin();
  IRRewriter rewriter(&context);
  rewriter.setInsertionPoint(op);
  std::string message;
  ScopedDiagnosticHandler catcher(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str();
    return success();
  });
  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(&context, {0, 0, 8}));
  EXPECT_TRUE(failed(scf::tileUsingSCF(rewriter, op, options)));
  EXPECT_NE(message.find("cannot be tiled along dimension 2"),
            std::string::npos)
      << message;
}

// Channels are tiles; the running statistics have that dimension only.
TEST_F(Tiling, BatchNormByChannels) {
  parse(R"mlir(
func.func @f(%x: tensor<5x6x4xf64>, %m: tensor<6xf64>, %v: tensor<6xf64>)
    -> (tensor<5x6x4xf64>, tensor<6xf64>, tensor<6xf64>) {
  %e = tensor.empty() : tensor<5x6x4xf64>
  %y:3 = attn.norm batch axes [0, 2] eps(1.0e-5) ins(%x : tensor<5x6x4xf64>) outs(%e : tensor<5x6x4xf64>)
      running(%m, %v : tensor<6xf64>, tensor<6xf64>) momentum(0.1) unbiased
      -> tensor<5x6x4xf64>, tensor<6xf64>, tensor<6xf64>
  return %y#0, %y#1, %y#2 : tensor<5x6x4xf64>, tensor<6xf64>, tensor<6xf64>
})mlir");
  scf::SCFTilingOptions options;
  options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  options.setTileSizes(getAsIndexOpFoldResult(&context, {0, 4}));
  tileAndCompare(options);
}

// Rows of x and columns of the result, of the weight in both orders, of the
// bias and of what an epilogue reads; the fan in, which ntk divides by, is that
// of the whole.
TEST_F(Tiling, LinearByRowsAndColumns) {
  for (const char *text : {R"mlir(
func.func @f(%x: tensor<2x13x9xf32>, %w: tensor<9x20xf32>, %b: tensor<20xf32>) -> tensor<2x13x20xf32> {
  %e = tensor.empty() : tensor<2x13x20xf32>
  %y = attn.linear parameterisation(ntk) ins(%x, %w, %b : tensor<2x13x9xf32>, tensor<9x20xf32>, tensor<20xf32>)
      outs(%e : tensor<2x13x20xf32>) -> tensor<2x13x20xf32>
  return %y : tensor<2x13x20xf32>
})mlir",
                           R"mlir(
func.func @f(%x: tensor<2x13x9xf32>, %w: tensor<20x9xf32>) -> tensor<2x13x20xf32> {
  %e = tensor.empty() : tensor<2x13x20xf32>
  %y = attn.linear weight(out_in) ins(%x, %w : tensor<2x13x9xf32>, tensor<20x9xf32>)
      outs(%e : tensor<2x13x20xf32>) -> tensor<2x13x20xf32>
  return %y : tensor<2x13x20xf32>
})mlir",
                           R"mlir(
func.func @f(%x: tensor<2x13x9xf32>, %w: tensor<9x20xf32>, %r: tensor<2x13x20xf32>, %c: tensor<20xf32>, %n: tensor<f32>) -> tensor<2x13x20xf32> {
  %e = tensor.empty() : tensor<2x13x20xf32>
  %y = attn.linear ins(%x, %w : tensor<2x13x9xf32>, tensor<9x20xf32>)
      extras(%r, %c, %n : tensor<2x13x20xf32>, tensor<20xf32>, tensor<f32>)
      outs(%e : tensor<2x13x20xf32>) epilogue {
  ^bb0(%s: f32, %p: f32, %q: f32, %m: f32):
    %0 = arith.mulf %s, %p : f32
    %1 = math.fma %0, %m, %q : f32
    attn.yield %1 : f32
  } -> tensor<2x13x20xf32>
  return %y : tensor<2x13x20xf32>
})mlir"}) {
    arguments.clear();
    parse(text);
    scf::SCFTilingOptions options;
    options.setTileSizes(getAsIndexOpFoldResult(&context, {1, 5, 8}));
    tileAndCompare(options);
  }
}

} // namespace
