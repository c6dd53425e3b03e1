//===- Bytecode.cpp - The dialect in bytecode -----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bytecode.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/IR/DialectVersion.h"

using namespace mlir;
using namespace attn;

void AttnBytecodeInterface::writeVersion(DialectBytecodeWriter &writer) const {
  // A program may ask for files that an older one reads.
  FailureOr<const mlir::DialectVersion *> asked =
      writer.getDialectVersion<AttnDialect>();
  const auto *version = succeeded(asked)
                            ? static_cast<const attn::DialectVersion *>(*asked)
                            : nullptr;
  writer.writeVarInt(version ? version->number
                             : attn::DialectVersion::kCurrent);
}

std::unique_ptr<mlir::DialectVersion>
AttnBytecodeInterface::readVersion(DialectBytecodeReader &reader) const {
  uint64_t number;
  if (failed(reader.readVarInt(number)))
    return nullptr;
  if (number > attn::DialectVersion::kCurrent) {
    reader.emitError() << "the file was written with version " << number
                       << " of the attn dialect, and this program reads up to "
                       << attn::DialectVersion::kCurrent
                       << ": use the attn-mlir that wrote it or a later one, "
                          "or have it written as text";
    return nullptr;
  }
  return std::make_unique<attn::DialectVersion>(number);
}

LogicalResult
AttnBytecodeInterface::upgradeFromVersion(Operation *,
                                          const mlir::DialectVersion &) const {
  // Version 1 is the first. The step from version N to N + 1 belongs here, one
  // after the other from the file's version on.
  return success();
}
