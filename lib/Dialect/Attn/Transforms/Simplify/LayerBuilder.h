//===- LayerBuilder.h - Linear layers of a composite op ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SIMPLIFY_LAYERBUILDER_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SIMPLIFY_LAYERBUILDER_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

/// Makes linear layers whose weights are scaled and stored alike.
class LayerBuilder {
public:
  template <typename OpTy>
  LayerBuilder(mlir::OpBuilder &builder, OpTy op)
      : builder(builder), loc(op.getLoc()),
        parameterisation(op.getParameterisationAttr()),
        layout(op.getWeightLayoutAttr()) {}

  /// x W + b with the elements of x; the bias may be null.
  mlir::Value create(mlir::Value input, mlir::Value weight, mlir::Value bias);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  ParameterisationAttr parameterisation;
  WeightLayoutAttr layout;
};

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SIMPLIFY_LAYERBUILDER_H
