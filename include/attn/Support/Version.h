//===- Version.h - What --version says --------------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_SUPPORT_VERSION_H
#define ATTN_SUPPORT_VERSION_H

#include <string>

namespace attn {

/// `0.1.0`
std::string getVersion();

/// `attn-mlir 0.1.0, LLVM 22.1.0`
std::string getVersionText();

} // namespace attn

#endif // ATTN_SUPPORT_VERSION_H
