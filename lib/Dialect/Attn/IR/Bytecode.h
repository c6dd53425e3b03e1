//===- Bytecode.h - The dialect in bytecode ---------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_BYTECODE_H
#define ATTN_LIB_DIALECT_ATTN_IR_BYTECODE_H

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace attn {

/// Writes the dialect's version into files, and reads files of this version and
/// of those before it. Attributes stand there as text.
struct AttnBytecodeInterface : mlir::BytecodeDialectInterface {
  explicit AttnBytecodeInterface(mlir::Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(mlir::DialectBytecodeWriter &writer) const final;
  std::unique_ptr<mlir::DialectVersion>
  readVersion(mlir::DialectBytecodeReader &reader) const final;
  mlir::LogicalResult
  upgradeFromVersion(mlir::Operation *top,
                     const mlir::DialectVersion &version) const final;
};

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_IR_BYTECODE_H
