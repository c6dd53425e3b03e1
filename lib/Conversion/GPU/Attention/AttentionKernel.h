//===- AttentionKernel.h - Attention on tensor cores of a warp --*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has some query rows of one head, each warp a share of them, which it
// keeps in registers. All warps go over the keys together: while scores of a
// tile are computed its values come into shared memory, and the next keys while
// the values are used.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_ATTENTION_ATTENTIONKERNEL_H
#define ATTN_LIB_CONVERSION_GPU_ATTENTION_ATTENTIONKERNEL_H

#include "../Fragment/FragmentContraction.h"
#include "AttentionRows.h"
#include <memory>

namespace attn {

class AttentionKernel : AttentionRows {
public:
  AttentionKernel(KernelBuilder &, AttentionOp op, const AttentionShape &shape,
                  llvm::ArrayRef<mlir::Value> sizes, const BlockPlace &place,
                  const RangeStates &states, bool aligned);
  void emit();

private:
  void createContractions();
  void loadQuery();
  llvm::SmallVector<mlir::Value> getQuery(int64_t fragment, int64_t step);
  void storeKeyFactors();
  State emitLoops();
  State emitLoop(mlir::Value lower, mlir::Value upper, bool edge, State state);
  State emitTile(const Tile &tile, State state);
  llvm::SmallVector<mlir::Value> emitProducts();
  mlir::Value emitHasOdd();
  void accumulate(State &state, llvm::ArrayRef<mlir::Value> weights);
  void accumulateOdd(State &state, llvm::ArrayRef<mlir::Value> weights,
                     llvm::ArrayRef<mlir::Value> visible);

  /// Null without matrix instructions.
  std::unique_ptr<WarpContraction> scoreProduct, outputProduct;
  SharedTile queryTile, keyTile, valueTile;
  std::unique_ptr<TileCopy> queryCopy, keyCopy, valueCopy;
  std::unique_ptr<MatrixLoader> queryLoader, keyLoader, valueLoader;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> query;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_ATTENTION_ATTENTIONKERNEL_H
