//===- OutputFiles.cpp - Files that appear complete or not at all ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/OutputFiles.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace attn;
using llvm::createStringError;
namespace fs = llvm::sys::fs;

SignalHold::SignalHold() {
  sigset_t held;
  sigemptyset(&held);
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    sigaddset(&held, signal);
  pthread_sigmask(SIG_BLOCK, &held, &previous);
}

SignalHold::~SignalHold() { pthread_sigmask(SIG_SETMASK, &previous, nullptr); }

/// Removes the temporary files that are left, whatever happened.
static void discard(std::vector<fs::TempFile> &temporaries) {
  for (fs::TempFile &file : temporaries)
    llvm::consumeError(file.discard());
}

static llvm::Error write(fs::TempFile &file, llvm::StringRef contents) {
  llvm::raw_fd_ostream stream(file.FD, /*shouldClose=*/false);
  stream << contents;
  stream.flush();
  if (!stream.has_error())
    return llvm::Error::success();
  std::error_code code = stream.error();
  stream.clear_error();
  return llvm::errorCodeToError(code);
}

llvm::Error OutputFiles::commit() {
  // An interruption waits for these few milliseconds; were the process killed
  // between two names, each file would still be whole.
  SignalHold hold;
  std::vector<fs::TempFile> temporaries;
  auto fail = [&](const File &file, llvm::Error error) {
    discard(temporaries);
    return createStringError(file.path + ": " +
                             llvm::toString(std::move(error)));
  };
  for (const File &file : files) {
    auto temporary = fs::TempFile::create(file.path + ".tmp-%%%%%%%%");
    if (!temporary)
      return fail(file, temporary.takeError());
    temporaries.push_back(std::move(*temporary));
    if (llvm::Error error = write(temporaries.back(), file.contents))
      return fail(file, std::move(error));
  }
  for (size_t i = 0; i < files.size(); ++i)
    if (llvm::Error error = temporaries[i].keep(files[i].path))
      return fail(files[i], std::move(error));
  return llvm::Error::success();
}
