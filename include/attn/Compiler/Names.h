//===- Names.h - What kernels are called in C -------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_NAMES_H
#define ATTN_COMPILER_NAMES_H

#include "attn/Target/TargetDescription.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace attn {

/// What an entry called `main` is called in C, where nobody says otherwise: a C
/// program has a `main` of its own.
constexpr llvm::StringLiteral kNameForMain = "attn_main";

/// Fails for names that a C or C++ program cannot declare a kernel by: no
/// identifiers, keywords, functions of the C library, and what the header of
/// kernels declares. `where` begins the message.
llvm::Error checkCName(llvm::StringRef name, llvm::StringRef where);

/// Fails if one of the kernels has a name that another makes for itself:
/// `name__shapes` and the like, also those of each target.
llvm::Error checkClashes(llvm::ArrayRef<std::string> names,
                         llvm::ArrayRef<TargetDescription> targets,
                         llvm::StringRef where);

} // namespace attn

#endif // ATTN_COMPILER_NAMES_H
