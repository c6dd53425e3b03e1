//===- FillText.cpp - Texts of tables with their arguments ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Remarks/FillText.h"
#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;

std::string
attn::fillText(StringRef text,
               llvm::ArrayRef<std::pair<StringRef, std::string>> arguments) {
  std::string filled;
  while (!text.empty()) {
    auto [before, hole] = text.split('{');
    filled += before;
    if (before.size() == text.size())
      break;
    auto [name, after] = hole.split('}');
    const auto *argument =
        llvm::find_if(arguments, [name = name](const auto &one) {
          return one.first == name;
        });
    assert(argument != arguments.end() && "a hole of the text is not filled");
    filled += argument->second;
    text = after;
  }
  return filled;
}
