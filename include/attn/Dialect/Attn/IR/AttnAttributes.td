//===- AttnAttributes.td - Every attribute of the dialect -*- tablegen -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_ATTNATTRIBUTES_TD
#define ATTN_DIALECT_ATTN_IR_ATTNATTRIBUTES_TD

include "attn/Dialect/Attn/IR/GPUSchedules.td"
include "attn/Dialect/Attn/IR/ScalePolicies.td"
include "attn/Dialect/Attn/IR/ScoreChanges.td"
include "attn/Dialect/Attn/IR/RowChanges.td"
include "attn/Dialect/Attn/IR/TargetAttr.td"

#endif // ATTN_DIALECT_ATTN_IR_ATTNATTRIBUTES_TD
