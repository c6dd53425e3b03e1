//===- TensorChecks.h - Arguments of one type, one function -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model has hundreds of weights, of a few types. What an entry checks of a
// tensor is a function for each type, which leaves what it read in memory; in
// the entry all of it would be thousands of blocks, and longer to compile than
// the kernels.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_ENTRYABI_TENSORCHECKS_H
#define ATTN_LIB_CONVERSION_ENTRYABI_TENSORCHECKS_H

#include "EntryBuilder.h"
#include "llvm/ADT/DenseMap.h"

namespace attn {

/// The functions of one module.
class TensorChecks {
public:
  /// `memory` is where tensors have to lie.
  TensorChecks(mlir::ModuleOp module, DLDeviceType memory)
      : module(module), memory(memory) {}

  /// Checks pointer, rank, element type and static sizes; fills the sizes.
  TensorView readTensor(EntryBuilder &entry, mlir::Value tensor,
                        mlir::MemRefType type, std::string name);
  /// Checks device, strides and data. What it reads of them the two below load.
  void readData(EntryBuilder &entry, const TensorView &view);
  /// Fills strides and data.
  void loadPlace(EntryBuilder &entry, TensorView &view);
  /// Fills the addresses that it occupies.
  void loadRange(EntryBuilder &entry, TensorView &view);

private:
  using Functions = llvm::DenseMap<mlir::MemRefType, mlir::LLVM::LLVMFuncOp>;
  mlir::LLVM::LLVMFuncOp getSizesFunction(mlir::Location loc,
                                          mlir::MemRefType type);
  mlir::LLVM::LLVMFuncOp getDataFunction(mlir::Location loc,
                                         mlir::MemRefType type);
  void call(EntryBuilder &entry, mlir::LLVM::LLVMFuncOp function,
            const TensorView &view);

  mlir::ModuleOp module;
  DLDeviceType memory;
  Functions sizesFunctions, dataFunctions;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ENTRYABI_TENSORCHECKS_H
