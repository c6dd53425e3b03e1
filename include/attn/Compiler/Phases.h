//===- Phases.h - What a tool is doing --------------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_PHASES_H
#define ATTN_COMPILER_PHASES_H

#include "attn/Support/Stopwatch.h"
#include "llvm/ADT/ArrayRef.h"
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace attn {

/// The phases of a tool's run, one after the other: for the report of a crash,
/// for --json, and for who waits at a terminal. There the name of a phase is
/// written to stderr once the run has taken two seconds; elsewhere nothing is.
class Phases {
public:
  explicit Phases(std::string tool);
  ~Phases();
  Phases(const Phases &) = delete;
  Phases &operator=(const Phases &) = delete;

  /// Ends the phase before; null begins none. The name has to stay.
  void enter(const char *name);

  struct Time {
    const char *name;
    double seconds;
  };
  /// Of the phases that have ended, in the order of their beginnings.
  llvm::ArrayRef<Time> getTimes() const { return times; }

private:
  void writeProgress();

  std::string tool;
  std::vector<Time> times;
  Stopwatch total, sinceEntry;
  const char *current = nullptr;
  /// Where stderr is a terminal. `mutex` guards what the thread reads.
  std::thread watcher;
  std::mutex mutex;
  std::condition_variable wake;
  const char *toShow = nullptr;
  bool isDone = false;
};

} // namespace attn

#endif // ATTN_COMPILER_PHASES_H
