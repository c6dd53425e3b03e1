//===- MachineMemory.cpp - How much memory a process can have -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Support/MachineMemory.h"
#include <algorithm>
#include <limits>
#include <sys/resource.h>
#include <sys/sysinfo.h>

uint64_t attn::getMemoryLimit() {
  uint64_t bytes = std::numeric_limits<uint64_t>::max();
  struct sysinfo info;
  if (::sysinfo(&info) == 0)
    bytes = (uint64_t(info.totalram) + info.totalswap) * info.mem_unit;
  rlimit limit;
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bytes = std::min<uint64_t>(bytes, limit.rlim_cur);
  return bytes;
}
