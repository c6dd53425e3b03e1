//===- write-remarks.cpp - The table of remarks as a page -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of the build that prints docs/reference/Remarks.md.
//
//===----------------------------------------------------------------------===//

#include <cstdio>

int main() {
  std::puts("<!-- Made of include/attn/Remarks/Remarks.def; do not edit. -->");
  std::puts("| id | kind | text | meaning |");
  std::puts("|---|---|---|---|");
#define ATTN_REMARK(Name, Number, Kind, Text, Explanation)                     \
  std::printf("| `attn-r%d` | %s | %s | %s |\n", Number, #Kind, Text,          \
              Explanation);
#include "attn/Remarks/Remarks.def"
  return 0;
}
