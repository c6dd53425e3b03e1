//===- PTXParserFuzzer.cpp - Any bytes as PTX text ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parser must end with a module or with an error that names a line.
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Parse/Parser.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  llvm::Expected<attn::ptx::ir::Module> module = attn::ptx::Parser(text).run();
  if (!module && llvm::toString(module.takeError()).empty())
    std::abort();
  return 0;
}
