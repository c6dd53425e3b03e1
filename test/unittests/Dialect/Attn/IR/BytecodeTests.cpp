//===- BytecodeTests.cpp - Versions of the dialect in bytecode ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/IR/DialectVersion.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

constexpr llvm::StringLiteral kProgram = R"(
  func.func @f(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
    %r = attn.activation relu %x : tensor<2x8xf32>
    return %r : tensor<2x8xf32>
  })";

class BytecodeTest : public ::testing::Test {
protected:
  BytecodeTest() {
    context.loadDialect<attn::AttnDialect, func::FuncDialect>();
  }

  std::string write(std::optional<uint64_t> version = std::nullopt) {
    auto module = parseSourceString<ModuleOp>(kProgram, &context);
    BytecodeWriterConfig config;
    if (version)
      config.setDialectVersion<attn::AttnDialect>(
          std::make_unique<attn::DialectVersion>(*version));
    std::string bytes;
    llvm::raw_string_ostream stream(bytes);
    EXPECT_TRUE(module &&
                succeeded(writeBytecodeToFile(*module, stream, config)));
    return bytes;
  }

  /// The module as text, or what is wrong with it.
  std::string read(StringRef bytes) {
    std::string text;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      text += diagnostic.str();
      return success();
    });
    auto module = parseSourceString<ModuleOp>(bytes, &context);
    if (!module)
      return text;
    llvm::raw_string_ostream(text) << *module;
    return text;
  }

  MLIRContext context;
};

} // namespace

TEST_F(BytecodeTest, ReadsItsOwnVersion) {
  EXPECT_EQ(write(), write(attn::DialectVersion::kCurrent));
  EXPECT_NE(read(write()).find("attn.activation relu"), std::string::npos);
}

TEST_F(BytecodeTest, RefusesALaterVersion) {
  uint64_t later = attn::DialectVersion::kCurrent + 41;
  std::string text = read(write(later));
  EXPECT_NE(text.find("written with version " + std::to_string(later) +
                      " of the attn dialect, and this program reads up to " +
                      std::to_string(attn::DialectVersion::kCurrent)),
            std::string::npos)
      << text;
}
