//===- RoleRegisters.h - Registers of warps with roles ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block that fills a multiprocessor shares its registers out: those who copy
// give theirs to those who multiply.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_ROLEREGISTERS_H
#define ATTN_DIALECT_ATTN_IR_ROLEREGISTERS_H

#include <cstdint>

namespace attn {

/// Of a thread that copies, and of one that multiplies.
struct RoleRegisters {
  int64_t copies, products;
};

/// Of so many groups of four warps that multiply, in steps of eight: with the
/// one that copies they have no more than at the launch, 168 a thread of three
/// groups and 128 of four. Who `measures` what comes needs some, too.
constexpr RoleRegisters getRoleRegisters(int64_t groups, bool measures) {
  if (groups > 2)
    return {32, 160};
  return measures ? RoleRegisters{40, 232} : RoleRegisters{24, 240};
}

} // namespace attn

#endif // ATTN_DIALECT_ATTN_IR_ROLEREGISTERS_H
