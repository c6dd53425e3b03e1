//===- QuickFix.h - What mends a warning, as an edit ------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LSP_SERVER_QUICKFIX_H
#define ATTN_LSP_SERVER_QUICKFIX_H

#include "llvm/Support/JSON.h"
#include <optional>

namespace attn::lsp {

/// The edit that gives the op whose name begins at `offset` of the text a
/// clause such as `scale(#attn.inv_sqrt_dim)` or `unit_moment`, in place of the
/// one that it has of this kind. What an editor is to bring back with the
/// diagnostic. Nothing where the mend is no clause of the op, or the text would
/// not be read any more.
std::optional<llvm::json::Object>
makeQuickFix(llvm::StringRef text, size_t offset, llvm::StringRef clause);

/// The code actions for the diagnostics of a request, from what makeQuickFix
/// left in them.
llvm::json::Array getQuickFixes(llvm::StringRef uri,
                                const llvm::json::Array &diagnostics);

} // namespace attn::lsp

#endif // ATTN_LSP_SERVER_QUICKFIX_H
