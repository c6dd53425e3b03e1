//===- LaunchChecks.h - Is this launch possible at all
//----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_EXEC_LAUNCHCHECKS_H
#define ATTN_LIB_PTXSIM_EXEC_LAUNCHCHECKS_H

#include "PTXSim/Exec/Program.h"

namespace attn::ptx {

/// The kernel, if grid, block, cluster and arguments are legal for it.
llvm::Expected<const ir::Function *> checkLaunch(const Module &module,
                                                 const Launch &launch);
/// What the launch or the kernel says, or 1,1,1.
Dim3 clusterShape(const ir::Function &kernel, const Launch &launch);
/// Fills in grid.params; buffers must have their addresses.
llvm::Error packParameters(const ir::Function &kernel, Grid &grid);

/// lib/PTXSim/Async: checks a tensor map as cuTensorMapEncodeTiled does and
/// writes its 128 bytes; `address` is that of its tensor.
llvm::Error encodeTensorMap(const TensorMap &map, uint64_t address,
                            uint64_t bytesBehind, uint8_t *out);

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_EXEC_LAUNCHCHECKS_H
