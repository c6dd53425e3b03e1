//===- WgmmaOps.cpp - Matrix products of a warpgroup ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Matrix/MatrixOps.h"

namespace attn::ptx {

void registerWgmmaOps(OpTable &) {}

} // namespace attn::ptx
