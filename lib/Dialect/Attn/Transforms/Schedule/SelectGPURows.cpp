//===- SelectGPURows.cpp - Which ops of rows are kernels, and how ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPURows.h"
#include "Route.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"
#include "attn/Support/Sizes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

/// Rows of fewer elements are not cut, and parts have so many; so many rows are
/// enough to fill a GPU.
constexpr int64_t kLongRow = int64_t(1) << 16, kChunk = int64_t(1) << 14;
constexpr int64_t kManyRows = 256;

namespace {

/// The rows of an op.
struct Rows {
  FloatType compute;
  /// Elements of a row, and how many rows there are; kDynamic where that is not
  /// known.
  int64_t length = 1, count = 1;
  /// Whether the last dimension is not of a row.
  bool isStrided = false;
  /// The bytes of the largest element along a row.
  int64_t bytes = 1;
  /// Whether an element of the compute type is kept for each one.
  bool keeps = false;
};

} // namespace

static int64_t multiply(int64_t product, ShapedType type, int64_t dim) {
  return ShapedType::isDynamic(product) || type.isDynamicDim(dim)
             ? ShapedType::kDynamic
             : multiplySaturating(product, type.getDimSize(dim));
}

static Rows getRows(ShapedType type, FloatType compute,
                    llvm::function_ref<bool(int64_t)> isOfRow) {
  Rows rows{compute};
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t &product = isOfRow(dim) ? rows.length : rows.count;
    product = multiply(product, type, dim);
  }
  rows.isStrided = type.getRank() == 0 || !isOfRow(type.getRank() - 1);
  rows.bytes = getBytes(type);
  return rows;
}

/// Neighbours that a thread takes at once: whole accesses of the largest
/// element, as many as divide the row.
static int64_t selectWidth(const Rows &rows, bool isInRegisters) {
  if (rows.isStrided)
    return 1;
  int64_t bytes = rows.bytes;
  if (rows.keeps && !isInRegisters)
    bytes = std::max(bytes, getBytes(rows.compute));
  int64_t width = std::max<int64_t>(kAccessBytes / bytes, 1);
  while (!ShapedType::isDynamic(rows.length) && rows.length % width != 0)
    width /= 2;
  return width;
}

/// Rows of dynamic length and very long ones keep nothing in registers.
static GPURowsAttr selectRows(MLIRContext *context, const Rows &rows) {
  int64_t most = kWarpPieces * 32 / FloatType(rows.compute).getWidth();
  int64_t lanes = rows.isStrided ? 1 : kWarpLanes;
  int64_t width = selectWidth(rows, /*isInRegisters=*/true);
  for (int64_t warps = 1; warps <= kMostWarps; warps *= 2) {
    if (ShapedType::isDynamic(rows.length))
      break;
    int64_t pieces =
        width * llvm::divideCeil(rows.length, warps * lanes * width);
    if (pieces <= most)
      return GPURowsAttr::get(context, warps, warps == 1 ? kBlockWarps : warps,
                              std::max<int64_t>(pieces, 1), width,
                              rows.isStrided, /*chunk=*/0);
  }
  return GPURowsAttr::get(context, kLongWarps, kLongWarps, /*pieces=*/0,
                          selectWidth(rows, /*isInRegisters=*/false),
                          rows.isStrided, /*chunk=*/0);
}

/// Whether so few rows are so long that several blocks should share each.
static bool areFewAndLong(const Rows &rows) {
  bool isLong = ShapedType::isDynamic(rows.length) || rows.length >= kLongRow;
  return isLong && !rows.isStrided && !ShapedType::isDynamic(rows.count) &&
         rows.count < kManyRows;
}

static GPURowsAttr selectChunks(MLIRContext *context, const Rows &rows) {
  return GPURowsAttr::get(context, kLongWarps, kLongWarps, /*pieces=*/0,
                          selectWidth(rows, /*isInRegisters=*/false),
                          /*strided=*/false, kChunk);
}

Route attn::selectGPURoute(NormOp op, const TargetDescription &target) {
  auto type = cast<ShapedType>(op.getInput().getType());
  Rows rows = getRows(type, op.getComputeType(),
                      [&](int64_t dim) { return op.isNormalised(dim); });
  for (OpOperand &operand : op->getOpOperands())
    if (llvm::is_contained(op.getOperandDims(operand), type.getRank() - 1))
      rows.bytes = std::max(rows.bytes, getBytes(operand.get().getType()));
  // It may get a residual yet.
  rows.keeps = true;
  Route route =
      makeRoute(selectRows(op.getContext(), rows), RemarkId::NormRoute);
  if (areFewAndLong(rows) && !ShapedType::isDynamic(rows.length) &&
      rows.count < target.gpu->multiprocessors)
    route.remarks.push_back(Remark(
        RemarkId::NormFewRows,
        {{"rows", std::to_string(rows.count)},
         {"multiprocessors", std::to_string(target.gpu->multiprocessors)}}));
  return route;
}

Route attn::selectGPURoute(SoftmaxOp op, const TargetDescription &target) {
  auto type = cast<ShapedType>(op.getInput().getType());
  Rows rows = getRows(type, op.getComputeType(),
                      [&](int64_t dim) { return dim == op.getKeyDim(); });
  rows.bytes = std::max(rows.bytes, getBytes(op.getOutput().getType()));
  bool isCut = areFewAndLong(rows) && !ShapedType::isDynamic(rows.length);
  rows.keeps = !isCut;
  return makeRoute(isCut ? selectChunks(op.getContext(), rows)
                         : selectRows(op.getContext(), rows),
                   RemarkId::SoftmaxRoute);
}

Route attn::selectGPURoute(StatisticsOp op, const TargetDescription &target) {
  ShapedType type = op.getInputType();
  // Each element alone is no row.
  auto isReduced = [&](int64_t dim) { return op.isReduced(dim); };
  if (llvm::none_of(llvm::seq(type.getRank()), isReduced))
    return makeKernellessRoute(target);
  Rows rows = getRows(type, op.getComputeType(), isReduced);
  // A chunk has two dimensions at most.
  int64_t rank = type.getRank(), reduced = 0, chunk = 1;
  for (int64_t dim = 0; dim < rank; ++dim) {
    reduced += op.isReduced(dim);
    if (dim + 2 >= rank)
      chunk = multiply(chunk, type, dim);
  }
  bool isCut = areFewAndLong(rows) && op.reducesLastDims() &&
               (reduced <= 2 || chunk >= kChunk / 4);
  return makeRoute(isCut ? selectChunks(op.getContext(), rows)
                         : selectRows(op.getContext(), rows),
                   RemarkId::StatisticsRoute);
}
