//===- MalformedTest.cpp - Text that once hung or broke the parser --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the fuzzers of test/fuzz found, cut down to the part that mattered.
//
//===----------------------------------------------------------------------===//

#include "attn-ptxsim/PTXSim.h"

#include "gtest/gtest.h"

using namespace attn::ptx;

/// The error of parsing the text, empty if there is none.
static std::string errorOf(llvm::StringRef text) {
  llvm::Expected<Module> module = Module::parse(text);
  return module ? std::string() : llvm::toString(module.takeError());
}

// A statement that is skipped up to its ';' ended inside a comment without an
// end, which the lexer gave again and again.
TEST(MalformedPTX, CommentWithoutEnd) {
  for (const char *text :
       {".version 8.4\n.alias /* no end", ".version 8.4\n.section x { /*",
        ".version 8.4\n.entry k() { /*", ".version 8.4\n/*",
        ".version 8.4\n.func .attribute /*", "/*"}) {
    std::string error = errorOf(text);
    EXPECT_NE(error.find("a comment has no end"), std::string::npos)
        << text << ": " << error;
  }
}
