//===- ConvertFloat.cpp - Floats of one width as another ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvertFloat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

Value attn::convertFloat(OpBuilder &builder, Location loc, Value value,
                         Type type) {
  unsigned from = getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  unsigned to = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtFOp::create(builder, loc, type, value);
  if (from > to)
    return arith::TruncFOp::create(builder, loc, type, value);
  assert(getElementTypeOrSelf(value) == getElementTypeOrSelf(type) &&
         "no conversion of one 16-bit type to another");
  return value;
}
