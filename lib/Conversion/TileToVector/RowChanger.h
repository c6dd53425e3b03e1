//===- RowChanger.h - Norm and rotation of loaded rows ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What load_query and load_key say is done to one row at a time, vectors along
// it, on its way to the scratch that products read. The same code serves tiles
// of queries, blocks of keys and decoding, so that they round alike.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_ROWCHANGER_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_ROWCHANGER_H

#include "DecodeShape.h"

namespace attn {

class RowChanger {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// For rows of `size` elements.
  RowChanger(AttentionOpInterface op, LoadedRows rows, int64_t lanes,
             int64_t size);

  /// Whether the op changes these rows.
  bool changes() { return !op.getRowChanges(rows).empty(); }

  /// Changes the row at `from` and writes it to `to`, a memref [row, dim] of
  /// the compute type that has room for it at `toRow`. `where` tells the params
  /// which row it is; the row of a key is the key.
  void emitRow(mlir::OpBuilder &builder, mlir::Value from,
               const RowStart &start, const TileRow &where, mlir::Value to,
               mlir::Value toRow);

  /// Changes all rows of `block`, a memref [key, dim], into the start of
  /// `scratch`, and returns that part of it.
  mlir::Value emitBlock(mlir::OpBuilder &builder, mlir::Value block,
                        mlir::Value scratch);

private:
  void normalise(mlir::OpBuilder &b, RowNormAttr norm, unsigned firstParam,
                 const TileRow &where, Values &chunks);
  mlir::Value emitRowSum(mlir::OpBuilder &b, llvm::ArrayRef<mlir::Value> terms);
  /// Zeros in the lanes of the last chunk that are past the row's end.
  void clearTail(LaneBuilder &lanes, Values &chunks);
  void rotateNeighbours(mlir::OpBuilder &b, int64_t pairs,
                        const RowStart &table, mlir::Value param,
                        Values &chunks);
  /// `chunks` holds the halves in whole vectors.
  void rotateHalves(mlir::OpBuilder &b, int64_t pairs, const RowStart &table,
                    mlir::Value param, Values &chunks);
  /// The row lies in memory: a half does not begin with a vector.
  void rotateStored(mlir::OpBuilder &b, int64_t pairs, const RowStart &table,
                    mlir::Value param, mlir::Value to, mlir::Value toRow);
  RowStart getParamStart(mlir::OpBuilder &b, unsigned param,
                         const TileRow &where);
  mlir::Value loadTable(mlir::OpBuilder &b, mlir::Value param,
                        const RowStart &table, int64_t first, int64_t count,
                        int64_t width);
  Values loadRow(mlir::OpBuilder &b, mlir::Value from, const RowStart &start);
  void storeRow(mlir::OpBuilder &b, llvm::ArrayRef<mlir::Value> chunks,
                mlir::Value to, mlir::Value toRow);

  mlir::Location loc;
  AttentionOpInterface op;
  LoadedRows rows;
  mlir::FloatType element;
  int64_t lanes, size;
  mlir::VectorType vectorType;
  RowVectors vectors;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_ROWCHANGER_H
