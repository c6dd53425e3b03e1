//===- Tensor.cpp - Values of the reference interpreter -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Reference/Tensor.h"
#include "Quantum.h"

using namespace mlir;

namespace attn::reference {

Tensor::Tensor(Type elementType, ArrayRef<int64_t> shape)
    : elementType(elementType), shape(shape) {
  if (isFloat())
    floats.resize(getNumElements());
  else
    ints.resize(getNumElements());
}

Tensor Tensor::scalar(Type type, double value) {
  Tensor result(type, {});
  result.floats[0] = value;
  return result;
}

Tensor Tensor::scalar(Type type, int64_t value) {
  Tensor result(type, {});
  result.ints[0] = value;
  return result;
}

int64_t Tensor::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

SmallVector<int64_t> Tensor::getStrides() const {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = getRank() - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

bool isSupportedElementType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() >= 1 && integer.getWidth() <= 64;
  return type.isIndex() || type.isF64() || type.isF32() || type.isF16() ||
         type.isBF16();
}

double roundToType(double value, Type type) {
  detail::quantise(&value, 1, detail::getQuantum(type, Rounding::AsWritten));
  return value;
}

} // namespace attn::reference
