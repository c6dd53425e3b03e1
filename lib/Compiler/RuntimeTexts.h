//===- RuntimeTexts.h - The runtime's sources as text -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_COMPILER_RUNTIMETEXTS_H
#define ATTN_LIB_COMPILER_RUNTIMETEXTS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace attn {

/// A text without its lines that include our own headers: what it is written
/// behind has them.
std::string withoutOwnIncludes(llvm::StringRef text);

/// attn_runtime.h.
llvm::StringRef getRuntimeHeader();

/// attn_gpu.h and attn_gpu_driver.h.
std::string getDeviceHeaders();

} // namespace attn

#endif // ATTN_LIB_COMPILER_RUNTIMETEXTS_H
