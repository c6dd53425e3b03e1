//===- Description.h - Entries as JSON ---------------------------*- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CAPI_DESCRIPTION_H
#define ATTN_LIB_CAPI_DESCRIPTION_H

#include "Internal.h"
#include "llvm/Support/JSON.h"

namespace attn::capi {

/// The attribute "entries" of an object.
void writeEntries(llvm::json::OStream &os,
                  llvm::ArrayRef<CompiledEntry> entries);

/// The functions of a module that hosts can call: all, or the one that is
/// named. Without code.
llvm::Expected<std::vector<CompiledEntry>>
listEntries(const attn_module &module, llvm::StringRef name);

} // namespace attn::capi

#endif // ATTN_LIB_CAPI_DESCRIPTION_H
