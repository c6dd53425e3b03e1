//===- LaneMemory.h - Vectors in memory, and loops over them ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_LANES_LANEMEMORY_H
#define ATTN_LIB_CONVERSION_LANES_LANEMEMORY_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace attn {

/// Whether a map's results are exactly these two iteration dimensions, in this
/// or (`anyOrder`) in either order.
bool isTileMap(mlir::AffineMap map, unsigned rowDim, unsigned columnDim,
               bool anyOrder);

/// A memref whose map is a tile map in either order, as [row, column].
mlir::Value getOriented(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value memref, mlir::AffineMap map,
                        unsigned rowDim);

/// Whether elements of a row lie side by side, as vector loads need it.
bool hasUnitInnerStride(mlir::Value memref);

/// Memory that a lowered op uses only while it runs. It is allocated once at
/// the start of the closest function or parallel body, so that no loop grows
/// the stack, and the tile ops of one body use it in turn.
class ScratchPool {
public:
  /// Aligned to a cache line. What one op uses at the same time needs different
  /// slots.
  mlir::Value get(mlir::OpBuilder &builder, mlir::Operation *user,
                  llvm::ArrayRef<int64_t> shape, mlir::Type element,
                  unsigned slot = 0);

private:
  using Key = std::tuple<mlir::Block *, mlir::Type, unsigned>;
  llvm::DenseMap<Key, mlir::Value> allocated;
};

/// A vector of `type` from memory that holds floats of any width, and back.
/// Where a mask is given and off, nothing is read and the lanes are 0.
mlir::Value loadFloats(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::VectorType type, mlir::Value memref,
                       mlir::ValueRange position, mlir::Value mask = {});
void storeFloats(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::Value vector, mlir::Value memref,
                 mlir::ValueRange position);

/// Asks for what `memref` holds at `column` of `count` rows from `firstRow` on.
/// Rows past the end are of no use, and no harm.
void emitPrefetch(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value memref, mlir::Value firstRow, int64_t count,
                  mlir::Value column, bool isWrite);

/// A loop of step `step` without carried values.
void emitLoop(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value begin,
              mlir::Value end, int64_t step,
              llvm::function_ref<void(mlir::OpBuilder &, mlir::Value)> body);

/// Every chunk of `lanes` columns out of `size >= lanes`; the last one is moved
/// back to end at `size`, so that some columns may come twice.
void emitChunks(mlir::OpBuilder &builder, mlir::Location loc, int64_t size,
                int64_t lanes,
                llvm::function_ref<void(mlir::OpBuilder &, mlir::Value)> body);

mlir::Value createIndex(mlir::OpBuilder &builder, mlir::Location loc,
                        int64_t value);
/// a + b, without an op for b = 0.
mlir::Value addIndex(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value a, int64_t b);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_LANES_LANEMEMORY_H
