//===- Roofline.h - How long work takes at least ----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine computes so much and moves so much in a cycle; work takes as long
// as the slower of the two. Only shares of a program's time are told by it.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TARGET_ROOFLINE_H
#define ATTN_TARGET_ROOFLINE_H

#include "attn/Target/TargetDescription.h"

namespace attn {

/// What one core, or a whole GPU, does in a cycle at best.
struct Roofline {
  double flops = 1;
  double bytes = 1;

  double getCycles(double itsFlops, double itsBytes) const;
};

/// For products of factors of so many bytes, and for other arithmetic.
Roofline getProductRoofline(const TargetDescription &target,
                            int64_t factorBytes);
Roofline getRoofline(const TargetDescription &target, int64_t elementBytes);

} // namespace attn

#endif // ATTN_TARGET_ROOFLINE_H
