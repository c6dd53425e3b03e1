//===- StepArithmetic.h - What one step of a tile computes ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that knows a target's instructions for products. A new one is
// an `Instruction` and its three functions here.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CONTRACTION_STEPARITHMETIC_H
#define ATTN_LIB_CONVERSION_CONTRACTION_STEPARITHMETIC_H

#include "../Lanes/RegisterTile.h"

#include "mlir/IR/Builders.h"

namespace attn {

class StepArithmetic {
public:
  StepArithmetic(mlir::OpBuilder &builder, mlir::Location loc,
                 const RegisterTile &tile)
      : builder(builder), loc(loc), tile(tile) {}

  /// A step's terms of one row of A in all lanes. `element` is one element of
  /// A, or the bits of all the terms that the step takes.
  mlir::Value spread(mlir::Value element);
  /// `sum` and the products of the step's terms.
  mlir::Value multiplyAdd(mlir::Value lhs, mlir::Value rhs, mlir::Value sum);
  /// `terms` with 0 for all of them but number `term`.
  mlir::Value getTerm(mlir::Value terms, int64_t term);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  const RegisterTile &tile;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CONTRACTION_STEPARITHMETIC_H
