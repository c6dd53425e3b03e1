//===- InstructionVerifier.h - What instructions ask of schedules -*- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_INSTRUCTIONVERIFIER_H
#define ATTN_LIB_DIALECT_ATTN_IR_INSTRUCTIONVERIFIER_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

using EmitDiagnostic = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// A register tile that the instruction can fill.
mlir::LogicalResult verifyInstructionTile(EmitDiagnostic emitError,
                                          Instruction instruction,
                                          int64_t lanes, int64_t mr,
                                          int64_t nr);

/// Of an attention: the keys of a block, where they are split if `splitKeys` is
/// not 0.
mlir::LogicalResult verifyInstructionKeys(EmitDiagnostic emitError,
                                          int64_t keys, int64_t lanes,
                                          int64_t mr, int64_t splitKeys,
                                          Instruction instruction);

/// Of an attention: the types in which keys, values and weights are taken.
mlir::LogicalResult verifyInstructionOperands(EmitDiagnostic emitError,
                                              mlir::Type operands,
                                              Instruction instruction,
                                              bool sumRounded);

/// The operands of the op that carries the schedule.
mlir::LogicalResult verifyInstructionOn(AttentionOpInterface op,
                                        Instruction instruction, int64_t parts,
                                        EmitDiagnostic emitError);

/// What the op that carries the schedule says of parts: they change numbers.
mlir::LogicalResult verifyPartsOn(mlir::Operation *op, int64_t parts,
                                  EmitDiagnostic emitError);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_IR_INSTRUCTIONVERIFIER_H
