//===- Flags.h - What the command line asks for -----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TOOLS_PTXRUN_FLAGS_H
#define ATTN_TOOLS_PTXRUN_FLAGS_H

#include "attn-ptxsim/PTXSim.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace attn::ptxrun {

struct Flags {
  std::string file, kernel;
  ptx::Dim3 grid, block, cluster;
  uint64_t shared = 0;
  std::vector<std::string> arguments;
  /// One schedule only; without it earliest, latest and `seeds` seeds.
  std::optional<ptx::Schedule> schedule;
  unsigned seeds = 1;
  unsigned threads = 0;
  uint64_t seconds = 60;
  bool profile = false;
  bool checkRaces = true;
  bool strict = false;
  std::string reportFile;
};

/// `earliest`, `latest` or the seed.
std::string formatSchedule(const ptx::Schedule &schedule);

/// Reads the command line. Help and version end the program.
llvm::Expected<Flags> parseFlags(int argc, char **argv);

/// A file that cannot be written must be known before the kernel runs.
llvm::Error checkWritable(llvm::StringRef path);

} // namespace attn::ptxrun

#endif // ATTN_TOOLS_PTXRUN_FLAGS_H
