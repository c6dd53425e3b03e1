//===- GPURoles.h - Which attentions have warps with roles ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_GPUROLES_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_GPUROLES_H

#include "Route.h"

namespace attn {

/// The schedule of the kernel whose warps have roles; null where there is none,
/// and then remarks say why, if the target could have it.
GPUAttentionAttr selectRoles(Route &route, AttentionOp op, int64_t headDim,
                             int64_t valueDim, const TargetDescription &target);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_GPUROLES_H
