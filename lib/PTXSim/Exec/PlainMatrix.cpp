//===- PlainMatrix.cpp - Without matrix instructions ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Exec/OpTable.h"

namespace attn::ptx {
void registerMatrixOps(OpTable &) {}
} // namespace attn::ptx
