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

// One comment may follow another, from the first character on.
TEST(MalformedPTX, CommentsInARow) {
  EXPECT_EQ(errorOf("/**//* two */ /*3*//**/.version 8.4\n.target sm_90\n"
                    ".address_size 64\n/* a *//* b */"),
            "");
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

// More does not fit the memory that parameters have.
TEST(MalformedPTX, BytesOfParameters) {
  for (size_t bytes : {32764u, 32765u}) {
    llvm::Expected<Module> module =
        Module::parse(".version 8.4\n.target sm_90\n.address_size 64\n"
                      ".visible .entry k(.param .align 1 .b8 p[" +
                      std::to_string(bytes) + "])\n{ ret; }\n");
    ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
    Launch launch;
    launch.arguments.resize(1);
    launch.arguments[0].bytes.resize(bytes);
    llvm::Expected<Report> report = run(*module, launch);
    std::string error =
        report ? std::string() : llvm::toString(report.takeError());
    EXPECT_EQ(error.find("more than 32764 bytes") != std::string::npos,
              bytes > 32764)
        << error;
    EXPECT_EQ(error.empty(), bytes <= 32764) << error;
  }
}
