//===- TensorSum.h - Sums and products of tensors and numbers ---*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an op on tensors, or the body of an elementwise one, adds and
// multiplies: the sum of a residual block, and the factors in it. Casts between
// float types are looked through.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_TENSORSUM_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_TENSORSUM_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include <optional>

namespace attn {

/// A tensor times numbers, the same ones for each element. A number is a float,
/// a tensor that holds one, or what a body computes from such.
struct ScaledTensor {
  mlir::Value tensor;
  llvm::SmallVector<mlir::Value, 2> factors;
};

/// (a + b) times the factors; one that is null is no number. An addend that is
/// another expression has no tensor.
struct TensorSum {
  ScaledTensor a, b;
  llvm::SmallVector<mlir::Value, 2> factors;
};

/// The sum of two tensors that `op` computes, and nothing else.
std::optional<TensorSum> matchTensorSum(mlir::Operation *op);

/// The product of a tensor and at least one number that `op` computes, and
/// nothing else.
std::optional<ScaledTensor> matchScaledTensor(mlir::Operation *op);

/// The number that an op repeats in all of a tensor; null for other tensors.
mlir::Value getRepeatedNumber(mlir::Value tensor);

/// The same, or the value itself where it is one number, or a constant that
/// repeats one.
mlir::Value getSharedNumber(mlir::Value value);

/// The constant that a number is, or all elements of a tensor are.
std::optional<double> getConstantNumber(mlir::Value value);

/// What a float was before it got its width.
mlir::Value skipFloatCasts(mlir::Value value);

} // namespace attn

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_TENSORSUM_H
