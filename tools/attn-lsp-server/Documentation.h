//===- Documentation.h - What ops and attributes are ------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LSP_SERVER_DOCUMENTATION_H
#define ATTN_LSP_SERVER_DOCUMENTATION_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace attn::lsp {

/// The reference's text, in Markdown, of an op (`attn.norm`) or an attribute
/// (`#attn.causal`): its summary, description and example. Empty for others.
std::string getDocumentation(llvm::StringRef name);

} // namespace attn::lsp

#endif // ATTN_LSP_SERVER_DOCUMENTATION_H
