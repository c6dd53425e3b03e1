//===- Version.cpp - What --version says ----------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Support/Version.h"
#include "llvm/Config/llvm-config.h"

std::string attn::getVersion() { return ATTN_VERSION; }

std::string attn::getVersionText() {
  return "attn-mlir " + getVersion() + ", LLVM " LLVM_VERSION_STRING;
}
