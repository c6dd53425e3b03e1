//===- Evaluate.h - Numbers of expressions ----------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_EVALUATE_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_EVALUATE_H

#include "attn/Dialect/Attn/Transforms/Raise/Expr.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace attn::raise {

/// The number that a leaf (Load) stands for, or nothing where it is open.
using LeafValue = llvm::function_ref<std::optional<double>(Expr)>;
/// The value of a variable, or nothing.
using VariableValue = llvm::function_ref<std::optional<int64_t>(unsigned)>;

/// The expression in f64; conditions are 0 or 1. Nothing where a leaf or a
/// variable is open, or an operation is not known here.
std::optional<double> evaluate(Expr x, LeafValue leaf, VariableValue variable);

/// The values of `result` where every element of `input` is each of `arguments`
/// in turn: op by op, in f64, with what IEEE 754 says about infinities and NaN,
/// which the normal form of expressions does not keep. Nothing where the result
/// depends on something else, or an op is not known. `isInfinityWritten` tells
/// whether a constant takes part that is not finite.
std::optional<llvm::SmallVector<double>>
evaluateOps(mlir::Value result, mlir::Value input,
            llvm::ArrayRef<double> arguments, bool &isInfinityWritten);

} // namespace attn::raise

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_EVALUATE_H
