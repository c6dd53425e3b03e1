//===- LauncherWriter.cpp - C sources for programs on a GPU ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTexts.h"
#include "attn/Compiler/Artifact.h"
#include "llvm/Support/raw_ostream.h"

using namespace attn;
using llvm::StringRef;

/// The runtime's own texts: headers and a source that include each other.
static constexpr char kGPUHeader[] =
#include "GPUHeader.inc"
    ;
static constexpr char kDriverHeader[] =
#include "DriverHeader.inc"
    ;
static constexpr char kDriverInterface[] =
#include "DriverInterface.inc"
    ;
static constexpr char kDriverSource[] =
#include "DriverSource.inc"
    ;

std::string attn::withoutOwnIncludes(StringRef text) {
  std::string result;
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines)
    if (!line.starts_with("#include \""))
      result += (line + "\n").str();
  return result;
}

std::string attn::getDeviceHeaders() {
  return withoutOwnIncludes(kGPUHeader) + withoutOwnIncludes(kDriverHeader);
}

std::string attn::writeLauncher(StringRef header) {
  return ("#include \"" + header + "\"\n").str() + kDriverInterface +
         withoutOwnIncludes(kDriverSource);
}
