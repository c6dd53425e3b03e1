//===- LaunchRecord.h - What a kernel is launched with ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_HOST_LAUNCHRECORD_H
#define ATTN_CONVERSION_HOST_LAUNCHRECORD_H

#include "mlir/IR/Operation.h"
#include <string>
#include <vector>

namespace attn {

/// Sizes are formulas. In them `size(2,1)` is dimension 1 of tensor 2, inputs
/// before outputs, and `?` a number that is only known when the program runs.
struct LaunchRecord {
  std::string entry, kernel;
  /// Blocks along x, y and z.
  std::vector<std::string> grid;
  /// Threads of a block.
  std::vector<int64_t> block;
  /// Blocks of a cluster: 1, 1, 1 where they are alone.
  std::vector<int32_t> cluster;
  /// Dynamic shared memory of a block in bytes.
  std::string shared;
  /// Types; `pointer` is an address in device memory, `tensor_map` the 128
  /// bytes of one.
  std::vector<std::string> parameters;
};

/// Of all launches of the kernels of a GPU module, in the program's order.
std::vector<LaunchRecord> getLaunchRecords(mlir::Operation *gpuModule);

} // namespace attn

#endif // ATTN_CONVERSION_HOST_LAUNCHRECORD_H
