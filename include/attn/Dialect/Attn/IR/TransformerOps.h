//===- TransformerOps.h - Multi-head attention and feed-forward -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_TRANSFORMEROPS_H
#define ATTN_DIALECT_ATTN_IR_TRANSFORMEROPS_H

#include "attn/Dialect/Attn/IR/Attn.h"

#define GET_OP_CLASSES
#include "attn/Dialect/Attn/IR/TransformerOps.h.inc"

#endif // ATTN_DIALECT_ATTN_IR_TRANSFORMEROPS_H
