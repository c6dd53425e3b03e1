//===- InstructionForms.cpp - Which instructions the tests have run -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionForms.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

using namespace llvm;

namespace attn::ptx::test {

static std::set<std::string> &forms() {
  static std::set<std::string> all;
  return all;
}

/// The statement without comments, labels and guards before the instruction.
static StringRef instructionOf(StringRef statement) {
  auto isSpace = [](char c) { return c <= ' '; };
  for (;;) {
    statement = statement.ltrim();
    if (statement.starts_with("//"))
      statement = statement.drop_until([](char c) { return c == '\n'; });
    else if (statement.starts_with("@") || statement.starts_with("{") ||
             statement.take_until(isSpace).ends_with(":"))
      statement = statement.drop_until(isSpace);
    else
      return statement.take_until(isSpace);
  }
}

void noteForms(StringRef code) {
  SmallVector<StringRef> statements;
  code.split(statements, ';');
  for (StringRef statement : statements) {
    StringRef name = instructionOf(statement);
    if (!name.empty() && isAlpha(name[0]))
      forms().insert(name.str());
  }
}

namespace {
struct PrintForms : ::testing::Environment {
  void TearDown() override {
    outs() << forms().size() << " forms of instructions were executed\n";
    const char *path = std::getenv("ATTN_PTX_FORMS");
    if (!path)
      return;
    std::error_code failure;
    raw_fd_ostream file(path, failure, sys::fs::OF_Append);
    EXPECT_FALSE(failure) << failure.message();
    for (const std::string &form : forms())
      file << form << "\n";
  }
};
} // namespace
static ::testing::Environment *const printForms =
    ::testing::AddGlobalTestEnvironment(new PrintForms);

} // namespace attn::ptx::test
