//===- Activation.h - Activation functions in f64 ---------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_REFERENCE_ACTIVATION_H
#define ATTN_LIB_REFERENCE_ACTIVATION_H

#include "Quantum.h"
#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn::reference::detail {

/// One activation function, with the constants that it needs.
class Activation {
public:
  explicit Activation(Function function, bool centered = false,
                      bool unitMoment = false);
  /// Each step is rounded to `quantum`.
  double operator()(double x, Quantum quantum) const;

  /// E f(sigma z)^k, z ~ N(0, 1), of the function alone.
  double moment(int k, double sigma = 1.0) const;

private:
  double plain(double x, Quantum quantum) const;

  Function function;
  double center = 0.0, gain = 1.0;
  /// The factors of selu above and below 0.
  double above = 1.0, below = 1.0;
};

} // namespace attn::reference::detail

#endif // ATTN_LIB_REFERENCE_ACTIVATION_H
