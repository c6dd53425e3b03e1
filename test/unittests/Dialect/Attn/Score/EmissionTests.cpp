//===- EmissionTests.cpp - What policies emit, run on numbers -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/Score/ScoreEmitter.h"
#include "attn/Reference/Interpreter.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace attn;

namespace {

/// Emits one scalar function and evaluates it in f64.
class EmissionTest : public testing::Test {
protected:
  EmissionTest() {
    context.loadDialect<AttnDialect, arith::ArithDialect, func::FuncDialect,
                        math::MathDialect, scf::SCFDialect,
                        tensor::TensorDialect, vector::VectorDialect>();
  }

  template <typename Policy> Policy parse(const std::string &text) {
    return cast<Policy>(parseAttribute(text, &context));
  }

  /// The value at `arguments` of what `emit` builds from them.
  double evaluate(ArrayRef<int64_t> arguments,
                  function_ref<Value(LaneBuilder &, ValueRange)> emit) {
    OpBuilder builder(&context);
    Location loc = builder.getUnknownLoc();
    OwningOpRef<ModuleOp> module(ModuleOp::create(builder, loc));
    builder.setInsertionPointToEnd(module->getBody());
    Type type = builder.getF64Type();
    SmallVector<Type> inputs(arguments.size(), builder.getIndexType());
    auto function = func::FuncOp::create(builder, loc, "f",
                                         builder.getFunctionType(inputs, type));
    builder.setInsertionPointToEnd(function.addEntryBlock());
    LaneBuilder lanes(builder, loc, builder.getF64Type());
    func::ReturnOp::create(builder, loc, emit(lanes, function.getArguments()));
    // The reference does not count leading zeros; with a known number of heads
    // that is folded.
    EXPECT_TRUE(succeeded(applyPatternsGreedily(
        function, FrozenRewritePatternSet(RewritePatternSet(&context)))));
    std::vector<reference::Tensor> values;
    for (int64_t argument : arguments)
      values.push_back(
          reference::Tensor::scalar(builder.getIndexType(), argument));
    auto results =
        reference::interpret(function, values, reference::Rounding::F64);
    EXPECT_TRUE(succeeded(results));
    return succeeded(results) ? results->front().floats[0] : std::nan("");
  }

  /// lambda at a length known only at run time.
  double evaluateScale(ScalePolicyAttrInterface policy, int64_t headDim,
                       bool staticHeadDim, int64_t length) {
    return evaluate(
        {headDim, length}, [&](LaneBuilder &lanes, ValueRange values) {
          ScaleInputs inputs;
          inputs.headDim = lanes.intToFloat(values[0]);
          inputs.length = lanes.intToFloat(values[1]);
          inputs.staticHeadDim = staticHeadDim ? headDim : ShapedType::kDynamic;
          return policy.emitScale(lanes, inputs);
        });
  }

  MLIRContext context;
};

// What a policy emits for a length known at run time is what it computes for
// the same length at compile time, from a single key to many.
TEST_F(EmissionTest, RuntimeScalesFollowCompileTime) {
  for (const char *text : {"#attn.log_length<base = 512.0, n = keys>",
                           "#attn.entropy_invariant<kappa = 3.0, n = keys>",
                           "#attn.gradient_max_fit<scores = normal, n = keys>",
                           "#attn.gradient_max<scores = normal, n = keys>"}) {
    auto policy = parse<ScalePolicyAttrInterface>(text);
    for (int64_t headDim : {1, 64, 111})
      for (int64_t n : {1, 2, 3, 40, 1024, 100000, 2147483647})
        for (bool known : {false, true}) {
          double expected = *policy.evaluate(headDim, n);
          EXPECT_NEAR(evaluateScale(policy, headDim, known, n), expected,
                      1e-12 * std::abs(expected))
              << text << " d = " << headDim << " n = " << n;
        }
  }
}

// The series for cosine scores is as good as f64 where the kernel is in f64.
TEST_F(EmissionTest, RuntimeCosineScalesFollowCompileTime) {
  for (const char *text :
       {"#attn.gradient_max<scores = cosine, n = keys>",
        "#attn.gradient_max_fit<scores = cosine, n = keys>"}) {
    auto policy = parse<ScalePolicyAttrInterface>(text);
    for (int64_t headDim : {3, 64, 256})
      for (int64_t n : {1, 2, 40, 1024, 2147483647}) {
        double expected = *policy.evaluate(headDim, n);
        EXPECT_NEAR(evaluateScale(policy, headDim, true, n), expected,
                    1e-11 * std::abs(expected))
            << text << " d = " << headDim << " n = " << n;
      }
  }
}

// Six heads: the four slopes of P = 4, then every second one of 2P = 8. The
// term is minus slope times distance, on both sides of the diagonal.
TEST_F(EmissionTest, AlibiSlopesOfSixHeads) {
  auto alibi = parse<BiasAttrInterface>("#attn.alibi");
  const double slopes[] = {1.0 / 4,   1.0 / 16, 1.0 / 64,
                           1.0 / 256, 1.0 / 2,  1.0 / 8};
  for (int64_t head = 0; head < 6; ++head)
    for (int64_t column : {2, 5, 11}) {
      double term = evaluate(
          {head, 5, column}, [&](LaneBuilder &lanes, ValueRange values) {
            ElementInputs at;
            at.head = values[0];
            at.numHeads = lanes.index(6);
            at.position = values[1];
            at.column = values[2];
            at.distance =
                lanes.intToFloat(lanes.abs(lanes.sub(at.position, at.column)));
            return alibi.emitBias(lanes, at);
          });
      EXPECT_EQ(term, -slopes[head] * std::abs(5 - column))
          << "head " << head << " column " << column;
    }
}

// A row that is a scalar and keys in the lanes: what holds for the row has no
// vector in it, and every policy takes its numbers spread.
TEST_F(EmissionTest, ScalarRowsOfKeysInLanes) {
  const char *text = R"mlir(
    func.func @f(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %s: tensor<2xf32>, %t: f32,
                 %o: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
      %r = attn.attention scale(#attn.log_length<base = 512.0, n = visible>)
          softmax(#attn.softmax1) align(top_left)
          bias [#attn.alibi<slopes = operand>] masks [#attn.causal, #attn.window<left = 3, right = -1>]
          ins(%q, %k, %k : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
          params(%s, %t : tensor<2xf32>, f32) outs(%o : tensor<2x8x4xf32>)
          score {
          ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index, %u: f32):
            %d = arith.subi %i, %j : index
            %n = arith.index_cast %d : index to i64
            %e = arith.sitofp %n : i64 to f32
            %y = arith.mulf %e, %u : f32
            %z = arith.addf %x, %y : f32
            attn.yield %z : f32
          } -> tensor<2x8x4xf32>
      return %r : tensor<2x8x4xf32>
    })mlir";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  AttentionOpInterface op;
  module->walk([&](AttentionOpInterface found) { op = found; });
  OpBuilder builder(op);
  Location loc = op.getLoc();
  LaneBuilder rows(builder, loc, builder.getF32Type());
  LaneBuilder lanes(builder, loc, builder.getF32Type(), /*lanes=*/4);
  SmallVector<Value> sizes;
  for (int64_t size : {2, 8, 8, 4, 4})
    sizes.push_back(rows.index(size));
  ScoreEmitter emitter(
      rows, lanes, op, sizes,
      [&](unsigned, const ScoreIndices &) { return rows.constant(0.5); });
  Value three = rows.index(3);
  ScoreEmitter::Row row = emitter.prepareRow({rows.index(1)}, three);
  emitter.prepareFactor(row);
  module->walk([](Operation *inner) {
    EXPECT_TRUE(
        llvm::none_of(inner->getResultTypes(), llvm::IsaPred<VectorType>));
  });
  ScoreEmitter::Column column = emitter.prepareColumn(
      {lanes.add(lanes.toIntLanes(three), lanes.iota()), three});
  Value score = emitter.emitScore(lanes.constant(1.0), row, column);
  EXPECT_EQ(score.getType(), lanes.getFloatType());
  EXPECT_EQ(emitter.emitVisible(row, column).getType(), lanes.getBoolType());
  EXPECT_TRUE(succeeded(verify(*module)));
}

} // namespace
