//===- RaiseAttentionTests.cpp - Raised modules compute the same ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every spelling in test/Dialect/Attn/Transforms/raise-*.mlir and every
// exported example is interpreted in f64 before and after raising.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "attn/InitAll.h"
#include "attn/Reference/Interpreter.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace attn;
using namespace mlir;

namespace {

/// Random values; sizes that the type leaves open are 4 for the first argument
/// (the query) and for positions of its rows, and 6 for the others.
reference::Tensor makeArgument(unsigned position, Type type,
                               std::mt19937 &random) {
  Type element = getElementTypeOrSelf(type);
  SmallVector<int64_t> shape;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = position == 0 || element.isInteger(64) ? 4 : 6;
  reference::Tensor tensor(element, shape);
  std::normal_distribution<double> normal;
  for (double &value : tensor.floats)
    value = static_cast<float>(normal(random));
  for (int64_t &value : tensor.ints)
    value = random() % 3 != 0;
  return tensor;
}

/// Elements where the source is finite agree to what constants allow, which in
/// bf16 and f16 may be rounded to these types.
void expectEqual(const reference::Tensor &raised,
                 const reference::Tensor &source, StringRef name) {
  ASSERT_EQ(raised.shape, source.shape) << name.str();
  bool isNarrow = source.elementType.getIntOrFloatBitWidth() == 16;
  double allowed = isNarrow ? 1e-4 : 2e-6;
  int64_t finite = 0;
  for (auto [actual, expected] :
       llvm::zip_equal(raised.floats, source.floats)) {
    if (!std::isfinite(expected))
      continue;
    ++finite;
    ASSERT_NEAR(actual, expected, allowed * (1 + std::abs(expected)))
        << name.str();
  }
  EXPECT_GT(finite, source.getNumElements() / 2)
      << name.str() << ": too few finite elements";
}

/// A file, and what raises all of its functions.
struct Raising {
  const char *path;
  void (*addPass)(OpPassManager &);
  const char *op;
};

template <typename OpTy, std::unique_ptr<Pass> (*create)()>
Raising raises(const char *path) {
  return {path,
          [](OpPassManager &pm) { pm.addNestedPass<func::FuncOp>(create()); },
          OpTy::getOperationName().data()};
}

Raising raisesAttention(const char *path) {
  return raises<AttentionOp, createRaiseAttentionPass>(path);
}

class RaiseAttention : public testing::TestWithParam<Raising> {};

TEST_P(RaiseAttention, KeepsResults) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  ScopedDiagnosticHandler silence(&context, [](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() == DiagnosticSeverity::Remark);
  });
  std::string path = std::string(ATTN_SOURCE_DIR) + "/" + GetParam().path;
  auto source = parseSourceFile<ModuleOp>(path, &context);
  ASSERT_TRUE(source) << path;
  PassManager prepare(&context);
  prepare.addPass(createInlinerPass());
  prepare.addPass(createSymbolDCEPass());
  ASSERT_TRUE(succeeded(prepare.run(*source)));

  OwningOpRef<ModuleOp> raised = source->clone();
  PassManager raise(&context);
  GetParam().addPass(raise);
  raise.addPass(createCanonicalizerPass());
  ASSERT_TRUE(succeeded(raise.run(*raised)));

  // The interpreter knows linalg.softmax by its parts only.
  source->walk([](linalg::SoftmaxOp op) {
    OpBuilder builder(op);
    auto parts = op.decomposeOperation(builder);
    ASSERT_TRUE(succeeded(parts));
    op->replaceAllUsesWith(*parts);
    op->erase();
  });

  std::mt19937 random(7);
  for (auto function : source->getOps<func::FuncOp>()) {
    StringRef name = function.getName();
    auto after = raised->lookupSymbol<func::FuncOp>(name);
    int raised = 0;
    after.walk([&](Operation *op) {
      raised += op->getName().getStringRef() == GetParam().op;
    });
    EXPECT_GE(raised, 1) << name.str();
    std::vector<reference::Tensor> arguments;
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      arguments.push_back(makeArgument(i, type, random));
    auto expected =
        reference::interpret(function, arguments, reference::Rounding::F64);
    auto actual =
        reference::interpret(after, arguments, reference::Rounding::F64);
    ASSERT_TRUE(succeeded(expected) && succeeded(actual)) << name.str();
    ASSERT_EQ(actual->size(), expected->size());
    for (auto [a, b] : llvm::zip_equal(*actual, *expected))
      expectEqual(a, b, name);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Spellings, RaiseAttention,
    testing::Values(
        raisesAttention("test/Dialect/Attn/Transforms/raise-attention.mlir"),
        raisesAttention("examples/torch_manual_scaled.mlir"),
        raisesAttention("examples/torch_sdpa_causal.mlir"),
        raisesAttention("examples/torch_sdpa_mask.mlir"),
        raisesAttention("examples/jax_dpa_causal.mlir"),
        raisesAttention("examples/jax_dpa_bias.mlir")));

INSTANTIATE_TEST_SUITE_P(
    Blocks, RaiseAttention,
    testing::Values(raises<NormOp, createRaiseNormPass>(
                        "test/Dialect/Attn/Transforms/raise-norm.mlir"),
                    raises<ActivationOp, createRaiseActivationPass>(
                        "test/Dialect/Attn/Transforms/raise-activation.mlir"),
                    raises<LinearOp, createRaiseLinearPass>(
                        "test/Dialect/Attn/Transforms/raise-linear.mlir"),
                    raises<RopeOp, createRaiseRopePass>(
                        "test/Dialect/Attn/Transforms/raise-rope.mlir")));

} // namespace
