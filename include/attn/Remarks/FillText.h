//===- FillText.h - Texts of tables with their arguments --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_REMARKS_FILLTEXT_H
#define ATTN_REMARKS_FILLTEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace attn {

/// `text` with the argument of that name in place of each hole, as in
/// "no room for {rows} rows".
std::string
fillText(llvm::StringRef text,
         llvm::ArrayRef<std::pair<llvm::StringRef, std::string>> arguments);

} // namespace attn

#endif // ATTN_REMARKS_FILLTEXT_H
