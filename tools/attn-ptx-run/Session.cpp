//===- Session.cpp - All schedules of one launch --------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "InputFile.h"
#include "attn/Support/NumpyFile.h"
#include "attn/Support/OutputFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <chrono>

using namespace attn;
using namespace attn::ptxrun;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

bool SessionResult::clean() const {
  return llvm::all_of(runs, [](const ScheduleRun &run) {
    return run.report.clean() && !run.differs;
  });
}

static Expected<std::string> chooseKernel(const ptx::Module &module,
                                          StringRef asked, StringRef file) {
  std::vector<std::string> kernels = module.kernels();
  if (asked.empty() && kernels.size() == 1)
    return kernels.front();
  if (!asked.empty() && llvm::is_contained(kernels, asked))
    return asked.str();
  return createStringError(file + ": " +
                           (asked.empty() ? "--kernel is needed"
                                          : "no kernel '" + asked.str() + "'") +
                           "; there are: " + llvm::join(kernels, ", "));
}

/// The simulator knows the line, this tool the file.
static Error atFile(StringRef file, Error error) {
  std::string message = llvm::toString(std::move(error));
  StringRef rest = message;
  return createStringError(file + (rest.consume_front("line ") ? ":" : ": ") +
                           rest);
}

static std::vector<ptx::Schedule> listSchedules(const Flags &flags) {
  if (flags.schedule)
    return {*flags.schedule};
  std::vector<ptx::Schedule> schedules = {ptx::Schedule::earliest(),
                                          ptx::Schedule::latest()};
  for (unsigned seed = 1; seed <= flags.seeds; ++seed)
    schedules.push_back(ptx::Schedule::seeded(seed));
  return schedules;
}

/// Compares what will be written with the first schedule's.
static std::optional<size_t>
findDifference(const Arguments &arguments,
               const std::vector<std::vector<uint8_t>> &first) {
  for (auto [index, buffer] : llvm::enumerate(arguments.buffers))
    if (!buffer.output.empty() && arguments.storage[index] != first[index])
      return index;
  return std::nullopt;
}

static Error runSchedules(const Flags &flags, const ptx::Module &module,
                          Arguments &arguments, SessionResult &result,
                          std::vector<std::vector<uint8_t>> &first) {
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + std::chrono::seconds(flags.seconds);
  for (const ptx::Schedule &schedule : listSchedules(flags)) {
    auto left = std::chrono::ceil<std::chrono::seconds>(end - Clock::now());
    if (left.count() <= 0 && !result.runs.empty()) {
      ++result.skipped;
      continue;
    }
    arguments.reset();
    ptx::Options options;
    options.schedule = schedule;
    options.threads = flags.threads;
    options.maxSeconds = std::max<int64_t>(left.count(), 1);
    options.checkRaces = flags.checkRaces;
    options.strict = flags.strict;
    // Counts hardly depend on the schedule, so one run counts for all.
    options.profile =
        result.runs.empty() && (flags.profile || !flags.reportFile.empty());
    Expected<ptx::Report> report = ptx::run(module, arguments.launch, options);
    if (!report)
      return atFile(flags.file, report.takeError());
    ScheduleRun run{schedule, std::move(*report), std::nullopt};
    if (result.runs.empty())
      first = arguments.storage;
    else if (run.report.clean() && result.runs.front().report.clean())
      run.differs = findDifference(arguments, first);
    result.runs.push_back(std::move(run));
  }
  return Error::success();
}

static Error writeOutputs(Arguments &arguments,
                          const std::vector<std::vector<uint8_t>> &contents) {
  for (auto [index, buffer] : llvm::enumerate(arguments.buffers)) {
    if (buffer.output.empty())
      continue;
    std::copy(contents[index].begin(), contents[index].end(),
              buffer.initial.getDataAs<uint8_t>());
    if (Error error = writeOutput(buffer.output, formatNpy(buffer.initial)))
      return error;
  }
  return Error::success();
}

Expected<SessionResult> attn::ptxrun::runSession(const Flags &flags) {
  auto buffer = readInput(flags.file, kMaxTextBytes);
  if (!buffer)
    return buffer.takeError();
  Expected<ptx::Module> module = ptx::Module::parse((*buffer)->getBuffer());
  if (!module)
    return atFile(flags.file, module.takeError());
  SessionResult result;
  Expected<std::string> kernel =
      chooseKernel(*module, flags.kernel, flags.file);
  if (!kernel)
    return kernel.takeError();
  result.kernel = *kernel;
  Expected<Arguments> arguments =
      parseArguments(flags.arguments, module->parameters(*kernel));
  if (!arguments)
    return arguments.takeError();
  arguments->launch.kernel = *kernel;
  arguments->launch.grid = flags.grid;
  arguments->launch.block = flags.block;
  arguments->launch.cluster = flags.cluster;
  arguments->launch.dynamicShared = flags.shared;
  for (StringRef line : llvm::split((*buffer)->getBuffer(), '\n'))
    result.source.push_back(line.trim().str());

  std::vector<std::vector<uint8_t>> first;
  if (Error error = runSchedules(flags, *module, *arguments, result, first))
    return std::move(error);
  if (result.clean())
    if (Error error = writeOutputs(*arguments, first))
      return std::move(error);
  result.launch = arguments->launch;
  return result;
}
