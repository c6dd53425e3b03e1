//===- RaiseActivation.h - Spelled-out activations --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_RAISEACTIVATION_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_RAISEACTIVATION_H

#include <optional>

namespace mlir {
class Operation;
} // namespace mlir

namespace attn::raise {

/// How far the values of ops may be from those of the function they are.
struct Tolerance {
  double relative, absolute;
};

/// Makes elementwise ops that compute an activation an attn.activation, at the
/// last of them. What only looks at a model may allow more than the digits of
/// the element type, which is what a result may differ by.
void raiseActivations(mlir::Operation *root,
                      std::optional<Tolerance> tolerance = std::nullopt);

} // namespace attn::raise

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_RAISEACTIVATION_H
