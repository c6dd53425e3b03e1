//===- Findings.h - What passes say of a document ---------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LSP_SERVER_FINDINGS_H
#define ATTN_LSP_SERVER_FINDINGS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace attn::lsp {

/// The warnings of attn-lint, and the remarks of raising and planning, as
/// diagnostics of the protocol. None for a text that has errors.
llvm::json::Array findInDocument(llvm::StringRef text);

} // namespace attn::lsp

#endif // ATTN_LSP_SERVER_FINDINGS_H
