//===- Passes.td - Passes that lower attn to loops and to LLVM -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_PASSES_TD
#define ATTN_CONVERSION_PASSES_TD

// One file for each folder of lib/Conversion.
include "attn/Conversion/AttnToLinalgPasses.td"
include "attn/Conversion/ChecksPasses.td"
include "attn/Conversion/CPUPasses.td"
include "attn/Conversion/EntryABIPasses.td"
include "attn/Conversion/GPUAttentionPasses.td"
include "attn/Conversion/GPUPasses.td"
include "attn/Conversion/GPUProductPasses.td"
include "attn/Conversion/HostPasses.td"
include "attn/Conversion/TileToVectorPasses.td"
include "attn/Conversion/TMTensorPasses.td"
include "attn/Conversion/UpstreamPasses.td"

#endif // ATTN_CONVERSION_PASSES_TD
