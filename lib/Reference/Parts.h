//===- Parts.h - Numbers as sums of two of bf16 -----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_REFERENCE_PARTS_H
#define ATTN_LIB_REFERENCE_PARTS_H

#include "attn/Reference/Tensor.h"
#include "mlir/IR/Operation.h"
#include <vector>

namespace attn::reference::detail {

/// Whether a run multiplies what the op's operands, of `element`, are in two
/// parts: as written, where the op allows that. Three parts hold all of f32.
bool takesTwoParts(mlir::Operation *op, mlir::Type element, Rounding rounding);

/// Rounds numbers to sums of two parts; returns the second ones, the products
/// of which are left out. Those that bf16 has no number for stay.
template <typename T>
std::vector<T> roundToParts(llvm::MutableArrayRef<T> numbers);

} // namespace attn::reference::detail

#endif // ATTN_LIB_REFERENCE_PARTS_H
