//===- Guard.h - What happens when there is no memory -------------*- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CAPI_GUARD_H
#define ATTN_LIB_CAPI_GUARD_H

#include "attn-c/attn.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace attn::capi {

/// Ends the guarded call of this thread; returns where there is none.
void recoverFromBadAlloc();

/// For what is done outside of a guarded call: ATTN_NO_MEMORY where that has no
/// memory. The frames between have no destructors to run.
attn_code catchBadAlloc(llvm::function_ref<attn_code()> body);

} // namespace attn::capi

#endif // ATTN_LIB_CAPI_GUARD_H
