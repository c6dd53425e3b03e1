//===- TargetNames.h - The targets there are --------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TARGET_TARGETNAMES_H
#define ATTN_TARGET_TARGETNAMES_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace attn {

struct TargetDescription;

/// All that parseTargetDescription reads.
std::vector<std::string> getTargetNames();

/// The best of them that is no machine's own and that `host` can run.
std::string getBestGenericTarget(const TargetDescription &host);

/// Instructions of AMX, by LLVM's name of the feature.
bool isTileFeature(llvm::StringRef feature);

/// Whether attn-run --emulator=amx computes them where the processor does not:
/// tiles, and the products of pairs that processors with tiles have.
bool isEmulatedFeature(llvm::StringRef feature);

} // namespace attn

#endif // ATTN_TARGET_TARGETNAMES_H
