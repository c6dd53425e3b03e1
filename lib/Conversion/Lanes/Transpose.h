//===- Transpose.h - Transposes in registers and through them ---*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_LANES_TRANSPOSE_H
#define ATTN_LIB_CONVERSION_LANES_TRANSPOSE_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVector.h"

namespace attn {

/// Transposes n vectors of n elements, n a power of two. 4 x 4 blocks are
/// interleaved first and then moved whole: x86 shuffles inside 128 bits and
/// between them are different instructions.
llvm::SmallVector<mlir::Value> emitTranspose(mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             llvm::ArrayRef<mlir::Value> rows);

/// The n vectors of `type` of a block of memory with n rows, turned: vector i
/// has element i of each row. Elements of memory may be parts of it.
llvm::SmallVector<mlir::Value>
emitTurnedBlock(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::VectorType type, mlir::Value memref, mlir::Value row,
                mlir::Value column);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_LANES_TRANSPOSE_H
