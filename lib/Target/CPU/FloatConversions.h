//===- FloatConversions.h - bf16 conversions that LLVM may call -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TARGET_CPU_FLOATCONVERSIONS_H
#define ATTN_TARGET_CPU_FLOATCONVERSIONS_H

#include <utility>
#include <vector>

namespace attn {

/// Names and addresses of the functions that LLVM calls to round to bf16 where
/// there is no instruction for it. Older compiler runtimes lack them.
std::vector<std::pair<const char *, void *>> getFloatConversions();

} // namespace attn

#endif // ATTN_TARGET_CPU_FLOATCONVERSIONS_H
