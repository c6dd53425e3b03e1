//===- Tensors.h - Hosts' tensors as arrays of the reference ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CAPI_TENSORS_H
#define ATTN_LIB_CAPI_TENSORS_H

#include "Internal.h"
#include "attn/Reference/Tensor.h"

namespace attn::capi {

/// A dense copy of a tensor on the host, whatever its strides. Fails where it
/// is not of `type`; `name` begins the message.
llvm::Expected<HostArray> readTensor(const DLTensor *tensor,
                                     const TensorInfo &type,
                                     const std::string &name);

/// Writes a result into memory of the host: float64 where it is of a
/// floating-point type, else `kind`.
llvm::Error writeTensor(const reference::Tensor &result, ElementKind kind,
                        DLTensor *tensor, const std::string &name);

} // namespace attn::capi

#endif // ATTN_LIB_CAPI_TENSORS_H
