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
namespace cl = llvm::cl;

namespace {

enum class Emit { Object, Shared, Header, Metadata };

/// The flags as LLVM's parser fills them. They live only while parsing.
struct Flags {
  cl::OptionCategory category{"attn-compile options"};
  cl::opt<std::string> file{cl::Positional, cl::Required, cl::desc("FILE.mlir"),
                            cl::cat(category)};
  cl::opt<std::string> prefix{
      "o", cl::desc("Write PREFIX.o, PREFIX.so, PREFIX.h, PREFIX.json"),
      cl::value_desc("PREFIX"), cl::Required, cl::cat(category)};
  cl::list<std::string> targets{
      "target", cl::CommaSeparated,
      cl::desc("cpu (this machine, the default), cpu:x86-64, cpu:x86-64-v3, "
               "cpu:x86-64-v4; several make one object that chooses at run "
               "time"),
      cl::cat(category)};
  cl::list<Emit> emit{
      "emit", cl::CommaSeparated,
      cl::desc("What to write (default: obj,header,metadata)"),
      cl::values(clEnumValN(Emit::Object, "obj", "PREFIX.o"),
                 clEnumValN(Emit::Shared, "shared", "PREFIX.so"),
                 clEnumValN(Emit::Header, "header", "PREFIX.h"),
                 clEnumValN(Emit::Metadata, "metadata", "PREFIX.json")),
      cl::cat(category)};
  cl::opt<std::string> entry{
      "entry", cl::desc("Function to export (default: all public ones)"),
      cl::value_desc("NAME"), cl::cat(category)};
  cl::opt<bool> remarks{"remarks",
                        cl::desc("Print what was fused and what was not"),
                        cl::cat(category)};
  cl::opt<bool> portable{
      "portable", cl::desc("Take the portable path, without any schedule"),
      cl::cat(category)};
};

} // namespace

static Expected<Options> convert(const Flags &flags) {
  Options options;
  options.file = flags.file;
  options.prefix = flags.prefix;
  options.remarks = flags.remarks;
  options.artifact.entry = flags.entry;
  options.artifact.portable = flags.portable;
  options.artifact.tool = "attn-compile";
  if (!flags.targets.empty())
    options.artifact.targets = {flags.targets.begin(), flags.targets.end()};
  auto isAsked = [&](Emit what) {
    return llvm::is_contained(flags.emit, what) ||
           (flags.emit.empty() && what != Emit::Shared);
  };
  options.emitObject = isAsked(Emit::Object);
  options.emitShared = isAsked(Emit::Shared);
  options.emitHeader = isAsked(Emit::Header);
  options.emitMetadata = isAsked(Emit::Metadata);
  if (llvm::sys::path::filename(options.prefix).empty() ||
      llvm::StringRef(options.prefix).ends_with("/"))
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
