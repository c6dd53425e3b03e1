//===- OutputFiles.h - Files that appear complete or not at all -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_SUPPORT_OUTPUTFILES_H
#define ATTN_SUPPORT_OUTPUTFILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <csignal>
#include <string>
#include <vector>

namespace attn {

/// Holds back SIGINT, SIGTERM and SIGHUP, in this thread and in processes that
/// it starts, until the object goes away. Ignores SIGXFSZ, so that writing
/// fails instead.
class SignalHold {
public:
  SignalHold();
  ~SignalHold();
  SignalHold(const SignalHold &) = delete;
  SignalHold &operator=(const SignalHold &) = delete;

private:
  sigset_t previous;
  struct sigaction previousSizeLimit;
};

/// Collects the outputs of a tool. Nothing is under its final name before
/// everything is on the disk beside it; no temporary file stays behind. A link
/// stays one, and devices and pipes, which nothing may replace, come first.
class OutputFiles {
public:
  void add(std::string path, std::string contents) {
    files.push_back({std::move(path), std::move(contents)});
  }
  /// Where they go.
  std::vector<std::string> getPaths() const {
    std::vector<std::string> paths;
    for (const File &file : files)
      paths.push_back(file.path);
    return paths;
  }
  llvm::Error commit();

private:
  struct File {
    std::string path;
    std::string contents;
  };
  std::vector<File> files;
};

/// Writes one output; `-` is standard output.
llvm::Error writeOutput(llvm::StringRef path, std::string contents);

} // namespace attn

#endif // ATTN_SUPPORT_OUTPUTFILES_H
