//===- HelperBuilder.h - Bodies of the functions kernels share --*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_HOST_HELPERBUILDER_H
#define ATTN_LIB_CONVERSION_HOST_HELPERBUILDER_H

#include "ErrorText.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace attn {

/// Builds the body of one helper, block by block.
struct HelperBuilder {
  HelperBuilder(mlir::LLVM::LLVMFuncOp function)
      : function(function), loc(function.getLoc()),
        builder(function.getContext()),
        pointer(mlir::LLVM::LLVMPointerType::get(function.getContext())) {
    builder.setInsertionPointToStart(function.addEntryBlock(builder));
  }

  mlir::Block *addBlock() {
    mlir::OpBuilder::InsertionGuard guard(builder);
    return builder.createBlock(&function.getBody(), function.getBody().end());
  }
  void startAt(mlir::Block *block) { builder.setInsertionPointToStart(block); }
  mlir::Value argument(unsigned i) { return function.getArgument(i); }
  mlir::Value constant(int64_t value) {
    return mlir::LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                          value);
  }
  mlir::Value null() {
    return mlir::LLVM::ZeroOp::create(builder, loc, pointer);
  }
  mlir::Value isNull(mlir::Value value) {
    return mlir::LLVM::ICmpOp::create(
        builder, loc, mlir::LLVM::ICmpPredicate::eq, value, null());
  }
  mlir::Value shifted(mlir::Value base, int64_t bytes) {
    return mlir::LLVM::GEPOp::create(
        builder, loc, pointer, builder.getI8Type(), base,
        llvm::ArrayRef<mlir::LLVM::GEPArg>(static_cast<int32_t>(bytes)));
  }
  mlir::Value loadPointer(mlir::Value base, int64_t bytes = 0) {
    return loadField(builder, loc, pointer, base, bytes);
  }
  void storePointer(mlir::Value value, mlir::Value base, int64_t bytes = 0) {
    mlir::LLVM::StoreOp::create(builder, loc, value, shifted(base, bytes));
  }
  void branchIf(mlir::Value condition, mlir::Block *yes, mlir::Block *no) {
    mlir::LLVM::CondBrOp::create(builder, loc, condition, yes, no);
  }
  void branch(mlir::Block *block) {
    mlir::LLVM::BrOp::create(builder, loc, mlir::ValueRange(), block);
  }
  void returnNothing() {
    mlir::LLVM::ReturnOp::create(builder, loc, mlir::ValueRange());
  }

  mlir::LLVM::LLVMFuncOp function;
  mlir::Location loc;
  mlir::OpBuilder builder;
  mlir::Type pointer;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_HOST_HELPERBUILDER_H
