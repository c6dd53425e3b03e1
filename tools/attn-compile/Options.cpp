//===- Options.cpp - What the command line asks for -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "attn/Compiler/CommandLine.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"

using namespace attn;
using namespace attn::compile;
using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;
namespace cl = llvm::cl;

namespace {

/// The flags as LLVM's parser fills them. They live only while parsing.
struct Flags {
  cl::OptionCategory category{"attn-compile options"};
  cl::opt<std::string> file{cl::Positional, cl::Required,
                            cl::desc("FILE.mlir, or - for standard input"),
                            cl::cat(category)};
  cl::opt<std::string> prefix{
      "o", cl::desc("Write PREFIX.o, PREFIX.so, PREFIX.h, PREFIX.json, ..."),
      cl::value_desc("PREFIX"), cl::cat(category)};
  cl::list<std::string> targets{
      "target", cl::CommaSeparated,
      cl::desc("cpu (this machine, the default), cpu:x86-64, cpu:x86-64-v3, "
               "cpu:x86-64-v4, cpu:x86-64-v4-bf16, cpu:x86-64-v4-amx, "
               "cpu:x86-64-v4-amx-fp16, "
               "cpu:aarch64, "
               "cpu:aarch64-sve2; several of one "
               "architecture make one object that chooses at run time; or "
               "nvptx:sm_80, sm_86, sm_89, sm_90, sm_90a"),
      cl::cat(category)};
  cl::list<std::string> emit{
      "emit", cl::CommaSeparated,
      cl::desc("obj, shared, header, metadata; for a GPU also ptx, cubin, "
               "launcher (default: all but shared; a cubin where ptxas is in "
               "PATH)"),
      cl::cat(category)};
  cl::opt<std::string> entry{
      "entry", cl::desc("Function to export (default: all public ones)"),
      cl::value_desc("NAME"), cl::cat(category)};
  cl::opt<std::string> name{
      "name", cl::desc("What the function is called in C (default: the same)"),
      cl::value_desc("NAME"), cl::cat(category)};
  cl::opt<bool> remarks{"remarks",
                        cl::desc("Print what was fused and what was not"),
                        cl::cat(category)};
  cl::opt<bool> portable{
      "portable", cl::desc("Take the portable path, without any schedule"),
      cl::cat(category)};
  cl::opt<bool> noChecks{
      "no-checks",
      cl::desc("Check sizes at the entry only: what stands inside of kernels "
               "trusts indices, and sizes that only exist there"),
      cl::cat(category)};
  cl::opt<int> threads{
      "threads",
      cl::desc("Threads that matrix products are blocked for; any number may "
               "run them (default: not known)"),
      cl::init(0), cl::value_desc("N"), cl::cat(category)};
};

} // namespace

static llvm::Error chooseOutputs(const Flags &flags, Options &options) {
  const std::pair<StringRef, bool *> outputs[] = {
      {"obj", &options.emitObject},       {"shared", &options.emitShared},
      {"header", &options.emitHeader},    {"metadata", &options.emitMetadata},
      {"ptx", &options.emitPTX},          {"cubin", &options.emitCubin},
      {"launcher", &options.emitLauncher}};
  options.emitsAll = flags.emit.empty();
  for (auto [name, isAsked] : outputs)
    *isAsked = flags.emit.empty() && name != "shared";
  for (const std::string &asked : flags.emit) {
    auto found = llvm::find_if(
        outputs, [&](const auto &output) { return output.first == asked; });
    if (found == std::end(outputs))
      return createStringError("--emit=" + asked +
                               ": expected obj, shared, header, metadata, ptx, "
                               "cubin or launcher");
    *found->second = true;
  }
  return llvm::Error::success();
}

static Expected<Options> convert(const Flags &flags) {
  Options options;
  options.file = flags.file;
  options.prefix = flags.prefix;
  options.remarks = flags.remarks;
  options.artifact.entry = flags.entry;
  options.artifact.name = flags.name;
  options.artifact.portable = flags.portable;
  options.artifact.innerChecks = !flags.noChecks;
  bool areThreadsGiven = flags.threads.getNumOccurrences() != 0;
  if (areThreadsGiven && (flags.threads < 1 || flags.threads > 1024))
    return createStringError("--threads: expected 1 to 1024");
  options.artifact.threads = flags.threads;
  options.artifact.tool = "attn-compile";
  if (!flags.targets.empty())
    options.artifact.targets = {flags.targets.begin(), flags.targets.end()};
  if (llvm::Error error = chooseOutputs(flags, options))
    return std::move(error);
  if (options.prefix.empty())
    return createStringError("-o PREFIX is missing: what to write");
  StringRef name = llvm::sys::path::filename(options.prefix);
  if (StringRef(options.prefix).ends_with("/") || name == "." || name == "..")
    return createStringError("-o " + options.prefix +
                             ": expected the beginning of file names");
  if (llvm::Error error = checkWritable("-o", options.prefix + ".o"))
    return std::move(error);
  return options;
}

Expected<Options> attn::compile::parseOptions(int argc, char **argv) {
  removeForeignFlags();
  Flags flags;
  cl::HideUnrelatedOptions(flags.category);
  if (llvm::Error error = parseFlags(argc, argv,
                                     "Compiles kernels ahead of time: object "
                                     "code, C header, metadata\n"))
    return std::move(error);
  return convert(flags);
}
