//===- ParallelRuntime.cpp - Calls of the host's parallel-for -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParallelRuntime.h"
#include "ErrorText.h"
#include "RuntimeHelper.h"
#include "attn-runtime/attn_runtime.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attn {
namespace {

constexpr StringLiteral kRunParallel = "attn.run_parallel";

/// Tasks take (data, i) and return nothing.
LLVM::LLVMFunctionType getTaskType(MLIRContext *context) {
  auto pointer = LLVM::LLVMPointerType::get(context);
  return LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                     {pointer, IntegerType::get(context, 64)});
}

/// attn.run_parallel(context, task, data, n).
void buildRunParallel(LLVM::LLVMFuncOp function) {
  MLIRContext *context = function.getContext();
  OpBuilder builder(context);
  Location loc = function.getLoc();
  Type i64 = builder.getI64Type();
  auto pointer = LLVM::LLVMPointerType::get(context);
  Block *entry = function.addEntryBlock(builder);
  Value task = entry->getArgument(1), data = entry->getArgument(2),
        n = entry->getArgument(3);
  Block *parallel = builder.createBlock(&function.getBody());
  Block *loop = builder.createBlock(&function.getBody(), {}, i64, loc);
  Block *body = builder.createBlock(&function.getBody());
  Block *exit = builder.createBlock(&function.getBody());

  builder.setInsertionPointToStart(entry);
  Value zero = LLVM::ConstantOp::create(builder, loc, i64, 0);
  Value one = LLVM::ConstantOp::create(builder, loc, i64, 1);
  Value null = LLVM::ZeroOp::create(builder, loc, pointer);
  Value parallelFor = loadField(builder, loc, pointer, entry->getArgument(0),
                                offsetof(attn_context, parallel_for));
  Value isSerial = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq,
                                        parallelFor, null);
  LLVM::CondBrOp::create(builder, loc, isSerial, loop, ValueRange(zero),
                         parallel, ValueRange());

  builder.setInsertionPointToStart(parallel);
  Value host = loadField(builder, loc, pointer, entry->getArgument(0),
                         offsetof(attn_context, host));
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, pointer, pointer, i64});
  LLVM::CallOp::create(builder, loc, type,
                       ValueRange{parallelFor, host, task, data, n});
  LLVM::BrOp::create(builder, loc, ValueRange(), exit);

  builder.setInsertionPointToStart(loop);
  Value i = loop->getArgument(0);
  Value more =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::slt, i, n);
  LLVM::CondBrOp::create(builder, loc, more, body, exit);

  builder.setInsertionPointToStart(body);
  LLVM::CallOp::create(builder, loc, getTaskType(context),
                       ValueRange{task, data, i});
  Value next = LLVM::AddOp::create(builder, loc, i, one);
  LLVM::BrOp::create(builder, loc, next, loop);

  builder.setInsertionPointToStart(exit);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

} // namespace

bool hasContextArgument(func::FuncOp func) {
  return !func.getBody().empty() && func.getNumArguments() > 0 &&
         isa<LLVM::LLVMPointerType>(func.getArgumentTypes()[0]) &&
         func.getNumResults() > 0 && func.getResultTypes().back().isInteger(32);
}

void createRunParallel(OpBuilder &builder, Location loc, ModuleOp module,
                       Value context, Value task, Value data, Value n) {
  auto pointer = LLVM::LLVMPointerType::get(module.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(module.getContext()),
      {pointer, pointer, pointer, builder.getI64Type()});
  auto helper = getHelper(module, kRunParallel, type, buildRunParallel);
  LLVM::CallOp::create(builder, loc, helper,
                       ValueRange{context, task, data, n});
}

void createReturnIfFailed(OpBuilder &builder, Location loc, ModuleOp module,
                          Value status) {
  auto marker = module.lookupSymbol<func::FuncOp>(kReturnIfFailed);
  if (!marker) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module.getBody());
    auto type = builder.getFunctionType(builder.getI32Type(), {});
    marker = func::FuncOp::create(builder, loc, kReturnIfFailed, type);
    marker.setPrivate();
  }
  func::CallOp::create(builder, loc, marker, status);
}

bool canRunTasks(Operation *op) {
  auto func = op->getParentOfType<func::FuncOp>();
  return func && hasContextArgument(func) &&
         !op->getParentOfType<scf::ForallOp>();
}

FailureOr<Value> getContextArgument(func::FuncOp func) {
  if (hasContextArgument(func))
    return Value(func.getArgument(0));
  func.emitError(
      "needs a context as first argument and a status as last result; "
      "only kernels and their bodies have them");
  return failure();
}

} // namespace attn
