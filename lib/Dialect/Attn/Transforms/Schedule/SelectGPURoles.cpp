//===- SelectGPURoles.cpp - Which attentions have warps with roles --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPURoles.h"
#include "Route.h"

#include "attn/Dialect/Attn/IR/RoleRegisters.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

/// The least head dimension: with a shorter one exponentials take longer than
/// products, whoever multiplies.
constexpr int64_t kLeastHead = 64;
/// Heads of which accumulators leave registers for a third group.
constexpr int64_t kShortHead = 64;
/// Bytes of a row of a panel of shared memory.
constexpr int64_t kPanelRowBytes = 128;
/// Bytes of barriers at most.
constexpr int64_t kBarrierBytes = 1024;
constexpr int64_t kMostMapDims = 5;
/// Registers of a thread that hold no matrix: some, and more with longer heads
/// up to a limit; more, too, where scores are not similarities times a factor,
/// and under masks where there are three groups, for short heads. As ptxas
/// counts.
constexpr int64_t kOtherRegisters = 24, kHeadPerRegister = 8,
                  kMostOtherRegisters = 48, kScoreRegisters = 16,
                  kShortScoreRegisters = 12;

/// Why the copy engine cannot take an operand's rows, whatever its strides are.
static bool hasMap(Value memory, AffineMap map, unsigned row, unsigned column) {
  auto isDim = [&](unsigned dim) {
    return llvm::is_contained(map.getResults(),
                              getAffineDimExpr(dim, map.getContext()));
  };
  return map.getNumResults() <= static_cast<unsigned>(kMostMapDims) &&
         isDim(row) && isDim(column) && isa<ShapedType>(memory.getType());
}

/// What the kernel does not take; empty where it takes all.
static std::string findReason(AttentionOp op, int64_t headDim,
                              int64_t valueDim) {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  Type element = getElementTypeOrSelf(op.getQuery().getType());
  if (!element.isF16() && !element.isBF16())
    return "elements are not of 16 bits";
  for (int64_t dim : {headDim, valueDim})
    if (dim % kFragmentSize != 0 || dim < kLeastHead)
      return "heads are not multiples of " + std::to_string(kFragmentSize) +
             " from " + std::to_string(kLeastHead) + " on";
  if (op.getLoadQueryAttr() || op.getLoadKeyAttr())
    return "rows change when they are loaded";
  unsigned key = op.getKeyDim(), head = op.getHeadDimDim();
  if (!hasMap(op.getQuery(), self.getInputMap(0), op.getRowDim(), head) ||
      !hasMap(op.getKey(), self.getInputMap(1), key, head) ||
      !hasMap(op.getValue(), self.getInputMap(2), key, op.getValueDim()))
    return "operands have more than five dimensions, or rows of several";
  return "";
}

static int64_t getPanelBytes(int64_t columns) {
  return kPanelRowBytes * llvm::divideCeil(columns, kPanelColumns);
}

/// As many keys as registers and shared memory take: scores in f32 and weights
/// of 16 bits for each, and two stages of keys and values.
static GPUAttentionAttr makeRoles(AttentionOp op, int64_t headDim,
                                  int64_t valueDim, const GPUDescription &gpu) {
  constexpr int64_t stages = 2;
  int64_t groups = std::max(headDim, valueDim) <= kShortHead ? 3 : 2;
  int64_t rows = groups * kGroupRows;
  int64_t others = std::min(kOtherRegisters + headDim / kHeadPerRegister,
                            kMostOtherRegisters);
  auto self = cast<AttentionOpInterface>(op.getOperation());
  bool isCosine = self.isCosine();
  bool isMasked = !op.getMasks().empty();
  if (groups == kMostGroups && (isMasked || !self.isScoreLinear()))
    others += kShortScoreRegisters;
  else if (!self.isScoreLinear())
    others += kScoreRegisters;
  int64_t registers = getRoleRegisters(groups, isCosine).products;
  int64_t keys = (registers - valueDim / 2 - others) * 4 / 3;
  // A key's row of a tile, and the weights that may go through memory.
  int64_t ofKey = stages * (getPanelBytes(headDim) + getPanelBytes(valueDim));
  if (isMasked)
    ofKey += 2 * rows;
  if (isCosine)
    ofKey += stages * int64_t(sizeof(float));
  int64_t left = gpu.sharedBytesBlock - kBarrierBytes -
                 rows * getPanelBytes(std::max(headDim, valueDim));
  keys = std::min({keys, left / ofKey, kMostFragmentHeadDim});
  // Tiles that a mask crosses are the fewer the shorter they are.
  if (isMasked)
    keys = std::min(keys, rows);
  keys = keys / kFragmentSize * kFragmentSize;
  if (keys < kFragmentSize)
    return {};
  return GPUAttentionAttr::get(op.getContext(), rows, keys,
                               groups * kGroupWarps, /*blocks=*/1, stages,
                               /*splitKeys=*/0, gpu.multiprocessors);
}

GPUAttentionAttr attn::selectRoles(Route &route, AttentionOp op,
                                   int64_t headDim, int64_t valueDim,
                                   const TargetDescription &target) {
  if (!target.gpu->hasWgmma)
    return {};
  std::string reason = findReason(op, headDim, valueDim);
  GPUAttentionAttr roles;
  if (reason.empty())
    roles = makeRoles(op, headDim, valueDim, *target.gpu);
  if (reason.empty() && !roles)
    reason = "tiles do not fit into shared memory";
  if (!roles) {
    route.remarks.push_back(Remark(RemarkId::NoRoles, {{"reason", reason}}));
    return {};
  }
  return roles;
}
