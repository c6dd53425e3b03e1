//===- Dumper.cpp - Writes what each phase made ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dumper.h"
#include "attn/Compiler/CommandLine.h"
#include "attn/Support/Stopwatch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

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
  if (llvm::Error error = checkDistinct("--dump-dir: ", path, program))
    return error;
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
