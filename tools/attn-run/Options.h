//===- Options.h - What the command line asks for ---------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_RUN_OPTIONS_H
#define ATTN_RUN_OPTIONS_H

#include "attn/Compiler/Errors.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace attn::run {

struct Options {
  std::string file;
  std::string entry;
  std::vector<std::string> inputs;
  std::string expect;
  /// A file to interpret in the place of compiled code.
  std::string interpret;
  std::string target;
  std::string output;
  std::string json;
  std::string dumpDir;
  /// A page about the compilation.
  std::string report;
  uint64_t seed = 0;
  /// Sizes of arguments by position.
  std::map<unsigned, llvm::SmallVector<int64_t>> shapes;
  std::optional<double> benchSeconds;
  /// Run in the simulator, under this many seeds beside two fixed schedules.
  std::optional<unsigned> simulateSeeds;
  /// The command that runs programs of the target's machine, or `amx`; empty
  /// for none.
  std::string emulator;
  int threads = 1;
  bool check = false;
  bool remarks = false;
  bool portable = false;
  bool profile = false;
  bool innerChecks = true;
};

/// Parses the command line. Leaves the process for --help and --version.
llvm::Expected<Options> parseOptions(int argc, char **argv);

} // namespace attn::run

#endif // ATTN_RUN_OPTIONS_H
