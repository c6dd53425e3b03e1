//===- StepProfile.cpp - What the steps of a kernel take ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/StepProfile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include <algorithm>
#include <map>
#include <tuple>

using namespace attn;
using llvm::Expected;
using llvm::format;

void StepCounter::begin() {
  std::fill_n(counts, 2 * steps.size(), 0);
  timer = Stopwatch();
  beginTicks = __builtin_readcyclecounter();
}

/// The longest first; equal ones by their names.
static void sortLongestFirst(std::vector<StepTime> &steps) {
  llvm::sort(steps, [](const StepTime &a, const StepTime &b) {
    return std::tie(b.seconds, a.step.name, a.step.location) <
           std::tie(a.seconds, b.step.name, b.step.location);
  });
}

StepProfile StepCounter::read(uint64_t calls) const {
  double total = timer.getSeconds();
  // Ticks of the same counter in the same time.
  double tick =
      total / static_cast<double>(__builtin_readcyclecounter() - beginTicks);
  StepProfile profile;
  profile.calls = calls;
  double divisor = static_cast<double>(std::max<uint64_t>(calls, 1));
  profile.seconds = total / divisor;
  for (auto [number, step] : llvm::enumerate(steps)) {
    const uint64_t *pair = counts + 2 * number;
    // Of the forms of a kernel one runs.
    if (pair[1] != 0)
      profile.steps.push_back({step,
                               tick * static_cast<double>(pair[0]) / divisor,
                               static_cast<double>(pair[1]) / divisor});
  }
  sortLongestFirst(profile.steps);
  return profile;
}

Expected<StepProfile> attn::profileSteps(Execution &execution,
                                         const CompiledProgram &compiled,
                                         double seconds) {
  constexpr uint64_t minCalls = 5;
  // The run before has faulted pages in; its counts are not of interest.
  StepCounter counter(compiled.steps, compiled.stepCounts);
  uint64_t calls = 0;
  for (; calls < minCalls || counter.getSeconds() < seconds; ++calls)
    if (llvm::Error error = execution.run())
      return std::move(error);
  return counter.read(calls);
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
  sortLongestFirst(kinds);
  return kinds;
}

static void printLine(const StepProfile &profile, double seconds,
                      llvm::StringRef text, llvm::raw_ostream &os) {
  os << format("  %5.1f %% %10.4g ms  ", profile.getShare(seconds),
               1e3 * seconds)
     << text << "\n";
}

void attn::printProfile(const StepProfile &profile, llvm::raw_ostream &os) {
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

void attn::writeProfile(const StepProfile &profile, llvm::json::OStream &json) {
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
