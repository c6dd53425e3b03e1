//===- Ptxas.h - NVIDIA's assembler, where it is installed ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TARGET_NVPTX_PTXAS_H
#define ATTN_TARGET_NVPTX_PTXAS_H

#include "attn/Target/NVPTX/DeviceCode.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace attn {

/// The ptxas in PATH, or nothing.
std::optional<std::string> findPtxas();

/// Assembles `code.ptx` for `code.arch` and fills what is known by that. An
/// error is that of ptxas, which takes all PTX that we make.
llvm::Error assemble(DeviceCode &code, const std::string &ptxas);

} // namespace attn

#endif // ATTN_TARGET_NVPTX_PTXAS_H
