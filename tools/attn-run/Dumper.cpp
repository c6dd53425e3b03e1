//===- Dumper.cpp - Writes what each phase made ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dumper.h"
#include "attn/Support/Stopwatch.h"
#include "attn/Target/CPU/CodeGen.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace attn;
using namespace attn::run;
using llvm::createStringError;
using llvm::StringRef;

llvm::Error Dumper::write(StringRef phase, StringRef extension,
                          llvm::function_ref<void(llvm::raw_ostream &)> print) {
  if (directory.empty())
    return llvm::Error::success();
  Stopwatch timer;
  if (std::error_code code = llvm::sys::fs::create_directories(directory))
    return createStringError("--dump-dir=" + directory + ": " + code.message());
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path,
                          llvm::Twine(count++) + "-" + phase + "." + extension);
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  if (code)
    return createStringError(path.str() + ": " + code.message());
  print(stream);
  seconds += timer.getSeconds();
  return llvm::Error::success();
}

llvm::Error Dumper::dump(StringRef phase, mlir::ModuleOp module) {
  return write(phase, "mlir", [&](llvm::raw_ostream &os) { module.print(os); });
}

llvm::Error Dumper::dump(StringRef phase, const llvm::Module &module) {
  return write(phase, "ll",
               [&](llvm::raw_ostream &os) { module.print(os, nullptr); });
}

llvm::Error Dumper::dumpAssembly(const llvm::Module &module,
                                 llvm::TargetMachine &machine) {
  if (directory.empty())
    return llvm::Error::success();
  Stopwatch timer;
  // Code generation changes the module, and the object still has to be made.
  auto assembly = emitAssembly(*llvm::CloneModule(module), machine);
  seconds += timer.getSeconds();
  if (!assembly)
    return assembly.takeError();
  return write("assembly", "s",
               [&](llvm::raw_ostream &os) { os << *assembly; });
}
