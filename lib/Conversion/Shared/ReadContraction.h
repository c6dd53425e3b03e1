//===- ReadContraction.h - Matrix products in the IR ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_SHARED_READCONTRACTION_H
#define ATTN_LIB_CONVERSION_SHARED_READCONTRACTION_H

#include "MatrixProduct.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"

namespace attn {

/// A matrix product found in the IR, and the type of its sums.
struct FoundProduct {
  MatrixProduct product;
  mlir::FloatType compute;
};

/// Reads a linear layer on memrefs. Values that the product needs are created
/// before the op.
FoundProduct readLinear(mlir::OpBuilder &builder, LinearOp op);

/// Reads a structured op on memrefs that has MatrixRoles.
FoundProduct readStructured(mlir::OpBuilder &builder,
                            mlir::linalg::LinalgOp op);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_SHARED_READCONTRACTION_H
