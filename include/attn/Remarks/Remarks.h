//===- Remarks.h - What passes tell about their choices ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every remark of the project comes from one table, Remarks.def, and carries
// the id it has there. It is an ordinary diagnostic, so that hosts see it in
// their handler, unless the context's remark engine asks for it
// (--remarks-filter=attn of attn-opt): then it goes there, with its arguments
// as keys and values.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_REMARKS_REMARKS_H
#define ATTN_REMARKS_REMARKS_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

namespace attn {

/// The remarks of the table; the value is the number in the id.
enum class RemarkId : unsigned {
#define ATTN_REMARK(Name, Number, Kind, Text, Explanation) Name = Number,
#include "attn/Remarks/Remarks.def"
};

enum class RemarkKind { Passed, Missed, Analysis };

/// One remark with its arguments, ready to be emitted.
class Remark {
public:
  /// Names a hole of the text and what fills it.
  using Argument = std::pair<llvm::StringRef, std::string>;

  /// Every argument's name must be a literal, and a hole of the text.
  Remark(RemarkId id, std::initializer_list<Argument> arguments = {});

  RemarkId getId() const { return id; }
  RemarkKind getKind() const;
  /// The id as users see it: attn-r and the number.
  llvm::StringRef getLabel() const;
  /// The text with the arguments in it, without the id.
  std::string getText() const;

  void emit(mlir::Location loc) const;

private:
  RemarkId id;
  llvm::SmallVector<Argument, 2> arguments;
};

} // namespace attn

#endif // ATTN_REMARKS_REMARKS_H
