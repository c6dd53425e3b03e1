//===- AttnNV.h - Matrix instructions of four warps -------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTNNV_IR_ATTNNV_H
#define ATTN_DIALECT_ATTNNV_IR_ATTNNV_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "attn/Dialect/AttnNV/IR/AttnNVDialect.h.inc"

#define GET_OP_CLASSES
#include "attn/Dialect/AttnNV/IR/AttnNVOps.h.inc"

#endif // ATTN_DIALECT_ATTNNV_IR_ATTNNV_H
