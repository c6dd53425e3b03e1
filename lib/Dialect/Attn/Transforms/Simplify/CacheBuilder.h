//===- CacheBuilder.h - Rows of keys and values in a cache ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SIMPLIFY_CACHEBUILDER_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SIMPLIFY_CACHEBUILDER_H

#include "mlir/IR/PatternMatch.h"

namespace attn {

/// Reads and appends rows of caches [batch..., heads, room, dimension], of
/// which `past` are in use. Rows to append are [batch..., rows, heads,
/// dimension].
class CacheBuilder {
public:
  CacheBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value past,
               int64_t batch)
      : builder(builder), loc(loc), past(past), batch(batch) {}

  /// The caches with the new rows behind the used ones; an error at run time
  /// where there is no room.
  std::pair<mlir::Value, mlir::Value> append(mlir::Value keys,
                                             mlir::Value values,
                                             mlir::Value newKeys,
                                             mlir::Value newValues);
  /// The first past + rows rows, `rows` those of `added`, which may be null.
  std::pair<mlir::Value, mlir::Value>
  getUsedRows(mlir::Value keys, mlir::Value values, mlir::Value added);
  /// The same numbers of rows, one for each sequence.
  mlir::Value getLengths(mlir::Value keys, mlir::Value values,
                         mlir::Value added);

private:
  bool isPerSequence();
  /// `past`, or the one of this sequence, as an index.
  mlir::Value getPast(mlir::OpBuilder &nested, mlir::Value sequence);
  mlir::OpFoldResult getNumRows(mlir::OpBuilder &nested, mlir::Value added);
  void checkRoom(mlir::OpBuilder &nested, mlir::Value keys, mlir::Value values,
                 mlir::Value used, mlir::OpFoldResult rows);
  mlir::Value insert(mlir::OpBuilder &nested, mlir::Value rows,
                     mlir::Value cache, mlir::Value at, mlir::Value sequence);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Value past;
  int64_t batch;
};

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SIMPLIFY_CACHEBUILDER_H
