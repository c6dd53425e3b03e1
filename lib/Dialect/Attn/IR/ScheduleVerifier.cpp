//===- ScheduleVerifier.cpp - What the numbers of schedules may be --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionVerifier.h"
#include "OpHelpers.h"
#include "ScheduleKind.h"

#include "attn/Dialect/Attn/IR/Instructions.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

using namespace mlir;
using namespace attn;

namespace {

using EmitError = function_ref<InFlightDiagnostic()>;

/// A number of a schedule and what it may be.
struct Number {
  StringRef name;
  int64_t value;
  int64_t least;
  int64_t most;
};

} // namespace

static LogicalResult verifyNumbers(EmitError emitError,
                                   ArrayRef<Number> numbers) {
  for (const Number &number : numbers)
    if (number.value < number.least || number.value > number.most)
      return emitError() << "schedule " << number.name << " must be from "
                         << number.least << " to " << number.most << ", got "
                         << number.value;
  return success();
}

LogicalResult attn::verifyProduct(EmitError emitError, StringRef what,
                                  ArrayRef<int64_t> factors, int64_t most) {
  int64_t product = 1;
  for (int64_t factor : factors)
    product *= factor;
  if (product > most)
    return emitError() << "schedule " << what << " must be at most " << most
                       << ", got " << product;
  return success();
}

static LogicalResult verifyLanes(EmitError emitError, int64_t lanes,
                                 int64_t least = 1) {
  if (lanes >= least && llvm::isPowerOf2_64(lanes))
    return success();
  InFlightDiagnostic error = emitError();
  error << "schedule lanes must be a power of two";
  if (least > 1)
    error << ", at least " << least;
  return error << ", got " << lanes;
}

/// Lanes and vectors whose sums are added in halves.
static LogicalResult verifyUnroll(EmitError emitError, int64_t lanes,
                                  int64_t unroll) {
  if (!llvm::isPowerOf2_64(lanes) || !llvm::isPowerOf2_64(unroll))
    return emitError() << "lanes and unroll must be powers of two: their sums "
                          "are added in halves";
  return success();
}

LogicalResult ScheduleAttr::verify(EmitError emitError, int64_t rows,
                                   int64_t keys, int64_t lanes, int64_t mr,
                                   int64_t nr, Type operands, int64_t splitKeys,
                                   int64_t items, Instruction instruction,
                                   bool sumRounded, int64_t parts) {
  // Where keys are split, the rows are those of the op.
  int64_t mostRows = splitKeys == 0 ? kMostBlockRows : kMostIndices;
  if (failed(
          verifyNumbers(emitError, {{"rows", rows, 1, mostRows},
                                    {"keys", keys, 1, kMostBlockRows},
                                    {"lanes", lanes, 1, kMostLanes},
                                    {"mr", mr, 1, kMostVectors},
                                    {"nr", nr, 1, kMostVectors},
                                    {"splitKeys", splitKeys, 0, kMostIndices},
                                    {"items", items, 1, kMostItems},
                                    {"parts", parts, 1, kMostParts}})) ||
      failed(verifyLanes(emitError, lanes)) ||
      failed(verifyProduct(emitError, "mr * nr * lanes", {mr, nr, lanes},
                           kMostTileNumbers)))
    return failure();
  if (splitKeys != 0 && keys % lanes != 0)
    return emitError() << "schedule keys (" << keys
                       << ") must be a multiple of lanes (" << lanes
                       << ") where keys are split: their scores lie in the "
                          "lanes";
  if (failed(verifyInstructionTile(emitError, instruction, lanes, mr, nr)) ||
      failed(verifyInstructionKeys(emitError, keys, lanes, mr, splitKeys,
                                   instruction)))
    return failure();
  if (splitKeys == 0 && rows % (lanes * nr) != 0)
    return emitError() << "schedule rows (" << rows
                       << ") must be a multiple of lanes * nr (" << lanes * nr
                       << ")";
  if (operands && !isa<FloatType>(operands))
    return emitError() << "schedule operands must be a float type, got "
                       << operands;
  if (failed(verifyInstructionOperands(emitError, operands, instruction,
                                       sumRounded)))
    return failure();
  if (parts > 1 &&
      (instruction != Instruction::BF16Tiles || splitKeys != 0 || sumRounded))
    return emitError()
           << "schedule parts beyond 1 take bf16_tiles, and neither "
              "splitKeys nor sumRounded";
  return success();
}

LogicalResult GPUAttentionAttr::verify(EmitError emitError, int64_t rows,
                                       int64_t keys, int64_t warps,
                                       int64_t blocks, int64_t stages,
                                       int64_t splitKeys, int64_t items) {
  if (failed(
          verifyNumbers(emitError, {{"rows", rows, 1, kMostBlockRows},
                                    {"keys", keys, 1, kMostFragmentHeadDim},
                                    {"warps", warps, 1, kMostWarps},
                                    {"blocks", blocks, 1, kMostBlocks},
                                    {"stages", stages, 1, kMostStages},
                                    {"splitKeys", splitKeys, 0, kMostIndices},
                                    {"items", items, 1, kMostItems}})))
    return failure();
  if (rows % (warps * kFragmentSize) != 0 || keys % kFragmentSize != 0)
    return emitError() << "schedule rows (" << rows
                       << ") must be a multiple of " << kFragmentSize
                       << " for each warp, and keys (" << keys << ") one of "
                       << kFragmentSize;
  if (stages > 1 &&
      (rows != warps * kFragmentSize || warps % kGroupWarps != 0 ||
       warps < kLeastGroups * kGroupWarps ||
       warps > kMostGroups * kGroupWarps || splitKeys != 0))
    return emitError() << "schedule with several stages has " << kLeastGroups
                       << " or " << kMostGroups << " groups of " << kGroupWarps
                       << " warps, " << kFragmentSize
                       << " rows a warp, and all keys";
  return success();
}

/// How many neighbouring elements a thread takes at once.
static LogicalResult verifyWidth(EmitError emitError, int64_t width) {
  if (llvm::isPowerOf2_64(width))
    return success();
  return emitError() << "schedule width must be a power of two, got " << width;
}

LogicalResult GPURowsAttr::verify(EmitError emitError, int64_t rowWarps,
                                  int64_t blockWarps, int64_t pieces,
                                  int64_t width, bool strided, int64_t chunk) {
  if (failed(
          verifyNumbers(emitError, {{"rowWarps", rowWarps, 1, kMostWarps},
                                    {"blockWarps", blockWarps, 1, kMostWarps},
                                    {"pieces", pieces, 0, kMostPieces},
                                    {"width", width, 1, kMostAccess},
                                    {"chunk", chunk, 0, kMostIndices}})) ||
      failed(verifyWidth(emitError, width)))
    return failure();
  if (strided && width != 1)
    return emitError() << "schedule width must be 1 where rows are strided, "
                          "got "
                       << width;
  if (!llvm::isPowerOf2_64(rowWarps))
    return emitError() << "schedule rowWarps must be a power of two, got "
                       << rowWarps;
  if (rowWarps != 1 && rowWarps != blockWarps)
    return emitError() << "schedule blockWarps (" << blockWarps
                       << ") must be rowWarps (" << rowWarps
                       << "), where that is more than 1";
  return success();
}

LogicalResult GPUProductAttr::verify(EmitError emitError, int64_t rows,
                                     int64_t columns, int64_t depth,
                                     int64_t rowWarps, int64_t columnWarps,
                                     int64_t stages, int64_t cluster) {
  if (failed(
          verifyNumbers(emitError, {{"rows", rows, 1, kMostBlockRows},
                                    {"columns", columns, 1, kMostBlockRows},
                                    {"depth", depth, 1, kMostFragmentHeadDim},
                                    {"rowWarps", rowWarps, 1, kMostWarps},
                                    {"columnWarps", columnWarps, 1, kMostWarps},
                                    {"stages", stages, 1, kMostStages},
                                    {"cluster", cluster, 1, kMostCluster}})) ||
      failed(verifyProduct(emitError, "rowWarps * columnWarps",
                           {rowWarps, columnWarps}, kMostWarps)))
    return failure();
  if (rows % (rowWarps * kFragmentSize) != 0 ||
      columns % (columnWarps * kFragmentSize) != 0 ||
      depth % kFragmentSize != 0)
    return emitError() << "schedule rows (" << rows << ") and columns ("
                       << columns << ") must be multiples of " << kFragmentSize
                       << " for each warp, and depth (" << depth << ") one of "
                       << kFragmentSize;
  if (!llvm::isPowerOf2_64(cluster) ||
      (cluster != 1 && columns % (cluster * kPanelColumns) != 0))
    return emitError() << "schedule columns (" << columns
                       << ") must be a multiple of " << kPanelColumns
                       << " for each block of a cluster (" << cluster
                       << "), a power of two";
  return success();
}

LogicalResult GPUDotsAttr::verify(EmitError emitError, int64_t rows,
                                  int64_t columns, int64_t blockWarps,
                                  int64_t width) {
  return success(succeeded(verifyNumbers(
                     emitError, {{"rows", rows, 1, kMostPieces},
                                 {"columns", columns, 1, kMostPieces},
                                 {"blockWarps", blockWarps, 1, kMostWarps},
                                 {"width", width, 1, kMostAccess}})) &&
                 succeeded(verifyWidth(emitError, width)) &&
                 succeeded(verifyProduct(emitError, "rows * columns",
                                         {rows, columns}, kMostTileNumbers)));
}

LogicalResult
ContractionScheduleAttr::verify(EmitError emitError, int64_t rows,
                                int64_t depth, int64_t panels, int64_t lanes,
                                int64_t mr, int64_t nr, Instruction instruction,
                                bool direct, bool turned, int64_t parts) {
  if (failed(verifyNumbers(emitError, {{"rows", rows, 1, kMostBlockRows},
                                       {"depth", depth, 1, kMostDepth},
                                       {"panels", panels, 1, kMostColumns},
                                       {"lanes", lanes, 1, kMostLanes},
                                       {"mr", mr, 1, kMostVectors},
                                       {"nr", nr, 1, kMostVectors},
                                       {"parts", parts, 1, kMostParts}})) ||
      failed(verifyLanes(emitError, lanes)) ||
      failed(verifyProduct(emitError, "mr * nr * lanes", {mr, nr, lanes},
                           kMostTileNumbers)) ||
      failed(verifyProduct(emitError, "panels * nr * lanes",
                           {panels, nr, lanes}, kMostColumns)) ||
      failed(verifyProduct(emitError, "depth * panels * nr * lanes * parts",
                           {depth, panels, nr, lanes, parts},
                           kMostScratchNumbers)))
    return failure();
  if (rows % mr != 0)
    return emitError() << "rows must be a multiple of mr";
  if (takesTiles(instruction) && direct)
    return emitError()
           << "schedule direct takes an instruction that multiplies "
              "vectors, got "
           << stringifyInstruction(instruction);
  if (turned && !takesTiles(instruction))
    return emitError() << "schedule turned takes the instruction bf16_tiles or "
                          "f16_tiles, got "
                       << stringifyInstruction(instruction);
  if (parts > 1 && (instruction != Instruction::BF16Tiles || turned))
    return emitError() << "schedule parts beyond 1 take bf16_tiles, and are "
                          "not turned";
  return verifyInstructionTile(emitError, instruction, lanes, mr, nr);
}

LogicalResult NormScheduleAttr::verify(EmitError emitError, int64_t rows,
                                       int64_t lanes, int64_t unroll,
                                       int64_t stream, int64_t panel,
                                       int64_t chunk) {
  if (failed(verifyNumbers(emitError, {{"rows", rows, 1, kMostIndices},
                                       {"lanes", lanes, 1, kMostLanes},
                                       {"unroll", unroll, 1, kMostVectors},
                                       {"stream", stream, 0, kMostBytes},
                                       {"panel", panel, 0, kMostPanel},
                                       {"chunk", chunk, 0, kMostIndices}})) ||
      failed(verifyUnroll(emitError, lanes, unroll)))
    return failure();
  if (chunk != 0 && panel == 0)
    return emitError() << "chunks are those of panels";
  return success();
}

LogicalResult PositionScheduleAttr::verify(EmitError emitError, int64_t rows,
                                           int64_t lanes, int64_t stream) {
  return success(succeeded(verifyNumbers(
                     emitError, {{"rows", rows, 1, kMostBlockRows},
                                 {"lanes", lanes, 1, kMostLanes},
                                 {"stream", stream, 0, kMostBytes}})) &&
                 // Vectors of pairs are halved.
                 succeeded(verifyLanes(emitError, lanes, /*least=*/2)));
}

LogicalResult SoftmaxScheduleAttr::verify(EmitError emitError, int64_t rows,
                                          int64_t lanes, int64_t unroll,
                                          int64_t stream, int64_t whole,
                                          int64_t segment) {
  if (failed(
          verifyNumbers(emitError, {{"rows", rows, 1, kMostIndices},
                                    {"lanes", lanes, 1, kMostLanes},
                                    {"unroll", unroll, 1, kMostVectors},
                                    {"stream", stream, 0, kMostBytes},
                                    {"whole", whole, 0, kMostIndices},
                                    {"segment", segment, 1, kMostIndices}})) ||
      failed(verifyUnroll(emitError, lanes, unroll)))
    return failure();
  if (segment % lanes != 0)
    return emitError() << "a segment must be whole vectors";
  return success();
}

LogicalResult StatisticsScheduleAttr::verify(EmitError emitError,
                                             int64_t chunks, int64_t lines,
                                             int64_t columns, int64_t lanes,
                                             int64_t unroll) {
  return success(succeeded(verifyNumbers(
                     emitError, {{"chunks", chunks, 1, kMostIndices},
                                 {"lines", lines, 1, kMostIndices},
                                 {"columns", columns, 1, kMostIndices},
                                 {"lanes", lanes, 1, kMostLanes},
                                 {"unroll", unroll, 1, kMostVectors}})) &&
                 succeeded(verifyUnroll(emitError, lanes, unroll)));
}
