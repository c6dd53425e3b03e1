//===- EmitGeluTable.h - gelu from 32 polynomials ---------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_MATH_EMITGELUTABLE_H
#define ATTN_LIB_CONVERSION_MATH_EMITGELUTABLE_H

#include "mlir/IR/Builders.h"

namespace attn {

/// Whether this type is f32 in whole registers of AVX-512.
bool canEmitGeluByTable(mlir::Type type);

/// gelu of x, a vector; the target must have AVX-512. Errors as
/// populateGeluPatterns has them.
mlir::Value emitGeluByTable(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value x);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_MATH_EMITGELUTABLE_H
