//===- Profile.cpp - What the steps of a kernel take ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profile.h"
#include "attn/Support/Stopwatch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include <algorithm>
#include <map>

using namespace attn;
using namespace attn::run;
using llvm::Expected;
using llvm::format;

Expected<StepProfile> attn::run::profileSteps(Execution &execution,
                                              const CompiledProgram &compiled,
                                              double seconds) {
  constexpr uint64_t minCalls = 5;
  // The run before has faulted pages in; its counts are not of interest.
  std::fill_n(compiled.stepCounts, 2 * compiled.steps.size(), 0);
  StepProfile profile;
  Stopwatch timer;
  uint64_t begin = __builtin_readcyclecounter();
  while (profile.calls < minCalls || timer.getSeconds() < seconds) {
    if (llvm::Error error = execution.run())
      return std::move(error);
    ++profile.calls;
  }
  double total = timer.getSeconds();
  // Ticks of the same counter in the same time.
  double tick =
      total / static_cast<double>(__builtin_readcyclecounter() - begin);
  double calls = static_cast<double>(profile.calls);
  profile.seconds = total / calls;
  for (auto [number, step] : llvm::enumerate(compiled.steps)) {
    const uint64_t *counts = compiled.stepCounts + 2 * number;
    // Of the forms of a kernel one runs.
    if (counts[1] != 0)
      profile.steps.push_back({step,
                               tick * static_cast<double>(counts[0]) / calls,
                               static_cast<double>(counts[1]) / calls});
  }
  llvm::stable_sort(profile.steps, [](const StepTime &a, const StepTime &b) {
    return a.seconds > b.seconds;
  });
  return profile;
}

/// The steps of one kind together, the longest first.
static std::vector<StepTime> sumByName(const StepProfile &profile) {
  std::map<std::string, StepTime> sums;
  for (const StepTime &time : profile.steps) {
    StepTime &sum = sums[time.step.name];
    sum.step.name = time.step.name;
    sum.seconds += time.seconds;
    sum.runs += time.runs;
  }
  std::vector<StepTime> kinds;
  for (auto &[name, sum] : sums)
    kinds.push_back(sum);
  llvm::stable_sort(kinds, [](const StepTime &a, const StepTime &b) {
    return a.seconds > b.seconds;
  });
  return kinds;
}

static void printLine(const StepProfile &profile, double seconds,
                      llvm::StringRef text, llvm::raw_ostream &os) {
  os << format("  %5.1f %% %10.4g ms  ", profile.getShare(seconds),
               1e3 * seconds)
     << text << "\n";
}

void attn::run::printProfile(const StepProfile &profile,
                             llvm::raw_ostream &os) {
  os << format("  profile of %llu calls, %.4g ms each\n",
               static_cast<unsigned long long>(profile.calls),
               1e3 * profile.seconds);
  double rest = profile.seconds;
  for (const StepTime &time : profile.steps) {
    std::string text = time.step.name;
    if (!time.step.location.empty())
      text += " at " + time.step.location;
    if (time.runs != 1)
      text += llvm::formatv(", {0:f1} runs", time.runs).str();
    printLine(profile, time.seconds, text, os);
    rest -= time.seconds;
  }
  printLine(profile, std::max(rest, 0.0), "between the steps", os);
  std::vector<StepTime> kinds = sumByName(profile);
  if (kinds.size() == profile.steps.size())
    return;
  os << "  by kind\n";
  for (const StepTime &kind : kinds)
    printLine(
        profile, kind.seconds,
        llvm::formatv("{0}, {1:f1} runs", kind.step.name, kind.runs).str(), os);
}

void attn::run::writeProfile(const StepProfile &profile,
                             llvm::json::OStream &json) {
  json.attribute("calls", static_cast<int64_t>(profile.calls));
  json.attribute("seconds", profile.seconds);
  json.attributeArray("steps", [&] {
    for (const StepTime &time : profile.steps)
      json.object([&] {
        json.attribute("name", time.step.name);
        json.attribute("location", llvm::json::fixUTF8(time.step.location));
        json.attribute("seconds", time.seconds);
        json.attribute("runs", time.runs);
      });
  });
}
