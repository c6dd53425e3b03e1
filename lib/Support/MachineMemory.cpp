//===- MachineMemory.cpp - How much memory a process can have -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Support/MachineMemory.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <fcntl.h>
#include <limits>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

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

uint64_t attn::getMemoryInUse() {
  int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  char text[64];
  ssize_t count = ::read(file, text, sizeof(text));
  ::close(file);
  uint64_t pages = 0;
  for (ssize_t i = 0; i < count && llvm::isDigit(text[i]); ++i)
    pages = 10 * pages + (text[i] - '0');
  return pages * uint64_t(::sysconf(_SC_PAGESIZE));
}
