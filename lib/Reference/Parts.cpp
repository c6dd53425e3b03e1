//===- Parts.cpp - Numbers as sums of two of bf16 -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include "Quantum.h"
#include "attn/Dialect/Attn/IR/ProductParts.h"
#include <cmath>

using namespace mlir;

namespace attn::reference::detail {

bool takesTwoParts(Operation *op, Type element, Rounding rounding) {
  return getProducts(op) == Products::BF16x3 && element.isF32() &&
         rounding != Rounding::F64;
}

template <typename T> std::vector<T> roundToParts(MutableArrayRef<T> numbers) {
  Quantum narrow(Quantum::BF16);
  std::vector<T> seconds(numbers.size());
  for (auto [number, second] : llvm::zip_equal(numbers, seconds)) {
    double first = number;
    quantise(&first, 1, narrow);
    if (!std::isfinite(first))
      continue;
    double rest = number - first;
    quantise(&rest, 1, narrow);
    number = T(first + rest);
    second = T(rest);
  }
  return seconds;
}

template std::vector<float> roundToParts(MutableArrayRef<float>);
template std::vector<double> roundToParts(MutableArrayRef<double>);

} // namespace attn::reference::detail
