//===- Transforms.h - Rewrites of attn ops, without their passes -*- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_TRANSFORMS_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_TRANSFORMS_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace mlir {
class DialectRegistry;
class RewriterBase;
} // namespace mlir

namespace attn {

struct TargetDescription;

/// The schedule of the fast CPU route for `op` on `target`, or, in `reason`,
/// why that route does not cover the op.
mlir::FailureOr<ScheduleAttr> selectSchedule(AttentionOp op,
                                             const TargetDescription &target,
                                             std::string &reason);

/// How many query heads share a key head, as far as the indexing maps tell: the
/// rows of a group are decoded together.
int64_t getHeadGroup(AttentionOp op);

/// The schedule with the head dimension in the lanes, where `op` has few rows
/// and its layout allows it.
std::optional<ScheduleAttr>
selectDecodeSchedule(AttentionOp op, const TargetDescription &target);

/// Replaces a scheduled attention on tensors by loops over its tiles.
mlir::LogicalResult tileAttention(mlir::RewriterBase &rewriter, AttentionOp op);

/// Lets the tile ops go through one-shot bufferisation as themselves.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);

} // namespace attn

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_TRANSFORMS_H
