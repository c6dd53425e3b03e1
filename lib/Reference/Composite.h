//===- Composite.h - Projections of composite ops ---------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_REFERENCE_COMPOSITE_H
#define ATTN_LIB_REFERENCE_COMPOSITE_H

#include "Evaluator.h"
#include "Quantum.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"

namespace attn::reference::detail {

/// The rows of a tensor, one after the other.
using Rows = std::vector<double>;

/// What attn.multi_head_attention and attn.feed_forward share.
class Composite {
public:
  template <typename OpTy>
  Composite(Evaluator &evaluator, OpTy op)
      : evaluator(evaluator), op(op),
        transposed(op.getWeightLayout() == WeightLayout::OutIn),
        isNtk(op.getParameterisation() == Parameterisation::Ntk),
        storage(getQuantum(getElementTypeOrSelf(op.getInput()),
                           evaluator.getRounding())),
        isFloat(evaluator.getRounding() != Rounding::F64 &&
                !getElementTypeOrSelf(op.getInput()).isF64()) {}

  /// x W + b of each of `count` rows, rounded to the input's type.
  mlir::FailureOr<Rows> project(const Rows &rows, int64_t count,
                                mlir::Value weight, mlir::Value bias) const;
  /// How many numbers a projection gives.
  int64_t getWidth(mlir::Value weight) const {
    return evaluator.get(weight)->shape[transposed ? 0 : 1];
  }
  void round(Rows &rows) const {
    quantise(rows.data(), int64_t(rows.size()), storage);
  }
  /// The type of arithmetic: none where it is double.
  Quantum getWide() const { return storage.getWide(); }

protected:
  Evaluator &evaluator;
  mlir::Operation *op;

private:
  bool transposed, isNtk;
  Quantum storage;
  bool isFloat;
};

} // namespace attn::reference::detail

#endif // ATTN_LIB_REFERENCE_COMPOSITE_H
