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

/// On a matrix that a function takes: it is the right operand of a product, and
/// is to be brought into the product's panels once, by a function of its own,
/// instead of at each call. Then it becomes a number.
constexpr llvm::StringLiteral kPackedAttr = "attn.packed";

/// On an argument that attn-pack-weights has added: the number that the matrix
/// whose panels it holds has as kPackedAttr.
constexpr llvm::StringLiteral kPanelsOfAttr = "attn.panels_of";

} // namespace attn

#endif // ATTN_DIALECT_ATTN_IR_ENTRYATTRIBUTES_H
