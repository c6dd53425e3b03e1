//===- Options.h - What the command line asks for ---------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILE_OPTIONS_H
#define ATTN_COMPILE_OPTIONS_H

#include "attn/Compiler/Artifact.h"

namespace attn::compile {

struct Options {
  std::string file;
  std::string prefix;
  ArtifactOptions artifact;
  bool emitObject = false;
  bool emitShared = false;
  bool emitHeader = false;
  bool emitMetadata = false;
  /// For a GPU only.
  bool emitPTX = false;
  bool emitCubin = false;
  bool emitLauncher = false;
  /// Nobody named what to write: all that there is.
  bool emitsAll = false;
  bool remarks = false;
};

/// Parses the command line. Leaves the process for --help and --version.
llvm::Expected<Options> parseOptions(int argc, char **argv);

} // namespace attn::compile

#endif // ATTN_COMPILE_OPTIONS_H
