//===- ConvertFloat.h - Floats of one width as another ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_SHARED_CONVERTFLOAT_H
#define ATTN_LIB_CONVERSION_SHARED_CONVERTFLOAT_H

#include "mlir/IR/Builders.h"

namespace attn {

/// A float, or a vector of floats, of another width as `type`. Narrowing rounds
/// to nearest even.
mlir::Value convertFloat(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, mlir::Type type);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_SHARED_CONVERTFLOAT_H
