//===- Options.cpp - What the command line asks for -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "attn/Compiler/CommandLine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"

using namespace attn;
using namespace attn::run;
using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;
namespace cl = llvm::cl;

namespace {

/// The flags as LLVM's parser fills them. They live only while parsing.
struct Flags {
  cl::OptionCategory category{"attn-run options"};
  cl::opt<std::string> file{cl::Positional, cl::Required,
                            cl::desc("FILE.mlir, or - for standard input"),
                            cl::cat(category)};
  cl::opt<std::string> entry{
      "entry", cl::desc("Function to run (default: the only public one)"),
      cl::value_desc("NAME"), cl::cat(category)};
  cl::list<std::string> inputs{
      "inputs", cl::CommaSeparated,
      cl::desc("Arguments: .npz files with arg0, arg1, ... or .npy files in "
               "order (default: seeded random data)"),
      cl::value_desc("FILE,..."), cl::cat(category)};
  cl::opt<uint64_t> seed{"seed", cl::desc("Seed of the random arguments"),
                         cl::init(0), cl::cat(category)};
  cl::list<std::string> shapes{
      "shape", cl::desc("Sizes of argument ARG, for dynamic dimensions"),
      cl::value_desc("ARG:AxBxC"), cl::cat(category)};
  cl::opt<std::string> expect{
      "expect", cl::desc("Compare the results with out0, out1, ..."),
      cl::value_desc("FILE.npz"), cl::cat(category)};
  cl::opt<bool> check{"check",
                      cl::desc("Compare the results with the f64 reference"),
                      cl::cat(category)};
  cl::opt<std::string> interpret{
      "interpret",
      cl::desc("With --check: compare what the reference makes of this file, "
               "the program after passes, instead of compiling"),
      cl::value_desc("FILE.mlir"), cl::cat(category)};
  cl::opt<std::string> target{
      "target",
      cl::desc("cpu, cpu:x86-64, cpu:x86-64-v3, "
               "cpu:x86-64-v4, cpu:x86-64-v4-bf16, "
               "cpu:x86-64-v4-amx, cpu:x86-64-v4-amx-fp16, "
               "cpu:aarch64, "
               "cpu:aarch64-sve2, or nvptx:sm_80 and "
               "later ones"),
      cl::init("cpu"), cl::cat(category)};
  cl::opt<std::string> bench{
      "bench", cl::ValueOptional,
      cl::desc("Measure for this long beside the machine's peaks (default 1)"),
      cl::value_desc("SECONDS"), cl::cat(category)};
  cl::opt<int> threads{"threads", cl::desc("Threads (default 1)"), cl::init(1),
                       cl::value_desc("N"), cl::cat(category)};
  cl::opt<std::string> json{"json", cl::desc("Write the report as JSON"),
                            cl::value_desc("FILE"), cl::cat(category)};
  cl::opt<std::string> output{"output", cl::desc("Write out0, out1, ..."),
                              cl::value_desc("FILE.npz"), cl::cat(category)};
  cl::opt<std::string> dumpDir{
      "dump-dir",
      cl::desc("Write the IR after each phase, LLVM IR and assembly"),
      cl::value_desc("DIR"), cl::cat(category)};
  cl::opt<std::string> report{
      "report",
      cl::desc("Write a page of the compilation: phases side by side, remarks "
               "at their lines, schedules, and times with --profile"),
      cl::value_desc("FILE.html"), cl::cat(category)};
  cl::opt<bool> remarks{"remarks",
                        cl::desc("Print what was fused and what was not"),
                        cl::cat(category)};
  cl::opt<std::string> simulate{
      "simulate", cl::ValueOptional,
      cl::desc("Run in the GPU simulator: all asynchronous operations early, "
               "late, and at random for each seed (default 1)"),
      cl::value_desc("SEEDS"), cl::cat(category)};
  cl::opt<std::string> emulator{
      "emulator",
      cl::desc("Run the code of another machine as a program in this emulator, "
               "as \"qemu-aarch64\"; needs that machine's C compiler. amx: "
               "emulate Intel's tiles, in this process"),
      cl::value_desc("COMMAND"), cl::cat(category)};
  cl::opt<bool> profile{
      "profile",
      cl::desc("Time each step of the kernel; with --simulate count "
               "instructions, memory sectors and bank conflicts"),
      cl::cat(category)};
  cl::opt<bool> portable{
      "portable", cl::desc("Take the portable path, without any schedule"),
      cl::cat(category)};
  cl::opt<bool> noChecks{
      "no-checks",
      cl::desc("Check sizes at the entry only: what stands inside of kernels "
               "trusts indices, and sizes that only exist there"),
      cl::cat(category)};
};

} // namespace

/// Parses `0:2x8x?x64`-like text, sizes only, into an entry of `shapes`.
static llvm::Error
parseShape(StringRef text,
           std::map<unsigned, llvm::SmallVector<int64_t>> &shapes) {
  auto bad = [&] {
    return createStringError("--shape=" + text +
                             ": expected ARG:AxBxC, as in 0:1x8x128x64");
  };
  auto [argument, sizes] = text.split(':');
  argument.consume_front("arg");
  unsigned index;
  if (!text.contains(':') || argument.getAsInteger(10, index))
    return bad();
  llvm::SmallVector<int64_t> shape;
  for (StringRef part : llvm::split(sizes, 'x')) {
    if (sizes.empty())
      break;
    int64_t size;
    if (part.getAsInteger(10, size) || size < 0)
      return bad();
    shape.push_back(size);
  }
  if (!shapes.emplace(index, shape).second)
    return createStringError("--shape: argument " + llvm::Twine(index) +
                             " is given twice");
  return llvm::Error::success();
}

static llvm::Error convert(const Flags &flags, Options &options) {
  options.file = flags.file;
  options.entry = flags.entry;
  options.inputs = {flags.inputs.begin(), flags.inputs.end()};
  options.expect = flags.expect;
  options.interpret = flags.interpret;
  options.target = flags.target;
  options.emulator = flags.emulator;
  options.output = flags.output;
  options.json = flags.json;
  options.dumpDir = flags.dumpDir;
  options.report = flags.report;
  options.seed = flags.seed;
  options.threads = flags.threads;
  options.check = flags.check;
  options.remarks = flags.remarks;
  options.portable = flags.portable;
  options.innerChecks = !flags.noChecks;
  for (const std::string &shape : flags.shapes)
    if (llvm::Error error = parseShape(shape, options.shapes))
      return error;
  options.profile = flags.profile;
  if (flags.simulate.getNumOccurrences()) {
    unsigned seeds = 1;
    if (!flags.simulate.empty() &&
        (StringRef(flags.simulate).getAsInteger(10, seeds) || seeds > 1000))
      return createStringError("--simulate=" + flags.simulate +
                               ": expected a number of seeds, 0 to 1000");
    options.simulateSeeds = seeds;
  }
  if (flags.profile && !options.simulateSeeds &&
      StringRef(flags.target).starts_with("nvptx"))
    return createStringError("--profile: of a GPU only with --simulate");
  if (flags.bench.getNumOccurrences() && options.simulateSeeds)
    return createStringError("--bench: a simulator's times say nothing about a "
                             "GPU; --profile has its counts");
  if (flags.emulator.getNumOccurrences() &&
      (flags.bench.getNumOccurrences() || flags.profile))
    return createStringError(
        "--emulator: an emulator's times say nothing about "
        "a machine; leave out --bench and --profile");
  if (flags.emulator.getNumOccurrences() &&
      (options.simulateSeeds || StringRef(flags.target).starts_with("nvptx")))
    return createStringError("--emulator: is for processors; --simulate runs "
                             "code for a GPU");
  if (!options.interpret.empty() &&
      (!flags.check || !flags.expect.empty() || !flags.output.empty() ||
       flags.simulate.getNumOccurrences() || flags.bench.getNumOccurrences()))
    return createStringError("--interpret: needs --check, and nothing else "
                             "that a kernel would be for");
  if (flags.threads < 1 || flags.threads > 1024)
    return createStringError("--threads: expected 1 to 1024");
  if (flags.bench.getNumOccurrences()) {
    double seconds = 1.0;
    if (!flags.bench.empty() && (StringRef(flags.bench).getAsDouble(seconds) ||
                                 !(seconds > 0) || seconds > 3600))
      return createStringError("--bench=" + flags.bench +
                               ": expected a number of seconds");
    options.benchSeconds = seconds;
  }
  std::vector<std::string> others(options.inputs);
  others.insert(others.end(),
                {options.file, options.expect, options.interpret});
  const std::pair<StringRef, const std::string *> outputs[] = {
      {"--output", &options.output},
      {"--report", &options.report},
      {"--json", &options.json}};
  for (auto [flag, path] : outputs) {
    if (llvm::Error error = checkWritable(flag, *path))
      return error;
    if (llvm::Error error = checkDistinct((flag + "=").str(), *path, others))
      return error;
    others.push_back(*path);
  }
  return llvm::Error::success();
}

Expected<Options> attn::run::parseOptions(int argc, char **argv) {
  removeForeignFlags();
  Flags flags;
  cl::HideUnrelatedOptions(flags.category);
  if (llvm::Error error = parseFlags(argc, argv,
                                     "Compiles a kernel in memory, runs, "
                                     "checks and measures it\n"))
    return std::move(error);
  Options options;
  if (llvm::Error error = convert(flags, options))
    return std::move(error);
  return options;
}
