//===- Destinations.h - Where a copy into shared memory goes ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by bulk and tensor copies: multicast, and the barriers that track a
// copy.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_ASYNC_DESTINATIONS_H
#define ATTN_LIB_PTXSIM_ASYNC_DESTINATIONS_H

#include "PTXSim/Async/AsyncHandlers.h"

namespace attn::ptx {

/// Calls `visit(target, barrier)` for each CTA that receives the data. False
/// after a finding: the mask names CTAs outside the cluster.
bool forEachDestination(Exec &x, const Inst &inst, uint64_t target,
                        uint64_t barrier, uint64_t mask, bool multicast,
                        llvm::function_ref<void(uint64_t, uint64_t)> visit);

/// The barriers of the operation exist and the issuer may use them.
bool checkCompletions(Exec &x, const Inst &inst, const Operation &op);

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_ASYNC_DESTINATIONS_H
