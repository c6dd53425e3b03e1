//===- TileBuilder.h - The parts of a tiled attention -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_TILE_TILEBUILDER_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_TILE_TILEBUILDER_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/Score/KeyRanges.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace attn {

/// Builds one tiled attention, part by part, in the order of the methods.
class TileBuilder {
public:
  TileBuilder(mlir::RewriterBase &rewriter, AttentionOp op);

  /// The parallel loop over batch dimensions and blocks of rows.
  mlir::scf::ForallOp createBlockLoop();
  /// Computes where the block starts and how many rows it has.
  void enterBlock(mlir::scf::ForallOp forall);
  /// The block's query rows, transposed, and their scales.
  struct PackedQuery {
    mlir::Value rows, scales;
  };
  PackedQuery createPackedQuery();
  /// The loops over keys; returns acc, max and sum.
  llvm::SmallVector<mlir::Value> createKeyLoops(const PackedQuery &packed);
  /// The finished rows, inserted into the loop's results.
  void createResults(mlir::scf::ForallOp forall,
                     llvm::ArrayRef<mlir::Value> state);

protected:
  /// A policy list of a tile op and the params that go with it.
  struct Policies {
    ScalePolicyAttrInterface scale;
    mlir::Attribute similarity;
    NormalizerAttrInterface normalizer;
    llvm::SmallVector<mlir::Attribute> biases, masks;
    mlir::FloatAttr softcap;
    /// The scales of a packed query, the first param where it is set.
    mlir::Value scales;
    /// The probes of a state, and the changes of loaded rows; null where there
    /// are none.
    mlir::ArrayAttr probes, loadQuery, loadKey;
    /// Indices into the attention's params.
    llvm::SmallVector<unsigned> params;
    bool region = false;
    bool packed = false;
  };
  /// A slice of an operand and its indexing map.
  struct Slice {
    mlir::Value value;
    mlir::AffineMap map;
  };

  Policies getPackPolicies();
  Policies getOnlinePolicies(bool edge);
  Policies getFinalizePolicies();
  /// Whether a probe needs the rows' scales.
  bool needsScales();
  /// Lets the op compute them again, from the policies they come from.
  void addScale(Policies &policies);
  /// The values of an empty state: acc, max, sum and statistics.
  llvm::SmallVector<mlir::APFloat> getIdentity();
  void addParams(Policies &policies, ParamRange range);
  /// Adds the changes of the rows that a tile op loads, whose params come last:
  /// those of the query before those of the key.
  void addRowChanges(Policies &policies, LoadedRows rows);

  /// Whether a range mask moves with the row: causal, or a window.
  bool showsLaterRowsMore();
  /// Whether a range mask hides keys before the range.
  bool hidesEarlyKeys();
  /// Keys that some row, and that every row, of the block may see.
  KeyRanges getKeyRanges();
  llvm::SmallVector<mlir::Value> createKeyLoop(KeyRange range, bool edge,
                                               const PackedQuery &packed,
                                               mlir::ValueRange state);
  llvm::SmallVector<mlir::Value> createSides(const KeyRange &some,
                                             const KeyRange &every,
                                             const PackedQuery &packed,
                                             mlir::ValueRange state);
  /// The slice of `operand` for the block and keys [key, key + keyCount);
  /// `dropBatch` removes the batch dimensions.
  Slice slice(mlir::Value operand, mlir::AffineMap map, bool dropBatch);
  mlir::Operation *createTileOp(llvm::StringRef name, const Policies &policies,
                                llvm::ArrayRef<Slice> inputs,
                                llvm::ArrayRef<Slice> outputs);
  mlir::AffineMap mapOf(llvm::ArrayRef<unsigned> dims);
  mlir::Value toValue(mlir::OpFoldResult value);
  mlir::Value constant(int64_t value);
  /// Offsets, sizes and unit strides of an operand's slice.
  void getSlice(mlir::AffineMap map,
                llvm::SmallVectorImpl<mlir::OpFoldResult> &offsets,
                llvm::SmallVectorImpl<mlir::OpFoldResult> &sizes,
                llvm::SmallVectorImpl<mlir::OpFoldResult> &strides);

  mlir::RewriterBase &rewriter;
  AttentionOp op;
  AttentionOpInterface self;
  ScheduleAttr schedule;
  mlir::Location loc;
  /// The problem's sizes, and the current tile's offsets and sizes.
  llvm::SmallVector<mlir::OpFoldResult> domain, offsets, sizes;
  /// The packed query's scales.
  mlir::Value scales;
  /// The number of keys that the block's batch has, where it is not that of the
  /// problem; else null or the same.
  mlir::Value keyCount;
};

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_TILE_TILEBUILDER_H
