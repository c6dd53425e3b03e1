//===- SharedLibrary.cpp - Links an object by the system's tools ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/Artifact.h"
#include "attn/Compiler/Errors.h"
#include "attn/Support/TemporaryFile.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace attn;
using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;

namespace {

/// A command line without its input and output.
struct Linker {
  std::string program;
  std::vector<std::string> arguments;
  std::vector<std::string> libraries;
};

/// A compiler driver knows where libm is; a bare linker leaves what an object
/// needs to the process that loads the library.
Expected<Linker> findLinker(StringRef soname) {
  // Without start files: there is nothing to run when the library is loaded.
  for (StringRef name : {"cc", "gcc", "clang", "clang-22"})
    if (auto driver = llvm::sys::findProgramByName(name))
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
                           "compiler nor ld.lld nor ld is in PATH");
}

} // namespace

Expected<std::unique_ptr<llvm::MemoryBuffer>>
attn::linkSharedLibrary(llvm::MemoryBufferRef object, StringRef soname) {
  auto linker = findLinker(soname);
  if (!linker)
    return linker.takeError();
  TemporaryFile input, output, messages;
  if (llvm::Error error = input.create("o"))
    return std::move(error);
  if (llvm::Error error = output.create("so"))
    return std::move(error);
  if (llvm::Error error = messages.create("txt"))
    return std::move(error);
  if (llvm::Error error = input.write(object.getBuffer()))
    return std::move(error);

  llvm::SmallVector<StringRef> arguments{linker->program};
  arguments.append(linker->arguments.begin(), linker->arguments.end());
  arguments.append({"-o", output.getPath(), input.getPath()});
  arguments.append(linker->libraries.begin(), linker->libraries.end());
  std::optional<StringRef> redirects[] = {StringRef(""), messages.getPath(),
                                          messages.getPath()};
  std::string problem;
  if (llvm::sys::ExecuteAndWait(linker->program, arguments, std::nullopt,
                                redirects, 0, 0, &problem) != 0) {
    if (auto text = llvm::MemoryBuffer::getFile(messages.getPath()))
      problem += (*text)->getBuffer().trim().str();
    return llvm::make_error<InternalError>("linking the shared library by " +
                                           linker->program +
                                           " failed: " + problem);
  }
  // A copy in memory: the file goes away with this function.
  auto library = llvm::MemoryBuffer::getFile(output.getPath());
  if (!library)
    return createStringError(output.getPath() + ": " +
                             library.getError().message());
  return llvm::MemoryBuffer::getMemBufferCopy((*library)->getBuffer(), soname);
}
