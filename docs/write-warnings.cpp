//===- write-warnings.cpp - The tables of warnings as a page --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of the build that prints docs/reference/Warnings.md.
//
//===----------------------------------------------------------------------===//

#include <cstdio>

int main() {
  std::puts("<!-- Made of LintWarnings.def and MomentWarnings.def in "
            "include/attn/Analysis; do not edit. -->");
  std::puts("| id | text | meaning |");
  std::puts("|---|---|---|");
#define ATTN_WARNING(Name, Number, Text, Explanation)                          \
  std::printf("| `attn-w%d` | %s | %s |\n", Number, Text, Explanation);
#include "attn/Analysis/LintWarnings.def"
#define ATTN_MOMENT_WARNING(Kind, Number, Name, Before, Between, Behind,       \
                            Explanation)                                       \
  std::printf("| `attn-w%d` | " Before "{value}" Between "{limit}" Behind      \
              " | %s |\n",                                                     \
              Number, Explanation);
#include "attn/Analysis/MomentWarnings.def"
  return 0;
}
