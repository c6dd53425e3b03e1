//===- ReferenceTest.h - Runs module text through the reference -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TEST_UNITTESTS_REFERENCE_REFERENCETEST_H
#define ATTN_TEST_UNITTESTS_REFERENCE_REFERENCETEST_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Reference/Interpreter.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>
#include <limits>

namespace attn::reference {

/// Parses modules and runs their only public function.
class ReferenceTest : public testing::Test {
protected:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  ReferenceTest() {
    context.loadDialect<AttnDialect, mlir::affine::AffineDialect,
                        mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                        mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                        mlir::math::MathDialect, mlir::scf::SCFDialect,
                        mlir::tensor::TensorDialect>();
  }

  mlir::Type type(const char *text) { return mlir::parseType(text, &context); }

  Tensor floats(const char *element, std::vector<int64_t> shape,
                std::vector<double> values) {
    Tensor tensor(type(element), shape);
    EXPECT_EQ(size_t(tensor.getNumElements()), values.size());
    tensor.floats = std::move(values);
    return tensor;
  }
  Tensor ints(const char *element, std::vector<int64_t> shape,
              std::vector<int64_t> values) {
    Tensor tensor(type(element), shape);
    EXPECT_EQ(size_t(tensor.getNumElements()), values.size());
    tensor.ints = std::move(values);
    return tensor;
  }
  /// All elements the same.
  Tensor full(const char *element, std::vector<int64_t> shape, double value) {
    Tensor tensor(type(element), shape);
    std::fill(tensor.floats.begin(), tensor.floats.end(), value);
    return tensor;
  }

  /// The results, or nothing (with the diagnostics in `messages`).
  std::vector<Tensor> run(const std::string &text,
                          const std::vector<Tensor> &arguments,
                          Rounding rounding = Rounding::F64) {
    messages.clear();
    mlir::ScopedDiagnosticHandler handler(&context,
                                          [&](mlir::Diagnostic &diagnostic) {
                                            messages += diagnostic.str() + "\n";
                                            return mlir::success();
                                          });
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return {};
    for (auto function : module->getOps<mlir::func::FuncOp>())
      if (function.isPublic()) {
        auto results = interpret(function, arguments, rounding);
        if (succeeded(results))
          return *results;
      }
    return {};
  }

  mlir::MLIRContext context;
  std::string messages;
};

} // namespace attn::reference

#endif // ATTN_TEST_UNITTESTS_REFERENCE_REFERENCETEST_H
