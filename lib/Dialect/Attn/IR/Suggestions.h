//===- Suggestions.h - What was meant, and how it is written ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_SUGGESTIONS_H
#define ATTN_LIB_DIALECT_ATTN_IR_SUGGESTIONS_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

/// The name that `name` most likely is a slip of; empty where none is near.
llvm::StringRef findNearest(llvm::StringRef name,
                            llvm::ArrayRef<llvm::StringRef> names);

/// How an attribute with parameters is written, for example; empty for others.
llvm::StringRef getUsage(llvm::StringRef mnemonic);

/// Whether the dialect has an attribute of this name.
bool isAttributeName(llvm::StringRef mnemonic);

/// What an unknown attribute should have been: the nearest name, and all names
/// of its kind; or all names.
std::string describeAttributes(llvm::StringRef mnemonic);

/// The same for ops, whose names have no `attn.`.
std::string describeOps(mlir::MLIRContext *context, llvm::StringRef name);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_IR_SUGGESTIONS_H
