//===- OpTable.cpp - The list of all families
//-------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Exec/OpTable.h"

namespace attn::ptx {

const OpTable &OpTable::get() {
  static const OpTable table = [] {
    OpTable all;
    registerControlOps(all);
    registerIntegerOps(all);
    registerLogicOps(all);
    registerFloatOps(all);
    registerCompareOps(all);
    registerConvertOps(all);
    registerMoveOps(all);
    registerMemoryOps(all);
    registerAtomicOps(all);
    registerBarrierOps(all);
    registerWarpOps(all);
    registerMiscOps(all);
    registerAsyncOps(all);
    registerMatrixOps(all);
    return all;
  }();
  return table;
}

} // namespace attn::ptx
