//===- SizeClasses.h - Which sizes of arguments are equal -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CHECKS_SIZECLASSES_H
#define ATTN_LIB_CONVERSION_CHECKS_SIZECLASSES_H

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/IntEqClasses.h"

namespace attn {

/// A dimension of an argument of a function.
struct ArgumentDim {
  unsigned argument;
  int64_t dim;
};

/// The dimension whose size `value` is, if it is one.
std::optional<ArgumentDim> getArgumentDim(mlir::Value value);

/// Partitions the dimensions of a function's arguments into classes of equal
/// size.
class SizeClasses {
public:
  explicit SizeClasses(mlir::func::FuncOp func);

  /// Notes what an assertion says if that is no more than that two dimensions,
  /// or one and a constant, are equal. False otherwise, and where it
  /// contradicts what is known.
  bool take(mlir::cf::AssertOp assertion);
  /// The size that all of a class have, if it is known.
  std::optional<int64_t> getSize(ArgumentDim dim);
  /// The first dimension of the class.
  ArgumentDim getFirst(ArgumentDim dim);
  /// Writes kDimClassesAttr and kDimSizesAttr.
  void record();

private:
  unsigned getLeader(ArgumentDim dim) {
    return classes.findLeader(firstOfArgument[dim.argument] + dim.dim);
  }
  bool unite(ArgumentDim a, ArgumentDim b);
  bool fix(ArgumentDim dim, int64_t size);

  mlir::func::FuncOp func;
  llvm::SmallVector<unsigned> firstOfArgument;
  llvm::SmallVector<ArgumentDim> dims;
  /// By the leader of a class: the size that is known, or -1.
  llvm::SmallVector<int64_t> sizes;
  llvm::IntEqClasses classes;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CHECKS_SIZECLASSES_H
