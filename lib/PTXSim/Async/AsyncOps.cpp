//===- AsyncOps.cpp - The opcodes of this folder --------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Async/AsyncHandlers.h"
#include "PTXSim/Async/TensorMapCodec.h"
#include "PTXSim/Exec/LaunchChecks.h"

#include <cstring>

namespace attn::ptx {

static void decodeCp(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!inst.has("async"))
    return;
  if (inst.has("tensor"))
    return decodeTensor(d, inst, out);
  if (inst.has("bulk"))
    return decodeBulk(d, inst, out);
  decodeCpAsync(d, inst, out);
}

void registerAsyncOps(OpTable &table) {
  table.add("cp", decodeCp);
  table.add("mbarrier", decodeMBarrier);
}

llvm::Error encodeTensorMap(const TensorMap &map, uint64_t address,
                            uint64_t bytesBehind, uint8_t *out) {
  std::string problem = checkTensorMap(map, address, bytesBehind);
  if (!problem.empty())
    return llvm::createStringError("tensor map: " + problem);
  TensorMapBits bits = encodeTensorMap(map, address);
  std::memcpy(out, bits.data(), bits.size());
  return llvm::Error::success();
}

} // namespace attn::ptx
