//===- SharedLibrary.cpp - Links an object by the system's tools ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerDriver.h"
#include "attn/Compiler/Artifact.h"
#include "attn/Compiler/Errors.h"
#include "attn/Support/RunProgram.h"
#include "attn/Support/TemporaryFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Program.h"
#include "llvm/TargetParser/Host.h"

using namespace attn;
using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;

std::optional<std::string>
attn::findCompilerDriver(const llvm::Triple &triple) {
  std::vector<std::string> names = {
      (triple.getArchName() + "-linux-gnu-gcc").str()};
  if (llvm::Triple(llvm::sys::getProcessTriple()).getArch() == triple.getArch())
    names = {"cc", "gcc", "clang", "clang-22"};
  for (const std::string &name : names)
    if (auto driver = llvm::sys::findProgramByName(name))
      return *driver;
  return std::nullopt;
}

namespace {

/// A command line without its input and output.
struct Linker {
  std::string program;
  std::vector<std::string> arguments;
  std::vector<std::string> libraries;
};

/// A compiler driver knows where libm is; a bare linker leaves what an object
/// needs to the process that loads the library.
Expected<Linker> findLinker(const llvm::Triple &triple, StringRef soname) {
  // Without start files: there is nothing to run when the library is loaded.
  if (auto driver = findCompilerDriver(triple))
    return Linker{*driver,
                  {"-shared", "-nostartfiles", "-Xlinker", "-soname",
                   "-Xlinker", soname.str(), "-Wl,--build-id=none",
                   "-Wl,-z,noexecstack", "-Wl,--as-needed"},
                  {"-lm"}};
  for (StringRef name : {"ld.lld", "ld.lld-22", "ld"})
    if (auto linker = llvm::sys::findProgramByName(name))
      return Linker{*linker,
                    {"-shared", "-soname", soname.str(), "-z", "noexecstack"},
                    {}};
  return createStringError("--emit=shared needs a linker: neither a C "
                           "compiler for " +
                           triple.getArchName() +
                           " nor ld.lld nor ld is in PATH");
}

} // namespace

Expected<std::unique_ptr<llvm::MemoryBuffer>>
attn::linkSharedLibrary(llvm::MemoryBufferRef object, StringRef soname) {
  auto file = llvm::object::ObjectFile::createObjectFile(object);
  if (!file)
    return file.takeError();
  auto linker = findLinker((*file)->makeTriple(), soname);
  if (!linker)
    return linker.takeError();
  TemporaryFile input, output;
  if (llvm::Error error = input.create("o"))
    return std::move(error);
  if (llvm::Error error = output.create("so"))
    return std::move(error);
  if (llvm::Error error = input.write(object.getBuffer()))
    return std::move(error);

  llvm::SmallVector<StringRef> command{linker->program};
  command.append(linker->arguments.begin(), linker->arguments.end());
  command.append({"-o", output.getPath(), input.getPath()});
  command.append(linker->libraries.begin(), linker->libraries.end());
  if (auto printed = runProgram(command); !printed)
    return llvm::make_error<InternalError>("linking the shared library: " +
                                           llvm::toString(printed.takeError()));
  // A copy in memory: the file goes away with this function.
  auto library = llvm::MemoryBuffer::getFile(output.getPath());
  if (!library)
    return createStringError(output.getPath() + ": " +
                             library.getError().message());
  return llvm::MemoryBuffer::getMemBufferCopy((*library)->getBuffer(), soname);
}
