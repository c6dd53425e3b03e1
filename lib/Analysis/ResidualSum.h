//===- ResidualSum.h - Sums and factors of residual blocks ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A factor that is a constant is a part of the branch; one that is not is the
// alpha of a policy.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_ANALYSIS_RESIDUALSUM_H
#define ATTN_LIB_ANALYSIS_RESIDUALSUM_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include <optional>

namespace attn {

/// resultFactor * (inputFactor * a + factors * b).
struct ResidualSum {
  mlir::Value a, b;
  std::optional<ResidualPolicy> policy;
  bool isScaled = false;
  double inputFactor = 1.0, resultFactor = 1.0;
  /// The factors of b, where all of them are constants.
  std::optional<double> branchFactor;
};

/// A tensor times numbers, the same ones for each element.
struct Scaling {
  mlir::Value tensor;
  /// The product of those that are constants.
  double constant = 1.0;
  bool hasFactor = false;
  /// rezero or scheduled, if one of them is no constant.
  std::optional<ResidualPolicy> policy;
};

/// The sum of two tensors that `op` computes, and nothing else.
std::optional<ResidualSum> matchResidualSum(mlir::Operation *op);

/// The product of a tensor and numbers that `op` computes, and nothing else.
std::optional<Scaling> matchScaling(mlir::Operation *op);

/// Whether a number is sqrt(1/2), up to what bf16 makes of it.
bool isSqrtHalf(double number);

} // namespace attn

#endif // ATTN_LIB_ANALYSIS_RESIDUALSUM_H
