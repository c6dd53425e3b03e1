//===- ScheduleLimits.h - How large the numbers of a schedule are -*- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule may be written by hand, so each of its numbers has a most, which
// bounds the code that is made of it and the scratch that a thread takes. What
// is chosen stays within the same limits.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_SCHEDULELIMITS_H
#define ATTN_DIALECT_ATTN_IR_SCHEDULELIMITS_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include <cstdint>
#include <limits>

namespace attn {

/// Elements of one vector; a few registers of any machine.
constexpr int64_t kMostLanes = 64;
/// Those whose pairs of bf16 fill one vector: the instruction has one width.
constexpr int64_t kPairLanes = 16;
/// The tile unit: its registers, the rows of one and the bytes of a row, which
/// are sums of f32 or terms of bf16 or f16.
constexpr int64_t kTileRegisters = 8;
constexpr int64_t kTileRows = 16;
constexpr int64_t kTileBytes = 64;
constexpr int64_t kTileTerms = 32;
/// Numbers of bf16 that are one of f32.
constexpr int64_t kMostParts = 3;
/// Vectors side by side, in one direction of a register tile or summed.
constexpr int64_t kMostVectors = 32;
/// Numbers of a register tile: code goes over all of its vectors.
constexpr int64_t kMostTileNumbers = 2048;
/// Rows or keys of a block whose numbers stand in scratch.
constexpr int64_t kMostBlockRows = 4096;
/// Terms of one step of a matrix product.
constexpr int64_t kMostDepth = 4096;
/// Columns of a block of a matrix product.
constexpr int64_t kMostColumns = int64_t(1) << 20;
/// Numbers in the scratch that one work item takes: 128 MB of f32.
constexpr int64_t kMostScratchNumbers = int64_t(1) << 25;
/// Indices that a panel of a norm goes over.
constexpr int64_t kMostPanel = int64_t(1) << 20;
/// Ranges of keys that are worked on side by side.
constexpr int64_t kMostItems = int64_t(1) << 16;
/// Elements of a head where the head dimension lies in the lanes: code for a
/// key goes over all of them.
constexpr int64_t kMostSplitHeadDim = 512;
/// Warps of a block on a GPU, and tiles of keys that lie in its shared memory.
constexpr int64_t kMostWarps = 32;
constexpr int64_t kMostStages = 8;
/// Blocks that share an operand, on every GPU that has clusters.
constexpr int64_t kMostCluster = 8;
/// Columns of a panel of shared memory, elements of 16 bits.
constexpr int64_t kPanelColumns = 64;
/// Groups of four warps that multiply, each with 64 rows.
constexpr int64_t kLeastGroups = 2, kMostGroups = 3;
constexpr int64_t kGroupRows = 64, kGroupWarps = 4;
/// Blocks that a multiprocessor holds.
constexpr int64_t kMostBlocks = 32;
/// Elements of a row that a thread keeps in registers.
constexpr int64_t kMostPieces = 64;
/// Neighbouring elements that a thread takes at once: 16 bytes of the smallest.
constexpr int64_t kMostAccess = 16;
/// Threads of a warp.
constexpr int64_t kWarpLanes = 32;
/// Rows, columns and terms of what one matrix instruction of a warp takes: all
/// sizes of an attention's fragments are multiples of it.
constexpr int64_t kFragmentSize = 16;
/// Elements of a head whose rows lie in the registers of a warp.
constexpr int64_t kMostFragmentHeadDim = 256;
/// Up to so many rows share the panels of a product, reading them takes as long
/// as a good part of the products: they are asked for ahead.
constexpr int64_t kFewPanelRows = 96;
/// A line of the caches.
constexpr int64_t kLineBytes = 64;
/// Up to so many rows take as long as the right operand is read, if that lies
/// where it does.
constexpr int64_t kReadRows = 2;
/// Up to so many rows, the tile unit's sums of all columns wait in memory, and
/// the right operand is read a few of its rows at a time.
constexpr int64_t kMostStreamedRows = 64;
/// What counts indices: positions are 32 bits wide.
constexpr int64_t kMostIndices = std::numeric_limits<int32_t>::max();
/// What counts bytes.
constexpr int64_t kMostBytes = std::numeric_limits<int64_t>::max();

/// How many query heads share a key head, as far as the indexing maps tell: the
/// rows of a group are decoded together.
int64_t getHeadGroup(AttentionOp op);

/// Whether a param has one element for several rows or keys, so that no vector
/// of it can be loaded.
bool hasGroupedParam(AttentionOp op);

/// Whether a param is shared by groups of heads that are not cut where the key
/// heads are, as a schedule with splitKeys needs it.
bool hasOddHeadGroup(AttentionOp op);

/// Whether the scale counts positions within segments, which no tile of keys
/// can tell.
bool countsWithinSegments(AttentionOp op);

} // namespace attn

#endif // ATTN_DIALECT_ATTN_IR_SCHEDULELIMITS_H
