//===- CompositeBody.h - A composite op as a function -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_ANALYSIS_COMPOSITEBODY_H
#define ATTN_ANALYSIS_COMPOSITEBODY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace attn {

/// The parts of an attn.multi_head_attention or attn.feed_forward, in a
/// function of its own: an analysis follows them and leaves the op as it is.
/// Argument i is the op's operand i, with the sizes that are known where it
/// stands.
class CompositeBody {
public:
  using GetShape =
      llvm::function_ref<llvm::SmallVector<int64_t>(mlir::Value tensor)>;
  CompositeBody(mlir::Operation *op, GetShape getShape);

  static bool isComposite(mlir::Operation *op);

  mlir::func::FuncOp getFunction() { return function; }
  mlir::Block &getBlock() { return function.front(); }
  /// What the results of the op are.
  mlir::ValueRange getResults() {
    return getBlock().getTerminator()->getOperands();
  }

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
};

} // namespace attn

#endif // ATTN_ANALYSIS_COMPOSITEBODY_H
