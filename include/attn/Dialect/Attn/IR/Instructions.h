//===- Instructions.h - What a CPU's products are made of -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_INSTRUCTIONS_H
#define ATTN_DIALECT_ATTN_IR_INSTRUCTIONS_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

/// Whether it is one of the tile unit.
bool takesTiles(Instruction instruction);

/// What it takes two terms of at a step: bf16 or f16.
mlir::FloatType getNarrowType(mlir::MLIRContext *context,
                              Instruction instruction);

/// Whether it takes operands of `element` as they are, or where `parts` are
/// more than one, as sums of so many numbers of bf16.
bool multiplies(Instruction instruction, mlir::Type element, int64_t parts = 1);

/// Those operands in words.
llvm::StringRef describeOperands(Instruction instruction, int64_t parts = 1);

} // namespace attn

#endif // ATTN_DIALECT_ATTN_IR_INSTRUCTIONS_H
