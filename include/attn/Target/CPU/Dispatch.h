//===- Dispatch.h - Several instruction sets in one module ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each target's module defines the same C entries. Renamed to NAME__isa they
// go into one module, whose NAME asks the processor, at the first call, which
// of them it can run.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TARGET_CPU_DISPATCH_H
#define ATTN_TARGET_CPU_DISPATCH_H

#include "attn/Target/TargetDescription.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"

namespace attn {

/// `x86_64_v3`, or `host` for the machine the compiler runs on: what follows
/// NAME__ in the symbols of a target's clones.
std::string getISAName(const TargetDescription &target);

/// What renameForISA calls a function.
std::string getCloneName(llvm::StringRef name, const TargetDescription &target);

/// The target without the features that a kernel could not ask the processor
/// for at run time. Ahead-of-time code must not use them.
TargetDescription restrictToCheckedFeatures(const TargetDescription &target);

/// Gives each function of `names` the suffix of the target.
void renameForISA(llvm::Module &module, llvm::ArrayRef<std::string> names,
                  const TargetDescription &target);

/// Adds a function under each of `names` that calls the clone of the first of
/// `targets` whose features the processor has, so the best one comes first.
/// Where it has none, the function returns ATTN_ERROR_UNSUPPORTED_ISA with a
/// text. The answer is kept in one word that any thread may write: there is no
/// initialisation when the object is loaded.
void addDispatchers(llvm::Module &module, llvm::ArrayRef<std::string> names,
                    llvm::ArrayRef<TargetDescription> targets);

} // namespace attn

#endif // ATTN_TARGET_CPU_DISPATCH_H
