//===- ScalarFunctions.h - Operations on numbers ----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ops of arith and math compute, for all that evaluates them: raising and
// the analyses. The reference has its own.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_SCALARFUNCTIONS_H
#define ATTN_DIALECT_ATTN_IR_SCALARFUNCTIONS_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace attn {

enum class ScalarFn : uint8_t {
#define ATTN_SCALAR(Name, ...) Name,
#include "attn/Dialect/Attn/IR/ScalarFunctions.def"
};

/// A function of numbers; `detail` is the predicate of a comparison, as
/// arith.cmpf counts them.
struct ScalarFunction {
  ScalarFn fn;
  unsigned detail = 0;
};

/// The function that an op of arith or math applies to its operands, or to the
/// elements at one place of tensors; nothing for another op. Integers are as
/// many as there are: whether they wrap is not asked.
std::optional<ScalarFunction> getScalarFunction(mlir::Operation *op);

double evaluate(ScalarFunction function, llvm::ArrayRef<double> x);

} // namespace attn

#endif // ATTN_DIALECT_ATTN_IR_SCALARFUNCTIONS_H
