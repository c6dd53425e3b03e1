//===- Completion.h - Which policies a clause takes -------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LSP_SERVER_COMPLETION_H
#define ATTN_LSP_SERVER_COMPLETION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace attn::lsp {

/// Of the attributes that may follow `#attn.` keeps those that the clause
/// around it takes: scales in `scale(`, masks in `masks [`. `before` is the
/// text up to the cursor.
void keepWhatFits(llvm::json::Array &items, llvm::StringRef before);

} // namespace attn::lsp

#endif // ATTN_LSP_SERVER_COMPLETION_H
