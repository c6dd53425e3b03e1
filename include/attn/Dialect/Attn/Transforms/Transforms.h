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

/// How one attention is computed.
struct Route {
  /// Null for the portable path.
  ScheduleAttr schedule;
  /// The route, and why a faster one did not apply.
  llvm::SmallVector<Remark, 2> remarks;
};

/// The fast CPU route for `op` on `target`, or the portable path.
Route selectRoute(AttentionOp op, const TargetDescription &target);

/// The schedule with the head dimension in the lanes, where `op` has few rows
/// and its layout allows it. Where it has few rows, but something else is in
/// the way, `missed` says what.
std::optional<ScheduleAttr>
selectDecodeSchedule(AttentionOp op, const TargetDescription &target,
                     std::optional<Remark> &missed);

/// Sizes of a matrix product; kDynamic where they are not known.
struct ContractionSizes {
  int64_t rows, columns, depth;
  /// Whether rows of the right operand are vectors of the type of the sums.
  bool isRhsReadable;
  /// Whether rows of the left and columns of the right operand are contiguous.
  bool areTermsContiguous = false;
};

/// The blocks of a matrix product with results of type `stored` and sums of
/// type `compute`. Any number of threads may share them, and no sum depends on
/// it.
ContractionScheduleAttr
selectContractionSchedule(mlir::Type stored, mlir::FloatType compute,
                          const ContractionSizes &sizes,
                          const TargetDescription &target);

/// The fast CPU route for `op` on `target`, or the portable path; one remark.
std::pair<ContractionScheduleAttr, Remark>
selectLinearRoute(LinearOp op, const TargetDescription &target);

/// How one norm is computed: without a schedule by the portable path.
struct NormRoute {
  NormScheduleAttr schedule;
  Remark remark;
};

/// The fast CPU route for `op` on `target`, or the portable path.
NormRoute selectNormRoute(NormOp op, const TargetDescription &target);

/// How sines and cosines of positions are computed: without a schedule by the
/// portable path.
struct PositionRoute {
  PositionScheduleAttr schedule;
  Remark remark;
};

/// The fast CPU route for `op` on `target`, or the portable path.
PositionRoute selectPositionRoute(RopeOp op, const TargetDescription &target);
PositionRoute selectPositionRoute(SinusoidalPositionsOp op,
                                  const TargetDescription &target);

/// The same for one softmax.
struct SoftmaxRoute {
  SoftmaxScheduleAttr schedule;
  Remark remark;
};
SoftmaxRoute selectSoftmaxRoute(SoftmaxOp op, const TargetDescription &target);

/// The same for one statistic.
struct StatisticsRoute {
  StatisticsScheduleAttr schedule;
  Remark remark;
};
StatisticsRoute selectStatisticsRoute(StatisticsOp op,
                                      const TargetDescription &target);

/// Makes the elementwise sum that `op` normalises, x + F or x + alpha F, its
/// input, residual and factor, so that the sum costs no pass of its own; uses
/// of the sum after the norm become uses of its second result. Remarks, and
/// returns whether it did so.
bool fuseResidualNorm(mlir::RewriterBase &rewriter, NormOp op,
                      const TargetDescription &target);

/// Makes `consumer`, an elementwise op on tensors, part of the epilogue of
/// `linear`, whose result it uses. Returns why not, or an empty text.
std::string fuseEpilogue(mlir::RewriterBase &rewriter, LinearOp linear,
                         mlir::Operation *consumer);

/// Makes the norm, or the rotation, of the query's or the key's rows a part of
/// `op`, which then does it when it loads them, if that pays on `target`.
/// Remarks where there is one, and returns whether it did so.
bool fuseQkNorm(mlir::RewriterBase &rewriter, AttentionOp op, LoadedRows rows,
                const TargetDescription &target);
bool fuseRope(mlir::RewriterBase &rewriter, AttentionOp op, LoadedRows rows,
              const TargetDescription &target);

/// Replaces a scheduled attention on tensors by loops over its tiles.
mlir::LogicalResult tileAttention(mlir::RewriterBase &rewriter, AttentionOp op);

/// Lets tile ops and scheduled ops go through one-shot bufferisation as
/// themselves.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);

} // namespace attn

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_TRANSFORMS_H
