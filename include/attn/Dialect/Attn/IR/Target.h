//===- Target.h - What a module is compiled for -----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_TARGET_H
#define ATTN_DIALECT_ATTN_IR_TARGET_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Target/TargetDescription.h"
#include "mlir/IR/BuiltinOps.h"

namespace attn {

/// The attribute of a module that says what it is compiled for.
constexpr llvm::StringLiteral kTargetAttrName = "attn.target";

/// The attribute by which a structured op has its #attn.contraction_schedule.
constexpr llvm::StringLiteral kContractionAttrName = "attn.contraction";

/// What the module around `op` is compiled for. Without the attribute it is the
/// machine that this process runs on.
TargetDescription readTarget(mlir::Operation *op);

/// Whether a processor has what the schedules of this instruction compile to.
bool canMultiply(const TargetDescription &target, Instruction instruction);

/// Makes `module` say that it is compiled for `target`, whatever it said.
/// Fails with a diagnostic where no machine is like that.
mlir::LogicalResult setTarget(mlir::ModuleOp module,
                              const TargetDescription &target);

} // namespace attn

#endif // ATTN_DIALECT_ATTN_IR_TARGET_H
