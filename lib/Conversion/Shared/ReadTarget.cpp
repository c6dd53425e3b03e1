//===- ReadTarget.cpp - The target option of a pass -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadTarget.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

FailureOr<attn::TargetDescription> attn::readTarget(Location loc,
                                                    StringRef name) {
  llvm::Expected<TargetDescription> description = parseTargetDescription(name);
  if (description)
    return *description;
  return emitError(loc) << llvm::toString(description.takeError());
}
