//===- Names.h - What names of ops and attributes are made of ---*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LSP_SERVER_NAMES_H
#define ATTN_LSP_SERVER_NAMES_H

#include "llvm/ADT/StringExtras.h"

namespace attn::lsp {

/// Whether a name with its dialect, as `attn.linear`, goes on with `c`.
inline bool isNamePart(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.';
}

} // namespace attn::lsp

#endif // ATTN_LSP_SERVER_NAMES_H
