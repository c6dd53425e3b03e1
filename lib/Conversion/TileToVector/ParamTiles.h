//===- ParamTiles.h - Params of rows and keys, rows in lanes ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dense bias or mask lies in memory with the keys of a row side by side,
// while scores have rows in the lanes. Once per tile it is brought into a
// scratch: floats transposed in blocks, booleans as 32 keys of a row in one
// word, so that a key's booleans are one test of a vector of words.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_PARAMTILES_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_PARAMTILES_H

#include "TileShape.h"

namespace attn {

class ParamTiles {
public:
  ParamTiles(mlir::OpBuilder &builder, AttentionOpInterface op,
             const RegisterTile &tile)
      : builder(builder), loc(op.getLoc()), op(op), tile(tile) {}

  /// Whether param `index` varies with rows and with keys.
  bool isMatrix(unsigned index);

  /// Fills the scratches for the rows from `firstRow` on, at most `maxKeys`
  /// keys. Rows past the end of the tile repeat its last one.
  void fill(mlir::Value firstRow, int64_t maxKeys, ScratchPool &pool);

  /// A vector of rows of param `index`, floats or booleans, `column` rows into
  /// the group.
  mlir::Value load(unsigned index, mlir::Value key, int64_t column);

private:
  mlir::Value getMatrix(unsigned index);
  void fillFloats(mlir::Value matrix, mlir::Value scratch,
                  mlir::Value firstRow);
  void emitBlocks(mlir::OpBuilder &b, mlir::Value matrix, mlir::Value scratch,
                  llvm::ArrayRef<mlir::Value> rows, mlir::Value column);
  void emitElements(mlir::OpBuilder &b, mlir::Value matrix, mlir::Value scratch,
                    llvm::ArrayRef<mlir::Value> rows, mlir::Value column);
  void fillWords(mlir::Value matrix, mlir::Value scratch, mlir::Value firstRow);
  mlir::Value emitFullWord(mlir::OpBuilder &b, mlir::Value matrix,
                           mlir::Value row, mlir::Value key);
  mlir::Value emitPartialWord(mlir::OpBuilder &b, mlir::Value matrix,
                              mlir::Value row, mlir::Value key,
                              mlir::Value end);
  mlir::Value getLastRow(mlir::Value matrix);
  void emitPrefetch(mlir::OpBuilder &b, mlir::Value matrix, mlir::Value row,
                    mlir::Value key);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  AttentionOpInterface op;
  const RegisterTile &tile;
  int64_t keyBound = 0;
  /// By param; null for those that are loaded directly.
  llvm::SmallVector<mlir::Value> scratches;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_PARAMTILES_H
