//===- HostArray.h - A dense array in host memory ---------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_SUPPORT_HOSTARRAY_H
#define ATTN_SUPPORT_HOSTARRAY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace attn {

/// Element kinds that a tensor and a NumPy file have in common. Bool is one
/// byte an element. BF16 is written to files as unsigned 16-bit integers.
enum class ElementKind {
  F64,
  F32,
  F16,
  BF16,
  Bool,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64
};

unsigned getElementSize(ElementKind kind);
/// `f32`, `bool`, `u16`, ... as messages show it.
llvm::StringRef getElementName(ElementKind kind);

/// Bytes of an array; the largest number where that has no 64 bits.
uint64_t getArrayBytes(ElementKind kind, llvm::ArrayRef<int64_t> shape);

/// Row-major elements in 64-byte aligned memory that the array owns.
class HostArray {
public:
  HostArray() = default;
  /// All elements are zero. Fails where there is no memory for them.
  static llvm::Expected<HostArray> create(ElementKind kind,
                                          llvm::ArrayRef<int64_t> shape);

  ElementKind getKind() const { return kind; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getNumElements() const;
  size_t getNumBytes() const { return getArrayBytes(kind, shape); }
  void *getData() { return data.get(); }
  const void *getData() const { return data.get(); }
  template <typename T> T *getDataAs() { return static_cast<T *>(data.get()); }
  template <typename T> const T *getDataAs() const {
    return static_cast<const T *>(data.get());
  }

  /// Any element as a double; exact for everything but large 64-bit integers.
  double getAsDouble(int64_t index) const;
  /// Stores a number, rounded to nearest even or truncated to the kind.
  void setFromDouble(int64_t index, double value);

  /// The same bits read as another kind of the same size (u16 as bf16).
  void reinterpretAs(ElementKind newKind);

private:
  struct Deleter {
    void operator()(void *ptr) const;
  };
  ElementKind kind = ElementKind::F32;
  llvm::SmallVector<int64_t> shape;
  std::unique_ptr<void, Deleter> data;
};

struct NamedArray {
  std::string name;
  HostArray array;
};

/// `2x8x64` or `scalar`.
std::string formatShape(llvm::ArrayRef<int64_t> shape);

} // namespace attn

#endif // ATTN_SUPPORT_HOSTARRAY_H
