//===- DeviceScratch.h - Scratch in device memory ---------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_HOST_DEVICESCRATCH_H
#define ATTN_LIB_CONVERSION_HOST_DEVICESCRATCH_H

#include "mlir/IR/BuiltinOps.h"

namespace attn {

/// The lists of a function that allocates device memory, on its stack: what is
/// live, and entries that are free again.
mlir::Value createDeviceList(mlir::OpBuilder &builder, mlir::Location loc);

/// The address of `bytes` bytes of device memory, entered in the list; null
/// after the context's error text was set. Splits the block at the insertion
/// point, which is in front of an op.
mlir::Value createAllocateDevice(mlir::OpBuilder &builder, mlir::Location loc,
                                 mlir::ModuleOp module, mlir::Value context,
                                 mlir::Value list, mlir::Value bytes);

/// Frees `pointer` unless it is null, and takes it off the list.
void createFreeDevice(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::ModuleOp module, mlir::Value context,
                      mlir::Value list, mlir::Value pointer);

/// Frees what is on the list.
void createFreeAllDevice(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::ModuleOp module, mlir::Value context,
                         mlir::Value list);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_HOST_DEVICESCRATCH_H
