//===- Session.h - All schedules of one launch ------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TOOLS_PTXRUN_SESSION_H
#define ATTN_TOOLS_PTXRUN_SESSION_H

#include "Arguments.h"
#include "Flags.h"

namespace attn::ptxrun {

struct ScheduleRun {
  ptx::Schedule schedule;
  ptx::Report report;
  /// The first output (by argument) whose bytes differ from the first run's.
  std::optional<size_t> differs;
};

struct SessionResult {
  std::string kernel;
  ptx::Launch launch;
  std::vector<ScheduleRun> runs;
  /// Schedules that the time limit left no time for.
  unsigned skipped = 0;
  std::vector<std::string> source; ///< Lines of the PTX.

  bool clean() const;
};

/// Runs the kernel under every schedule and writes the outputs of a clean
/// session. An error is bad input; nothing has been written then.
llvm::Expected<SessionResult> runSession(const Flags &flags);

/// What a person reads.
void printReport(llvm::raw_ostream &os, const Flags &flags,
                 const SessionResult &result);

/// What a program reads.
llvm::Error writeReport(llvm::StringRef path, const Flags &flags,
                        const SessionResult &result);

} // namespace attn::ptxrun

#endif // ATTN_TOOLS_PTXRUN_SESSION_H
