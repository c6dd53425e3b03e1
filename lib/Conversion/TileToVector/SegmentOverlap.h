//===- SegmentOverlap.h - Tiles of foreign segments -------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_SEGMENTOVERLAP_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_SEGMENTOVERLAP_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

/// Whether some row and some key of a tile may be of one segment, as far as the
/// ranges of their ids tell, which need not be sorted; null without a mask of
/// segment ids.
mlir::Value emitSegmentOverlap(mlir::OpBuilder &builder,
                               AttentionOpInterface op);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_SEGMENTOVERLAP_H
