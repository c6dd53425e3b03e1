//===- Flags.cpp - What the command line asks for -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "attn/Support/Version.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace attn::ptxrun;
using attn::ptx::Dim3;
using attn::ptx::Schedule;
using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;
namespace cl = llvm::cl;

static constexpr char kMoreHelp[] = R"(
ARGUMENTS, one for each parameter of the kernel, in order:
  i32:7 u64:1 f32:0.5      a number (i8 to i64, u8 to u64, f32, f64)
  FILE.npy FILE.npz:KEY    memory with that content, at a multiple of 256 bytes
  out:f32:64x64=FILE.npy   memory of that type and shape, not initialised; written
                           to the file (f64 f32 f16 bf16 i8 u8 i16 u16 i32 u32
                           i64 u64; bf16 becomes a file of uint16)
  inout:A.npy=B.npy        memory with the content of A, written to B
  tensormap:SPEC.json      a tensor map: {"buffer": index of the --arg that holds
                           the data, "dtype": "f16", "dims": [64, 128],
                           "strides": [128], "box": [64, 16]}, innermost first,
                           strides in bytes and without the first; also
                           "element_strides", "swizzle" 0|32|64|128, "oob"
                           "zero"|"nan", "byte_offset"
  struct:SPEC.json         bytes by value: {"bytes": hexadecimal digits,
                           "pointers": [{"offset": 0, "buffer": 2}],
                           "maps": [a tensor map with "offset"]}
Further ones are memory that only tensor maps and structs refer to. Outputs are
written when all schedules are clean.

EXIT STATUS
  0  no finding, and every schedule left the same bytes
  1  a race, fault or deadlock was reported, or schedules differ
  2  bad input: the PTX, an argument, a tensor map, launch limits
)";

namespace {

/// The flags as LLVM's parser fills them. They live only while parsing.
struct CommandLine {
  cl::OptionCategory category{"attn-ptx-run options"};
  cl::opt<std::string> file{cl::Positional, cl::Required,
                            cl::desc("FILE.ptx, or - for standard input"),
                            cl::cat(category)};
  cl::opt<std::string> kernel{"kernel",
                              cl::desc("Entry to run (default: the only one)"),
                              cl::value_desc("NAME"), cl::cat(category)};
  cl::opt<std::string> grid{"grid", cl::desc("Blocks"), cl::init("1"),
                            cl::value_desc("X[,Y,Z]"), cl::cat(category)};
  cl::opt<std::string> block{"block", cl::desc("Threads of a block"),
                             cl::init("1"), cl::value_desc("X[,Y,Z]"),
                             cl::cat(category)};
  cl::opt<std::string> cluster{
      "cluster", cl::desc("Blocks of a cluster (default: what the PTX says)"),
      cl::init("1"), cl::value_desc("X[,Y,Z]"), cl::cat(category)};
  cl::opt<std::string> shared{"shared", cl::desc("Dynamic shared memory"),
                              cl::init("0"), cl::value_desc("BYTES"),
                              cl::cat(category)};
  cl::list<std::string> arguments{
      "arg", cl::desc("One for each parameter, in order (see below)"),
      cl::value_desc("ARGUMENT"), cl::cat(category)};
  cl::opt<std::string> schedule{
      "schedule",
      cl::desc("Run this schedule only (default: earliest, latest "
               "and the seeds)"),
      cl::value_desc("earliest|latest|SEED"), cl::cat(category)};
  cl::opt<std::string> seeds{
      "seeds", cl::desc("Seeded schedules to run and compare (default 1)"),
      cl::init("1"), cl::value_desc("N"), cl::cat(category)};
  cl::opt<std::string> threads{
      "threads", cl::desc("Host threads (default: all)"), cl::init("0"),
      cl::value_desc("N"), cl::cat(category)};
  cl::opt<std::string> timeout{
      "timeout", cl::desc("Seconds for all schedules together (default 60)"),
      cl::init("60"), cl::value_desc("SECONDS"), cl::cat(category)};
  cl::opt<bool> profile{"profile",
                        cl::desc("Print instruction counts, bank conflicts and "
                                 "coalescing"),
                        cl::cat(category)};
  cl::opt<bool> noRaces{"no-races",
                        cl::desc("Leave out the happens-before checks"),
                        cl::cat(category)};
  cl::opt<bool> strict{
      "strict",
      cl::desc("Notes are findings: what the PTX ISA asks for, though "
               "compilers leave it out"),
      cl::cat(category)};
  cl::opt<std::string> report{"report", cl::desc("Write the report as JSON"),
                              cl::value_desc("FILE.json"), cl::cat(category)};
  cl::extrahelp help{kMoreHelp};
};

} // namespace

static Expected<Dim3> parseDim3(StringRef flag, StringRef text) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  uint32_t sizes[3] = {1, 1, 1};
  bool good = parts.size() <= 3;
  for (size_t i = 0; good && i < parts.size(); ++i)
    good = !parts[i].getAsInteger(10, sizes[i]) && sizes[i] > 0;
  if (!good)
    return createStringError("--" + flag + "=" + text +
                             ": expected X, X,Y or X,Y,Z, positive numbers of "
                             "32 bits");
  return Dim3{sizes[0], sizes[1], sizes[2]};
}

static Expected<uint64_t> parseNumber(StringRef flag, StringRef text,
                                      uint64_t low, uint64_t high) {
  uint64_t value;
  if (text.getAsInteger(10, value) || value < low || value > high)
    return createStringError("--" + flag + "=" + text +
                             ": expected a number from " + llvm::Twine(low) +
                             " to " + llvm::Twine(high));
  return value;
}

static Expected<Schedule> parseSchedule(StringRef text) {
  uint64_t seed;
  if (text == "earliest")
    return Schedule::earliest();
  if (text == "latest")
    return Schedule::latest();
  if (text.getAsInteger(10, seed))
    return createStringError("--schedule=" + text +
                             ": expected earliest, latest or a seed");
  return Schedule::seeded(seed);
}

std::string attn::ptxrun::formatSchedule(const Schedule &schedule) {
  switch (schedule.kind) {
  case Schedule::Kind::Earliest:
    return "earliest";
  case Schedule::Kind::Latest:
    return "latest";
  case Schedule::Kind::Seeded:
    return std::to_string(schedule.seed);
  }
  llvm_unreachable("all kinds are listed");
}

llvm::Error attn::ptxrun::checkWritable(StringRef path) {
  StringRef parent = llvm::sys::path::parent_path(path);
  if (path.empty())
    return createStringError("an empty file name");
  if (llvm::sys::fs::is_directory(path))
    return createStringError(path + ": is a directory");
  if (llvm::sys::fs::access(parent.empty() ? "." : parent,
                            llvm::sys::fs::AccessMode::Write))
    return createStringError(path + ": its directory cannot be written to");
  return llvm::Error::success();
}

/// Takes a parsed value, or keeps the first error.
template <typename T>
static void take(T &target, Expected<T> value, llvm::Error &error) {
  if (value)
    target = std::move(*value);
  else
    error = llvm::joinErrors(std::move(error), value.takeError());
}

/// The parser puts the program's name before each of its lines.
static llvm::Error usageError(StringRef problems, StringRef program) {
  problems = problems.trim();
  problems.consume_front((llvm::sys::path::filename(program) + ": ").str());
  return createStringError(problems);
}

Expected<Flags> attn::ptxrun::parseFlags(int argc, char **argv) {
  CommandLine line;
  cl::HideUnrelatedOptions(line.category);
  cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << attn::getVersionText() << "\n"; });
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Runs a PTX kernel on the CPU and reports its faults\n",
          &stream))
    return usageError(problems, argv[0]);

  Flags flags;
  llvm::Error error = llvm::Error::success();
  flags.file = line.file;
  flags.kernel = line.kernel;
  take(flags.grid, parseDim3("grid", line.grid), error);
  take(flags.block, parseDim3("block", line.block), error);
  take(flags.cluster, parseDim3("cluster", line.cluster), error);
  take(flags.shared, parseNumber("shared", line.shared, 0, 1 << 20), error);
  uint64_t seeds = 0, threads = 0;
  take(seeds, parseNumber("seeds", line.seeds, 0, 100000), error);
  take(threads, parseNumber("threads", line.threads, 0, 1024), error);
  take(flags.seconds, parseNumber("timeout", line.timeout, 1, 86400), error);
  flags.seeds = seeds;
  flags.threads = threads;
  if (line.schedule.getNumOccurrences()) {
    Schedule schedule;
    take(schedule, parseSchedule(line.schedule), error);
    flags.schedule = schedule;
    if (line.seeds.getNumOccurrences())
      error = llvm::joinErrors(
          std::move(error),
          createStringError("--schedule and --seeds exclude each other"));
  }
  flags.arguments = line.arguments;
  flags.profile = line.profile;
  flags.checkRaces = !line.noRaces;
  flags.strict = line.strict;
  flags.reportFile = line.report;
  if (line.report.getNumOccurrences())
    error = llvm::joinErrors(std::move(error), checkWritable(line.report));
  if (error)
    return std::move(error);
  return flags;
}
