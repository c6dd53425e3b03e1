//===- DialectVersion.h - The version of the dialect ------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_DIALECTVERSION_H
#define ATTN_DIALECT_ATTN_IR_DIALECTVERSION_H

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace attn {

/// What a bytecode file says of the dialect that it was written with. It grows
/// by one when ops or attributes change so that an older program would not
/// understand a file; files of all versions are read for ever. CONTRIBUTING.md
/// has what to do then.
struct DialectVersion : mlir::DialectVersion {
  static constexpr uint64_t kCurrent = 1;

  explicit DialectVersion(uint64_t number = kCurrent) : number(number) {}

  uint64_t number;
};

} // namespace attn

#endif // ATTN_DIALECT_ATTN_IR_DIALECTVERSION_H
