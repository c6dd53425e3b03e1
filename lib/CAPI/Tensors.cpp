//===- Tensors.cpp - Hosts' tensors as arrays of the reference ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"

using namespace attn;
using namespace attn::capi;
using llvm::createStringError;
using llvm::Expected;

/// DLPack has named it since 0.8 only.
static constexpr unsigned kBoolCode = 6;

static bool isFloat(ElementKind kind) {
  return llvm::is_contained(
      {ElementKind::F64, ElementKind::F32, ElementKind::F16, ElementKind::BF16},
      kind);
}

static bool isUnsigned(ElementKind kind) {
  return llvm::is_contained({ElementKind::Bool, ElementKind::U8,
                             ElementKind::U16, ElementKind::U32,
                             ElementKind::U64},
                            kind);
}

/// Booleans are one byte an element, whatever they are called.
static bool hasKind(const DLTensor &tensor, ElementKind kind) {
  if (tensor.dtype.lanes != 1 || tensor.dtype.bits != 8 * getElementSize(kind))
    return false;
  unsigned code = tensor.dtype.code;
  if (kind == ElementKind::Bool)
    return code == kBoolCode || code == kDLUInt;
  unsigned wanted = kind == ElementKind::BF16 ? kDLBfloat
                    : isFloat(kind)           ? kDLFloat
                    : isUnsigned(kind)        ? kDLUInt
                                              : kDLInt;
  return code == wanted;
}

/// Fails for what cannot be read or written as elements of `kind`.
static llvm::Error check(const DLTensor *tensor, const TensorInfo &type,
                         const std::string &name) {
  if (!tensor)
    return createStringError(name + " is null");
  if (tensor->device.device_type != kDLCPU)
    return createStringError(name + " is not in memory of the host");
  if (!hasKind(*tensor, type.kind))
    return createStringError(name + " has another element type than " +
                             getElementName(type.kind));
  if (tensor->ndim < 0 || (tensor->ndim > 0 && !tensor->shape))
    return createStringError(name + " has no shape");
  llvm::ArrayRef<int64_t> shape(tensor->shape, size_t(tensor->ndim));
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }) ||
      !type.acceptsShape(shape))
    return createStringError(name + " has shape " + formatShape(shape) +
                             ", which is not of type " + type.format());
  if (!tensor->data && !llvm::is_contained(shape, 0))
    return createStringError(name + " has no data");
  return llvm::Error::success();
}

/// Calls `body` with the address of each element, in row-major order.
static void forEachElement(const DLTensor &tensor, size_t elementSize,
                           llvm::function_ref<void(char *)> body) {
  llvm::ArrayRef<int64_t> shape(tensor.shape, size_t(tensor.ndim));
  if (llvm::is_contained(shape, 0))
    return;
  llvm::SmallVector<int64_t> strides(shape.size(), 1), index(shape.size(), 0);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  if (tensor.strides)
    strides.assign(tensor.strides, tensor.strides + tensor.ndim);
  char *address = static_cast<char *>(tensor.data) + tensor.byte_offset;
  while (true) {
    body(address);
    size_t d = shape.size();
    for (; d > 0; --d) {
      int64_t step = strides[d - 1] * int64_t(elementSize);
      address += step;
      if (++index[d - 1] < shape[d - 1])
        break;
      address -= step * shape[d - 1];
      index[d - 1] = 0;
    }
    if (d == 0)
      return;
  }
}

Expected<HostArray> capi::readTensor(const DLTensor *tensor,
                                     const TensorInfo &type,
                                     const std::string &name) {
  if (llvm::Error error = check(tensor, type, name))
    return std::move(error);
  auto array =
      HostArray::create(type.kind, {tensor->shape, size_t(tensor->ndim)});
  if (!array)
    return array.takeError();
  size_t size = getElementSize(type.kind);
  char *next = array->getDataAs<char>();
  forEachElement(*tensor, size, [&](const char *address) {
    std::memcpy(next, address, size);
    next += size;
  });
  return array;
}

llvm::Error capi::writeTensor(const reference::Tensor &result, ElementKind kind,
                              DLTensor *tensor, const std::string &name) {
  TensorInfo type;
  type.kind = result.isFloat() ? ElementKind::F64 : kind;
  type.shape = result.shape;
  if (llvm::Error error = check(tensor, type, name))
    return error;
  size_t size = getElementSize(type.kind), next = 0;
  forEachElement(*tensor, size, [&](char *address) {
    // The low bytes come first.
    const void *value = result.isFloat()
                            ? static_cast<const void *>(&result.floats[next])
                            : &result.ints[next];
    std::memcpy(address, value, size);
    ++next;
  });
  return llvm::Error::success();
}
