//===- MachineMemory.h - How much memory a process can have -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_SUPPORT_MACHINEMEMORY_H
#define ATTN_SUPPORT_MACHINEMEMORY_H

#include <cstdint>

namespace attn {

/// Bytes that no process here gets more of: the machine's memory and swap
/// space, or the limit of this process. What others use is not taken off.
uint64_t getMemoryLimit();

/// Bytes that this process can address now. It takes no memory and may be
/// called in a signal handler, as may getMemoryLimit.
uint64_t getMemoryInUse();

} // namespace attn

#endif // ATTN_SUPPORT_MACHINEMEMORY_H
