//===- EntryAttributes.h - What a function says of its entry ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_ENTRYATTRIBUTES_H
#define ATTN_DIALECT_ATTN_IR_ENTRYATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace attn {

/// On a tensor argument of a function: the number of the result that is the
/// argument's new value. The argument's memory is updated in place, and the C
/// entry has no destination for that result.
constexpr llvm::StringLiteral kInOutAttr = "attn.inout";

} // namespace attn

#endif // ATTN_DIALECT_ATTN_IR_ENTRYATTRIBUTES_H
