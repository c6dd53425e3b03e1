//===- FloatConversions.h - Conversions that LLVM may call ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_TARGET_CPU_FLOATCONVERSIONS_H
#define ATTN_LIB_TARGET_CPU_FLOATCONVERSIONS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

namespace attn {

/// Where a processor has no instruction for a conversion of f16 or bf16, LLVM
/// calls a function of the compiler's runtime library, which older ones lack
/// and which a host of kernels should not need. Defines the function of that
/// name inside the module. False if `name` is none of them.
bool defineFloatConversion(llvm::Module &module, llvm::StringRef name);

} // namespace attn

#endif // ATTN_LIB_TARGET_CPU_FLOATCONVERSIONS_H
