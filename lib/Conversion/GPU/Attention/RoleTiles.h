//===- RoleTiles.h - What the copy engine brings to attention - -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Query, key and value as tensor maps, and where their tiles lie in shared
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_ATTENTION_ROLETILES_H
#define ATTN_LIB_CONVERSION_GPU_ATTENTION_ROLETILES_H

#include "../Fragment/PanelTile.h"
#include "../Fragment/StageRing.h"
#include "../Fragment/TensorMap.h"
#include "AttentionShape.h"
#include "OperandRows.h"

namespace attn {

/// An operand whose rows come in boxes of a panel's columns.
class RoleOperand {
public:
  /// For the host: whether there is a map of the operand, an i1; null where
  /// there never is.
  static mlir::Value emitExists(mlir::OpBuilder &, mlir::Location,
                                const OperandRows &rows);

  /// For the host. Tiles have `tileRows` rows and `columns` columns; a copy
  /// takes `boxRows` rows of a panel, all of them where it is 0.
  RoleOperand(mlir::OpBuilder &, mlir::Location, const OperandRows &rows,
              int64_t tileRows, int64_t columns, int64_t boxRows = 0);

  PanelTile getTile(mlir::Value base) const {
    return {base, tileRows, columns, element};
  }
  int64_t getTileBytes() const { return getTile({}).getBytes(); }
  /// In a kernel, for one thread: brings the map to where copies look for it.
  void emitPrefetch(KernelBuilder &kernel) const { map.emitPrefetch(kernel); }
  /// In a kernel, for one thread: copies the tile that begins at `row` (i32) of
  /// a batch (indices); its bytes count at `barrier`.
  void emitLoad(KernelBuilder &, mlir::Value base,
                llvm::ArrayRef<mlir::Value> batch, mlir::Value row,
                mlir::Value barrier, CacheHint hint) const;
  /// The same the other way, of the box that begins at row `inTile` of a tile
  /// and at `row` of a batch. The thread commits and waits.
  void emitStore(KernelBuilder &, mlir::Value base,
                 llvm::ArrayRef<mlir::Value> batch, mlir::Value row,
                 mlir::Value inTile) const;

private:
  /// Calls `copy` for each panel with where it lies in shared memory and its
  /// coordinates.
  void forEachPanel(
      KernelBuilder &, mlir::Value base, llvm::ArrayRef<mlir::Value> batch,
      mlir::Value row,
      llvm::function_ref<void(mlir::Value, mlir::ValueRange)> copy) const;

  OperandRows rows;
  TensorMap map;
  int64_t tileRows, columns;
  mlir::Type element;
};

/// Shared memory of the kernel with roles: bytes from its start.
struct RoleMemory {
  explicit RoleMemory(const AttentionShape &shape);

  int64_t queryBytes, keyBytes, valueBytes;
  int64_t keys, values;
  /// Weights of a tile that holds numbers which are not finite; -1 where no
  /// tile needs them.
  int64_t weights;
  /// 1 / norm of each key of each stage, where similarity is cosine.
  int64_t factors, factorBytes;
  /// Barriers of the query, keys, values, and factors.
  int64_t queryRing, keyRing, valueRing, factorRing;
  int64_t bytes;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_ATTENTION_ROLETILES_H
