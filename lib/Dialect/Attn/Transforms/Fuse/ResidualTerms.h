//===- ResidualTerms.h - The two terms of a residual sum --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_FUSE_RESIDUALTERMS_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_FUSE_RESIDUALTERMS_H

#include "attn/Dialect/Attn/IR/Attn.h"

#include <string>

namespace attn {

/// x + factor F, as arithmetic on tensors, named structured ops or bodies of
/// linalg.generic spell it.
struct ResidualTerms {
  mlir::Value x, branch;
  /// A number, or a tensor of one; null for 1.
  mlir::Value factor;
};

/// The terms of `sum`; none where it is no sum of two tensors, with a `reason`
/// where it is one, but of another form.
std::optional<ResidualTerms> readResidualTerms(mlir::Value sum,
                                               std::string &reason);

/// The factor as one number of `type`.
mlir::Value createFactor(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value factor, mlir::FloatType type);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_FUSE_RESIDUALTERMS_H
