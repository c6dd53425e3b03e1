//===- Guard.h - What happens when there is no memory -------------*- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CAPI_GUARD_H
#define ATTN_LIB_CAPI_GUARD_H

namespace attn::capi {

/// Makes operator new call recoverFromBadAlloc.
void installNewHandler();

/// Ends the guarded call of this thread; returns where there is none.
void recoverFromBadAlloc();

} // namespace attn::capi

#endif // ATTN_LIB_CAPI_GUARD_H
