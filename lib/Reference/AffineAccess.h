//===- AffineAccess.h - Memory offsets of affine indexing maps --*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_REFERENCE_AFFINEACCESS_H
#define ATTN_LIB_REFERENCE_AFFINEACCESS_H

#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/SmallVector.h"

namespace attn::reference::detail {

/// Value of an affine expression at a point.
int64_t evaluate(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> dims,
                 llvm::ArrayRef<int64_t> symbols = {});

/// Element offset of a dense tensor seen through an indexing map. Linear
/// results become one coefficient per dimension; others (floordiv, mod) are
/// evaluated at the point.
class AffineAccess {
public:
  AffineAccess(mlir::AffineMap map, llvm::ArrayRef<int64_t> strides);

  int64_t getOffset(llvm::ArrayRef<int64_t> dims) const {
    int64_t offset = constant;
    for (size_t i = 0; i < dims.size(); ++i)
      offset += coefficients[i] * dims[i];
    for (const auto &[expr, stride] : nonlinear)
      offset += evaluate(expr, dims) * stride;
    return offset;
  }
  /// Step of the offset along a dimension that isLinearIn.
  int64_t getStep(unsigned dim) const { return coefficients[dim]; }
  bool isLinearIn(unsigned dim) const;

private:
  bool addLinear(mlir::AffineExpr expr, int64_t factor,
                 llvm::SmallVectorImpl<int64_t> &into, int64_t &sum) const;

  int64_t constant = 0;
  llvm::SmallVector<int64_t> coefficients;
  llvm::SmallVector<std::pair<mlir::AffineExpr, int64_t>> nonlinear;
};

} // namespace attn::reference::detail

#endif // ATTN_LIB_REFERENCE_AFFINEACCESS_H
