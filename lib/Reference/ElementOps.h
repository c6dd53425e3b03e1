//===- ElementOps.h - Tables of element operations --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_REFERENCE_ELEMENTOPS_H
#define ATTN_LIB_REFERENCE_ELEMENTOPS_H

#include "ScalarProgram.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace attn::reference::detail {

/// Each appends `op` to the program and succeeds, or knows it not and fails
/// without a diagnostic. Operands already have registers.
mlir::LogicalResult emitFloatArith(ScalarProgram &program, mlir::Operation *op);
mlir::LogicalResult emitIntegerArith(ScalarProgram &program,
                                     mlir::Operation *op);
mlir::LogicalResult emitCast(ScalarProgram &program, mlir::Operation *op);
mlir::LogicalResult emitMath(ScalarProgram &program, mlir::Operation *op);
mlir::LogicalResult emitActivation(ScalarProgram &program, mlir::Operation *op);
mlir::LogicalResult emitAffine(ScalarProgram &program, mlir::Operation *op);

/// An scf.if whose results are scalars; emits a diagnostic where it fails.
mlir::LogicalResult emitBranch(ScalarProgram &program, mlir::scf::IfOp op,
                               ScalarProgram::Lookup lookup);

/// A constant attribute (number, dense or dense resource) as a tensor; null
/// when it is none of these.
TensorRef readConstant(mlir::Attribute value, mlir::Type type);

/// Wraps an integer to `width` bits as Tensor stores it, and reads a stored one
/// as signed or unsigned.
inline int64_t wrap(uint64_t value, unsigned width) {
  if (width == 1)
    return value & 1;
  return width == 64 ? int64_t(value)
                     : int64_t(value << (64 - width)) >> (64 - width);
}
inline int64_t asSigned(int64_t value, unsigned width) {
  return width == 1 ? -value : value;
}
inline uint64_t asUnsigned(int64_t value, unsigned width) {
  return width == 64 ? uint64_t(value)
                     : uint64_t(value) & ((uint64_t(1) << width) - 1);
}
inline unsigned getWidth(mlir::Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

} // namespace attn::reference::detail

#endif // ATTN_LIB_REFERENCE_ELEMENTOPS_H
