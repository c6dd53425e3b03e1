//===- View.cpp - Tensors of other libraries' objects ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn-c/attn.h"

size_t attn_tensors_view(int (*view)(void *object, DLTensor *tensor),
                         void *const *objects, DLTensor *const *tensors,
                         size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (view(objects[i], tensors[i]))
      return i;
  return count;
}
