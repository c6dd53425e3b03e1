//===- BlockOps.td - Linear, softmax, positions, residual -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_BLOCKOPS_TD
#define ATTN_DIALECT_ATTN_IR_BLOCKOPS_TD

include "attn/Dialect/Attn/IR/LinearOps.td"
include "attn/Dialect/Attn/IR/PositionOps.td"
include "attn/Dialect/Attn/IR/ResidualOps.td"
include "attn/Dialect/Attn/IR/SoftmaxOps.td"

#endif // ATTN_DIALECT_ATTN_IR_BLOCKOPS_TD
