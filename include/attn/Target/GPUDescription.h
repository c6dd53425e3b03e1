//===- GPUDescription.h - What a kernel may rely on on a GPU ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data: instructions, sizes and rates of one NVIDIA architecture. Sizes
// are those of the CUDA C++ Programming Guide ("Compute Capabilities"); rates
// are per cycle of one multiprocessor, from the architectures' white papers,
// and only serve to choose among schedules.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TARGET_GPUDESCRIPTION_H
#define ATTN_TARGET_GPUDESCRIPTION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace attn {

struct GPUDescription {
  /// As LLVM and ptxas call it: `sm_80`, `sm_90a`.
  llvm::StringRef arch;
  /// 80 for sm_80, 90 for sm_90 and sm_90a.
  unsigned sm = 80;
  /// The least PTX version that knows it, times 10: what is written into PTX,
  /// so that older drivers take it.
  unsigned ptxVersion = 70;

  /// 16-byte copies from global to shared memory that nobody waits for.
  bool hasCpAsync = false;
  /// Tensor maps, bulk copies and barriers in shared memory that count bytes.
  bool hasTMA = false;
  /// Matrix instructions of four warps: architecture-specific, so sm_90a only.
  bool hasWgmma = false;

  /// Shared memory that one block may have, and a multiprocessor has; a block
  /// costs `reservedShared` bytes more than it asks for.
  int64_t sharedBytesBlock = 0, sharedBytesSM = 0;
  int64_t reservedShared = 1024;
  /// 32-bit registers of a multiprocessor, and of a thread at most.
  int64_t registersSM = 65536, registersThread = 255;
  int64_t threadsSM = 0, threadsBlock = 1024, blocksSM = 0;
  /// Multiprocessors of the largest product.
  int64_t multiprocessors = 0;

  /// Products of f16 or bf16 by tensor cores, fused multiply-adds in f32, and
  /// exponentials.
  int64_t tensorProducts = 0, fma32 = 0, exponentials = 16;
};

/// The architectures there are, oldest first.
llvm::ArrayRef<GPUDescription> getGPUs();

/// The one called `arch`, or null.
const GPUDescription *findGPU(llvm::StringRef arch);

} // namespace attn

#endif // ATTN_TARGET_GPUDESCRIPTION_H
