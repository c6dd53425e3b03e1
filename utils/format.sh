#!/usr/bin/env bash
# Formats every C and C++ file as utils/check.sh wants it.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
find include lib tools test benchmarks \( -name '*.h' -o -name '*.cpp' -o -name '*.c' \) -print0 |
  xargs -0 clang-format-22 -i "$@"
