//===- EntryDescription.h - What a header says of an entry ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_COMPILER_ENTRYDESCRIPTION_H
#define ATTN_LIB_COMPILER_ENTRYDESCRIPTION_H

#include "attn/Compiler/Artifact.h"

namespace attn {

/// Describes a function that is still on tensors, after the plan phase: by then
/// it says which sizes must be equal. Nothing is changed.
llvm::Expected<EntryDescription> describeEntry(mlir::func::FuncOp entry,
                                               llvm::StringRef file);

} // namespace attn

#endif // ATTN_LIB_COMPILER_ENTRYDESCRIPTION_H
