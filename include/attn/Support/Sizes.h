//===- Sizes.h - Products of sizes, checked ---------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_SUPPORT_SIZES_H
#define ATTN_SUPPORT_SIZES_H

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <string>

namespace attn {

/// What a process can address. More bytes than these are not compiled for.
constexpr int64_t kAddressableBytes = int64_t(1) << 47;

/// The product of sizes, or the largest number where it is larger.
inline int64_t multiplySaturating(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? std::numeric_limits<int64_t>::max()
                                          : product;
}

/// Bytes of so many elements along each dimension, or the largest number.
inline int64_t countBytes(llvm::ArrayRef<int64_t> shape, int64_t elementBytes) {
  // Nothing is what it is, however large the other dimensions are.
  if (llvm::is_contained(shape, 0))
    return 0;
  int64_t bytes = elementBytes;
  for (int64_t size : shape)
    bytes = multiplySaturating(bytes, size);
  return bytes;
}

/// The same in digits, whatever their number.
inline std::string printBytes(llvm::ArrayRef<int64_t> shape,
                              int64_t elementBytes) {
  llvm::APInt bytes(64 * (shape.size() + 1), elementBytes);
  for (int64_t size : shape)
    bytes *= llvm::APInt(bytes.getBitWidth(), size);
  llvm::SmallString<32> digits;
  bytes.toStringUnsigned(digits);
  return digits.str().str();
}

} // namespace attn

#endif // ATTN_SUPPORT_SIZES_H
