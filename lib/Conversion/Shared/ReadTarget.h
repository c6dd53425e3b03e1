//===- ReadTarget.h - The target option of a pass ---------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_SHARED_READTARGET_H
#define ATTN_LIB_CONVERSION_SHARED_READTARGET_H

#include "attn/Target/TargetDescription.h"
#include "mlir/IR/Location.h"

namespace attn {

/// What the name of a target stands for; fails with an error at `loc` where it
/// is none.
mlir::FailureOr<TargetDescription> readTarget(mlir::Location loc,
                                              llvm::StringRef name);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_SHARED_READTARGET_H
