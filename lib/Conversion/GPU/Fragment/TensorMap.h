//===- TensorMap.h - Boxes between global and shared memory -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From sm_90 on, one thread hands a box of a tensor to the copy engine, which
// knows sizes and distances from a tensor map: 128 bytes that the host has
// made. Elements outside of the tensor come as 0, and are not stored. In shared
// memory a box of 128-byte rows lies as a SharedTile does.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_FRAGMENT_TENSORMAP_H
#define ATTN_LIB_CONVERSION_GPU_FRAGMENT_TENSORMAP_H

#include "../../Shared/Alignment.h"
#include "KernelBuilder.h"

namespace attn {

/// Dimensions of a map at most, and bytes of a box's row.
constexpr int64_t kMostMapDims = 5;
constexpr int64_t kBoxRowBytes = 128;
/// Rows of a box at most.
constexpr int64_t kMostBoxRows = 256;

/// What a map describes: elements of a memref, from its first one on, innermost
/// dimension first. Dimensions along which all is the same are left out.
struct TensorView {
  mlir::Value memref;
  llvm::SmallVector<Distance> dims;
};

/// How long the L2 cache is to keep what is copied.
enum class CacheHint { None, EvictFirst, EvictLast };

class TensorMap {
public:
  /// For the host: whether there is a map of this tensor, an i1; null where
  /// there never is. Tensors without elements have none, and constants, which
  /// kernels have a copy of.
  static mlir::Value emitExists(mlir::OpBuilder &, mlir::Location,
                                const TensorView &view);

  /// For the host, before the launch. `box` has a size for each dimension,
  /// innermost first; its rows are kBoxRowBytes.
  TensorMap(mlir::OpBuilder &, mlir::Location, const TensorView &view,
            llvm::ArrayRef<int64_t> box);

  int64_t getRank() const { return box.size(); }
  int64_t getBoxBytes() const;

  /// In a kernel, for one thread. Coordinates are those of the box's first
  /// element (i32), innermost first. The copy counts at `barrier`, and goes to
  /// the same place of each of the first `blocks` of the cluster, if there are
  /// several.
  void emitPrefetch(KernelBuilder &) const;
  void emitLoad(KernelBuilder &, mlir::Value shared,
                mlir::ValueRange coordinates, mlir::Value barrier,
                CacheHint hint = CacheHint::None, int64_t blocks = 1) const;
  /// The thread commits and waits for its stores.
  void emitStore(KernelBuilder &, mlir::Value shared,
                 mlir::ValueRange coordinates) const;

private:
  /// The map's address in a kernel.
  mlir::Value emitAddress(KernelBuilder &) const;

  mlir::Value map;
  llvm::SmallVector<int64_t> box;
  int64_t elementBytes;
};

/// Closes the group of stores that this thread has started; waits until at most
/// `pending` groups have not read their shared memory yet.
void emitStoreCommit(KernelBuilder &);
void emitStoreWait(KernelBuilder &, int64_t pending);

/// What this thread has written to shared memory is seen by the copy engine and
/// the tensor cores.
void emitSharedFence(KernelBuilder &);

/// All warps of a group give registers back, or take them, until each thread
/// has `registers`.
void emitSetRegisters(KernelBuilder &, int64_t registers, bool grows);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_FRAGMENT_TENSORMAP_H
