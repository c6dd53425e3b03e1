//===- Passes.td - Passes on attn ops over tensors -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_PASSES_TD
#define ATTN_DIALECT_ATTN_TRANSFORMS_PASSES_TD

// One file for each folder of lib/Dialect/Attn/Transforms.
include "attn/Dialect/Attn/Transforms/FusePasses.td"
include "attn/Dialect/Attn/Transforms/RaisePasses.td"
include "attn/Dialect/Attn/Transforms/SchedulePasses.td"
include "attn/Dialect/Attn/Transforms/SimplifyPasses.td"
include "attn/Dialect/Attn/Transforms/TilePasses.td"

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_PASSES_TD
