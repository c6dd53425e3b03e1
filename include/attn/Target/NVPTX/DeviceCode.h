//===- DeviceCode.h - What was made for a GPU -------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TARGET_NVPTX_DEVICECODE_H
#define ATTN_TARGET_NVPTX_DEVICECODE_H

#include "attn/Conversion/Host/LaunchRecord.h"
#include <cstdint>
#include <string>
#include <vector>

namespace attn {

/// What ptxas says of a kernel.
struct KernelUsage {
  std::string name;
  /// 32-bit registers of a thread.
  int64_t registers = 0;
  /// Of a thread.
  int64_t stackBytes = 0, spillStoreBytes = 0, spillLoadBytes = 0;
  /// Of a block, beside what a launch asks for.
  int64_t sharedBytes = 0;
};

struct DeviceCode {
  /// As nvcc calls it: `sm_80`.
  std::string arch;
  /// Times 10.
  unsigned ptxVersion = 0;
  std::string ptx;
  std::vector<LaunchRecord> launches;
  /// Empty where there is no ptxas; then nothing below is known.
  std::string cubin;
  std::string ptxasVersion;
  std::vector<KernelUsage> kernels;
};

} // namespace attn

#endif // ATTN_TARGET_NVPTX_DEVICECODE_H
