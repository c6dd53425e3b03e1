//===- RuntimeHelper.h - Functions that kernels share -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_HOST_RUNTIMEHELPER_H
#define ATTN_LIB_CONVERSION_HOST_RUNTIMEHELPER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace attn {

/// The internal function `name` of a module. Where it is missing it is created
/// at the end of the module, and `build` gives it its body.
inline mlir::LLVM::LLVMFuncOp
getHelper(mlir::ModuleOp module, llvm::StringRef name,
          mlir::LLVM::LLVMFunctionType type,
          llvm::function_ref<void(mlir::LLVM::LLVMFuncOp)> build) {
  if (auto found = module.lookupSymbol<mlir::LLVM::LLVMFuncOp>(name))
    return found;
  auto builder = mlir::OpBuilder::atBlockEnd(module.getBody());
  auto helper = mlir::LLVM::LLVMFuncOp::create(
      builder, module.getLoc(), name, type, mlir::LLVM::Linkage::Internal);
  build(helper);
  return helper;
}

/// Calls it; its type follows from the arguments.
inline mlir::LLVM::CallOp
callHelper(mlir::OpBuilder &builder, mlir::Location loc, mlir::ModuleOp module,
           llvm::StringRef name, mlir::Type result, mlir::ValueRange arguments,
           llvm::function_ref<void(mlir::LLVM::LLVMFuncOp)> build) {
  llvm::SmallVector<mlir::Type> types(arguments.getTypes());
  auto type = mlir::LLVM::LLVMFunctionType::get(result, types);
  return mlir::LLVM::CallOp::create(
      builder, loc, getHelper(module, name, type, build), arguments);
}

} // namespace attn

#endif // ATTN_LIB_CONVERSION_HOST_RUNTIMEHELPER_H
