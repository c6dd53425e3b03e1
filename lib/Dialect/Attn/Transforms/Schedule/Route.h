//===- Route.h - What each op's choice of a route is made of ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_ROUTE_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_ROUTE_H

#include "attn/Dialect/Attn/Transforms/Transforms.h"
#include "attn/Target/GPUCost.h"
#include "attn/Target/TargetDescription.h"

namespace attn {

/// The route of an op with this schedule, which the remark `id` tells.
Route makeRoute(ScheduleAttrInterface schedule, RemarkId id);

/// The route of an op that multiplies matrices. `products` says by what, and
/// what is packed.
Route makeProductRoute(ScheduleAttrInterface schedule, RemarkId id,
                       const llvm::Twine &products);

/// "products by tiles of bf16, 2 parts a number": what a CPU multiplies by.
std::string describeProducts(Instruction instruction, int64_t parts,
                             mlir::Type compute);
/// Whether the target is this machine, whose pairs of bf16 are left out as slow
/// and whose tiles cannot be had; and what is said then.
bool lacksPairsAlone(const TargetDescription &target);
constexpr llvm::StringLiteral kSlowPairs =
    "no tile unit may be used here, and pairs are slower than f32";

/// What a GPU multiplies numbers of type `element` by.
std::string describeGPUProducts(mlir::Type element);

/// The portable route, for lack of fused multiply-adds on vectors.
Route makeBaselineRoute(const TargetDescription &target);

/// The portable route, for lack of a kernel for this kind of op.
Route makeKernellessRoute(const TargetDescription &target);

/// How a launch of so many equal blocks fills a GPU.
Remark describeLaunch(const GPUDescription &gpu, int64_t blocks,
                      const BlockNeeds &needs);

/// The extent of dimension `dim` in the operand with `map`, or kDynamic.
int64_t getExtent(mlir::Value shaped, mlir::AffineMap map, unsigned dim);

/// Sizes of a linear layer as a product, kDynamic where they are not known.
/// Rows of several dimensions are one, where they lie so.
struct LinearSizes {
  explicit LinearSizes(LinearOp op);
  int64_t rows, columns, depth;
  /// Whether the terms of a column are neighbours: weight [out, in].
  bool isTransposed;
};

/// The fast GPU route for `op` on `target`, or the portable one. What has no
/// overload of its own has no kernel.
template <typename OpTy>
Route selectGPURoute(OpTy, const TargetDescription &target) {
  return makeKernellessRoute(target);
}

Route selectGPURoute(AttentionOp op, const TargetDescription &target);
Route selectGPURoute(LinearOp op, const TargetDescription &target);
Route selectGPURoute(NormOp op, const TargetDescription &target);
Route selectGPURoute(SoftmaxOp op, const TargetDescription &target);
Route selectGPURoute(StatisticsOp op, const TargetDescription &target);
Route selectGPURoute(RopeOp op, const TargetDescription &target);
Route selectGPURoute(SinusoidalPositionsOp op, const TargetDescription &target);

/// The fast CPU route for `op` on `target`, or the portable one.
Route selectCPURoute(AttentionOp op, const TargetDescription &target);
Route selectCPURoute(LinearOp op, const TargetDescription &target);
Route selectCPURoute(NormOp op, const TargetDescription &target);
Route selectCPURoute(RopeOp op, const TargetDescription &target);
Route selectCPURoute(SinusoidalPositionsOp op, const TargetDescription &target);
Route selectCPURoute(SoftmaxOp op, const TargetDescription &target);
Route selectCPURoute(StatisticsOp op, const TargetDescription &target);

/// What multiplies and adds on a CPU: pairs of bf16 where queries, keys and
/// values are stored as such and the target has the instruction.
Instruction selectInstruction(AttentionOp op, const TargetDescription &target);

/// The schedule with the head dimension in the lanes, where `op` has few rows
/// and its layout allows it. Where it has few rows, but something else is in
/// the way, `missed` says what.
std::optional<ScheduleAttr>
selectDecodeSchedule(AttentionOp op, const TargetDescription &target,
                     std::optional<Remark> &missed);

/// Sizes of a matrix product; kDynamic where they are not known.
struct ContractionSizes {
  int64_t rows, columns, depth;
  /// Whether rows of the right operand are contiguous.
  bool areColumnsContiguous;
  /// Whether rows of the left and columns of the right operand are contiguous.
  bool areTermsContiguous = false;
  /// Whether the right operand is in panels before the call.
  bool isAhead = false;
};

/// Whether a matrix is a constant, or an argument with attn.packed, which would
/// have its panels ahead.
bool isMadeAhead(mlir::Value matrix);

/// Element types of the operands and results of a matrix product, and of its
/// sums.
struct ContractionTypes {
  mlir::Type lhs, rhs, stored;
  mlir::FloatType compute;
  /// Of how many numbers of bf16 an operand's may consist, if the op says so.
  int64_t parts = 1;
};

/// What a tile unit multiplies.
struct Unit {
  Instruction instruction;
  /// Of how many numbers of bf16 an operand's consist there.
  int64_t parts;
};

/// What the target's tile unit has for operands of these types; none if
/// nothing.
std::optional<Unit> selectUnit(mlir::Type lhs, mlir::Type rhs, int64_t parts,
                               const TargetDescription &target);

/// The blocks of a matrix product. Any number of threads may share them, and no
/// sum depends on it.
Route selectCPUProduct(const ContractionTypes &types,
                       const ContractionSizes &sizes,
                       const TargetDescription &target);

/// Sizes of a matrix product on a GPU; kDynamic where they are not known.
struct GPUProductSizes {
  int64_t batch, rows, columns, depth;
};

/// The kernel of a product of matrices with these elements and sums of type
/// `compute`; with `rhsTransposed` the terms of the right one are neighbours.
Route selectGPUProduct(mlir::Type lhs, mlir::Type rhs, mlir::FloatType compute,
                       const GPUProductSizes &sizes, bool rhsTransposed,
                       const TargetDescription &target);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_ROUTE_H
