//===- Documentation.cpp - What ops and attributes are --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Documentation.h"
#include "llvm/ADT/StringExtras.h"

using namespace attn;
using llvm::StringRef;

/// The pages of docs/reference that TableGen made of the dialect.
static constexpr char kReference[] =
#include "Reference.inc"
    ;

/// Whether `section` is about `name`. An op is in its heading, an attribute in
/// its syntax.
static bool isAbout(StringRef section, StringRef name) {
  if (!name.starts_with("#"))
    return section.starts_with(("### `" + name + "`").str());
  StringRef syntax = section.split("Syntax:").second.ltrim("\n `");
  return syntax.consume_front(name) && !syntax.empty() &&
         (syntax[0] == '<' || syntax[0] == '`');
}

std::string attn::lsp::getDocumentation(StringRef name) {
  StringRef rest = kReference;
  while (!rest.empty()) {
    size_t end = rest.find("\n### ", 1);
    StringRef section = rest.take_front(end).ltrim("\n");
    rest = rest.drop_front(std::min(end, rest.size()));
    if (!isAbout(section, name))
      continue;
    // Tables of C++ types and traits help those who change the dialect.
    section = section.split("\n## ").first.split("\n#### ").first;
    section = section.split("\nTraits: ").first.split('\n').second.trim();
    return ("**" + name + "**\n\n" + section + "\n").str();
  }
  return "";
}
