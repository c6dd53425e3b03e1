//===- CodeGenErrorsTest.cpp - What LLVM complains of ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/CodeGenErrors.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace attn;

namespace {

class CodeGenErrorsTest : public testing::Test {
protected:
  /// What the module would be told, severity first.
  std::string told;
  MLIRContext context;
  ScopedDiagnosticHandler handler{&context, [this](Diagnostic &diagnostic) {
                                    told += diagnostic.getSeverity() ==
                                                    DiagnosticSeverity::Warning
                                                ? "w:"
                                                : "e:";
                                    told += diagnostic.str();
                                  }};
  llvm::LLVMContext llvmContext;
  CodeGenErrors errors{llvmContext};

  std::string take() {
    return llvm::toString(errors.take(UnknownLoc::get(&context)));
  }
  void complain(llvm::Twine text, llvm::DiagnosticSeverity severity) {
    llvmContext.diagnose(llvm::DiagnosticInfoGeneric(text, severity));
  }
};

TEST_F(CodeGenErrorsTest, ErrorsAreTakenOnce) {
  complain("too many registers", llvm::DS_Error);
  complain("no such unit", llvm::DS_Error);
  EXPECT_EQ(take(), "LLVM: too many registers; no such unit");
  EXPECT_EQ(take(), "");
  EXPECT_EQ(told, "");
}

TEST_F(CodeGenErrorsTest, WarningsBecomeThoseOfTheModule) {
  complain("a large frame", llvm::DS_Warning);
  complain("a loop was vectorized", llvm::DS_Remark);
  EXPECT_EQ(take(), "");
  EXPECT_EQ(told, "w:LLVM: a large frame");
}

} // namespace
