//===- TargetNames.h - The targets there are --------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TARGET_TARGETNAMES_H
#define ATTN_TARGET_TARGETNAMES_H

#include <string>
#include <vector>

namespace attn {

struct TargetDescription;

/// All that parseTargetDescription reads.
std::vector<std::string> getTargetNames();

/// The best of them that is no machine's own and that `host` can run.
std::string getBestGenericTarget(const TargetDescription &host);

} // namespace attn

#endif // ATTN_TARGET_TARGETNAMES_H
