//===- SelectSchedule.cpp - Which attentions take the fast route, and how
//---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "attn/Dialect/Attn/Transforms/Transforms.h"
#include "attn/Target/TargetDescription.h"

using namespace mlir;
using namespace attn;

namespace attn {
#define GEN_PASS_DEF_SELECTSCHEDULEPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

/// Scratch up to this size lies on the stack (attn-place-scratch).
constexpr int64_t kScratchStackBytes = 64 * 1024;
/// More groups would leave too few blocks of rows to share among threads.
constexpr int64_t kMaxRowGroups = 4;

/// The extent of dimension `dim` in the operand with `map`, or kDynamic.
static int64_t getExtent(Value shaped, AffineMap map, unsigned dim) {
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (expr == getAffineDimExpr(dim, map.getContext()))
      return cast<ShapedType>(shaped.getType()).getDimSize(i);
  return ShapedType::kDynamic;
}

/// Head dimension and value dimension.
static std::pair<int64_t, int64_t> getDims(AttentionOp op) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  return {getExtent(op.getQuery(), self.getInputMap(0), op.getHeadDimDim()),
          getExtent(op.getValue(), self.getInputMap(2), op.getValueDim())};
}

/// Why the machine-level kernel cannot compute `op`; empty when it can.
static std::string getUncoveredReason(AttentionOp op) {
  if (!isa<RankedTensorType>(op.getQuery().getType()))
    return "operands are not tensors";
  Type element = cast<ShapedType>(op.getQuery().getType()).getElementType();
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element))
    return "element type is not f16, bf16, f32 or f64";
  if (op.getProbes())
    return "probes are asked for";
  auto [headDim, valueDim] = getDims(op);
  if (ShapedType::isDynamic(headDim) || ShapedType::isDynamic(valueDim))
    return "the head dimension is dynamic";
  auto self = cast<AttentionOpInterface>(op.getOperation());
  for (unsigned i = 0, e = op.getParams().size(); i < e; ++i)
    for (AffineExpr expr : self.getParamMap(i).getResults())
      if (!isa<AffineDimExpr>(expr) && (expr.isFunctionOfDim(op.getRowDim()) ||
                                        expr.isFunctionOfDim(op.getKeyDim())))
        return "a param has one element for several rows or keys";
  LengthAttr length = op.getScale().getLength();
  bool hasSegments = llvm::any_of(
      op.getMasks(), [](Attribute mask) { return isa<SegmentIdsAttr>(mask); });
  if (hasSegments && length && length.getKind() == LengthKind::Position)
    return "the scale counts positions within segments";
  return {};
}

/// How many groups of `rows` query rows share a block of keys and values, so
/// that it is read from the L2 cache for all but the first of them.
static int64_t getRowGroups(AttentionOp op, int64_t rows, int64_t keys,
                            int64_t bytes, bool convertsBlocks) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  auto [headDim, valueDim] = getDims(op);
  // What does not fit the stack has to be allocated for each block of rows.
  int64_t state = rows * (headDim + valueDim) * bytes;
  int64_t shared = keys * rows * bytes;
  int64_t groups = std::clamp<int64_t>((kScratchStackBytes - shared) / state, 1,
                                       kMaxRowGroups);
  // Under a causal mask or a window the rows of a block see different keys:
  // the more rows, the more masked work at the edge.
  if (llvm::any_of(op.getMasks(), [](Attribute mask) {
        return cast<MaskAttrInterface>(mask).isRange();
      }))
    groups = 1;
  // Converting a block of keys and values costs some per cent of the products
  // that one group of rows makes with it.
  if (convertsBlocks)
    groups = std::max<int64_t>(groups, 2);
  int64_t queries =
      getExtent(op.getQuery(), self.getInputMap(0), op.getRowDim());
  if (!ShapedType::isDynamic(queries))
    groups = std::clamp<int64_t>(llvm::divideCeil(queries, rows), 1, groups);
  return groups;
}

FailureOr<ScheduleAttr> attn::selectSchedule(AttentionOp op,
                                             const TargetDescription &target,
                                             std::string &reason) {
  if (std::optional<ScheduleAttr> decode = selectDecodeSchedule(op, target))
    return *decode;
  reason = getUncoveredReason(op);
  if (!reason.empty())
    return failure();
  if (!target.hasFastVectors()) {
    reason = "target " + target.name + " has neither AVX-512 nor AVX2 with FMA";
    return failure();
  }
  // A register tile of mr x nr accumulators, nr operand vectors and one
  // broadcast must fit the register file: 8 x 3 of 32, 4 x 3 of 16.
  auto self = cast<AttentionOpInterface>(op.getOperation());
  Type element = getElementTypeOrSelf(op.getQuery().getType());
  FloatType compute = self.getComputeType();
  int64_t lanes = target.getLanes(compute.getWidth());
  int64_t nr = 3;
  int64_t mr = target.numVectorRegisters >= 32 ? 8 : 4;
  // The scores of a tile should stay in L1 beside the packed query or the
  // output: 64 keys where they do, else half as many. Fewer keys would make the
  // loops of the second product short.
  auto [headDim, valueDim] = getDims(op);
  int64_t rows = lanes * nr, keys = 64;
  int64_t bytes = compute.getWidth() / 8;
  if (rows * (std::max(headDim, valueDim) + keys) * bytes > target.l1Bytes)
    keys = 32;
  Type operands;
  if (element != compute)
    operands = compute;
  rows *= getRowGroups(op, rows, keys, bytes, element != compute);
  return ScheduleAttr::get(op.getContext(), rows, keys, lanes, mr, nr, operands,
                           /*splitKeys=*/0, /*items=*/1);
}

namespace {

struct SelectSchedulePass
    : attn::impl::SelectSchedulePassBase<SelectSchedulePass> {
  using SelectSchedulePassBase::SelectSchedulePassBase;

  void runOnOperation() override {
    llvm::Expected<TargetDescription> description =
        parseTargetDescription(target);
    if (!description) {
      getOperation().emitError() << llvm::toString(description.takeError());
      return signalPassFailure();
    }
    getOperation().walk([&](AttentionOp op) {
      if (op.getSchedule())
        return;
      std::string reason;
      FailureOr<ScheduleAttr> schedule =
          selectSchedule(op, *description, reason);
      if (failed(schedule)) {
        op.emitRemark() << "portable path: " << reason;
        return;
      }
      op.setScheduleAttr(*schedule);
      op.emitRemark() << "fast path: " << *schedule;
    });
  }
};

} // namespace
