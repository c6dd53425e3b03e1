//===- TensorSlices.cpp - Strided copies between tensors ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorSlices.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace attn::reference::detail {

Box Box::at(const Tensor &tensor, ArrayRef<int64_t> offsets,
            ArrayRef<int64_t> steps) {
  Box box;
  box.strides = tensor.getStrides();
  for (auto [index, offset] : llvm::enumerate(offsets)) {
    box.offset += offset * box.strides[index];
    if (!steps.empty())
      box.strides[index] *= steps[index];
  }
  return box;
}

LogicalResult checkInside(Operation *op, const Tensor &tensor,
                          ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
                          ArrayRef<int64_t> steps) {
  unsigned dim = 0;
  for (auto [bound, offset, size, step] :
       llvm::zip_equal(tensor.shape, offsets, sizes, steps)) {
    int64_t last;
    bool wraps = llvm::MulOverflow(size - 1, step, last) ||
                 llvm::AddOverflow(last, offset, last);
    if (size < 0 || wraps || offset < 0 || offset > bound ||
        (size > 0 && (offset >= bound || last < 0 || last >= bound)))
      return op->emitError("the slice is not inside of the tensor: dimension ")
             << dim << " has " << bound << " elements, and the slice takes "
             << size << " of them from " << offset << " on, each " << step
             << " further";
    ++dim;
  }
  return success();
}

template <typename T>
static void copyElements(const std::vector<T> &from, int64_t source,
                         ArrayRef<int64_t> sourceStrides, std::vector<T> &to,
                         int64_t target, ArrayRef<int64_t> targetStrides,
                         ArrayRef<int64_t> sizes) {
  if (sizes.empty()) {
    to[target] = from[source];
    return;
  }
  for (int64_t i = 0; i < sizes[0]; ++i)
    copyElements(from, source + i * sourceStrides[0],
                 sourceStrides.drop_front(), to, target + i * targetStrides[0],
                 targetStrides.drop_front(), sizes.drop_front());
}

void copyBox(const Tensor &from, const Box &source, Tensor &to,
             const Box &target, ArrayRef<int64_t> sizes) {
  if (from.isFloat())
    copyElements(from.floats, source.offset, source.strides, to.floats,
                 target.offset, target.strides, sizes);
  else
    copyElements(from.ints, source.offset, source.strides, to.ints,
                 target.offset, target.strides, sizes);
}

} // namespace attn::reference::detail
