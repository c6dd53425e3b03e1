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
#include "attn/Remarks/Remarks.h"

namespace mlir {
class DialectRegistry;
class RewriterBase;
} // namespace mlir

namespace attn {

struct TargetDescription;

/// How an op is computed.
struct Route {
  /// Null for the portable path.
  ScheduleAttrInterface schedule;
  /// The route, why a faster one did not apply, and what the op costs.
  llvm::SmallVector<Remark, 2> remarks;
};

/// Gives `op`, which has a RouteOpInterface and no schedule, the one it chooses
/// on `target`, if any.
Route scheduleOp(mlir::Operation *op, const TargetDescription &target);

/// Makes the elementwise sum that `op` normalises, x + F or x + alpha F, its
/// input, residual and factor, so that the sum costs no pass of its own; uses
/// of the sum after the norm become uses of its second result. Remarks, and
/// returns whether it did so.
bool fuseResidualNorm(mlir::RewriterBase &rewriter, NormOp op);

/// Makes `consumer`, an elementwise op on tensors, part of the epilogue of
/// `linear`, whose result it uses. Returns why not, or an empty text.
std::string fuseEpilogue(mlir::RewriterBase &rewriter, LinearOp linear,
                         mlir::Operation *consumer);

/// Makes the norm, or the rotation, of the query's or the key's rows a part of
/// `op`, which then does it when it loads them, if that pays with its schedule.
/// Remarks where there is one, and returns whether it did so.
bool fuseQkNorm(mlir::RewriterBase &rewriter, AttentionOp op, LoadedRows rows);
bool fuseRope(mlir::RewriterBase &rewriter, AttentionOp op, LoadedRows rows);

/// Replaces a scheduled attention on tensors by loops over its tiles.
mlir::LogicalResult tileAttention(mlir::RewriterBase &rewriter, AttentionOp op);

/// Lets ops choose their schedules, by RouteOpInterface.
void registerRouteOpInterfaceExternalModels(mlir::DialectRegistry &registry);

/// Lets tile ops and scheduled ops go through one-shot bufferisation as
/// themselves.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);

} // namespace attn

#include "attn/Dialect/Attn/Transforms/RouteOpInterface.h.inc"

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_TRANSFORMS_H
