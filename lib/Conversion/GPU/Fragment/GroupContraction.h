//===- GroupContraction.h - Products of four warps ------------ -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma: four warps multiply 64 rows by up to 256 columns, and do other things
// while the tensor cores work. B lies in shared memory, A there or in
// registers. Accumulators are in flight until emitGroupWait gives them back;
// before the first product that uses registers which others have written, they
// go through emitGroupFence.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_FRAGMENT_GROUPCONTRACTION_H
#define ATTN_LIB_CONVERSION_GPU_FRAGMENT_GROUPCONTRACTION_H

#include "FragmentContraction.h"
#include "PanelTile.h"

namespace attn {

class GroupContraction : public FragmentContraction {
public:
  /// m64nNk16 with `columns` columns, a multiple of 8, at most 256.
  GroupContraction(mlir::Type element, int64_t columns);

  /// Starts `steps` products of 16 terms; gives the accumulators, a vector for
  /// each of a thread's two rows, in flight. Without `accumulators` they begin
  /// at 0. Steps of a lhs in registers are its registers.
  llvm::SmallVector<mlir::Value> emit(KernelBuilder &, const PanelOperand &lhs,
                                      const PanelOperand &rhs, int64_t steps,
                                      mlir::ValueRange accumulators) const;
  llvm::SmallVector<mlir::Value>
  emit(KernelBuilder &,
       llvm::ArrayRef<llvm::SmallVector<mlir::Value>> lhsRegisters,
       const PanelOperand &rhs, mlir::ValueRange accumulators) const;

  /// The same registers as i32, as wgmma has them.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  emitReuse(KernelBuilder &, mlir::ValueRange rows) const;

private:
  llvm::SmallVector<mlir::Value> emitStep(KernelBuilder &, mlir::ValueRange lhs,
                                          bool lhsTransposed,
                                          const PanelOperand &rhs, int64_t step,
                                          mlir::ValueRange accumulators) const;
};

/// Registers, vectors of sums and parts of a lhs, that others have written and
/// products will use.
llvm::SmallVector<mlir::Value> emitGroupFence(KernelBuilder &,
                                              mlir::ValueRange values);
/// The same for the registers of a lhs beside others.
llvm::SmallVector<mlir::Value>
emitGroupFence(KernelBuilder &, mlir::ValueRange values,
               llvm::SmallVectorImpl<llvm::SmallVector<mlir::Value>> &lhs);

/// Closes the group of products that were started.
void emitGroupCommit(KernelBuilder &);

/// Waits until at most `pending` groups are under way; gives back sums of those
/// that are over. `lhs` are registers that these have read.
llvm::SmallVector<mlir::Value>
emitGroupWait(KernelBuilder &, mlir::ValueRange sums, int64_t pending,
              llvm::ArrayRef<llvm::SmallVector<mlir::Value>> lhs = {});

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_FRAGMENT_GROUPCONTRACTION_H
